"""What the lines of a command's long output are worth in a conversation: as squeezing judges them."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from satchel.compaction.choosing.pieces import Piece
from satchel.compaction.rules import called
from satchel.messages import Exchange
from satchel.patterns import lazily

if TYPE_CHECKING:
    from satchel.terminal.telling import Told

_RUNS = lazily(r"bash|shell|exec|terminal|command|\brun|_run|run_|subprocess|cmd", re.IGNORECASE)
_LEAST_CHARS, _MOST_CHARS = 4_000, 80_000
"""Shorter outputs are chosen from by their references; of longer ones the end is judged."""
_TELLS = lazily(r"rror|ERR|ail|FAIL|xception|atal|anic|denied|not found|refused|abort")
_LEAST, _WHOLE = 36.0, 60.0
_VALUE = 0.35
"""Of a line that squeezing shows among the first, beside the references in it."""
_STEPS = (120, 300, 1_000, 3_000)
"""Tokens of an output's best lines: the steps that the outputs of a session go down."""
_TIMES = ((4.5, 4.5, 2.0, 1.0), (3.5, 3.0, 1.0), (3.0, 2.0, 1.0), (2.0, 1.0, 1.0), (1.0, 1.0, 1.0))
"""By how many newer ones there are: how much more than `_VALUE` the lines up to each step are worth.

`docs/benchmarks/squeezing.py` tells what windows keep so; more would cost references that are needed.
"""


def runs_commands(exchange: Exchange) -> bool:
    """Tell whether a tool of an exchange runs commands, by the names of tools."""
    return any(map(_RUNS.search, called(exchange)))


def ages(exchanges: Sequence[Exchange]) -> list[int]:
    """Return how many exchanges that ran commands came after each."""
    newer = accumulate((runs_commands(one) for one in reversed(exchanges)), initial=0)
    return list(newer)[-2::-1]


def worths(text: str, pieces: Sequence[Piece], *, age: int) -> Mapping[int, float]:
    """Return what pieces of a command's output are worth, by number.

    Of the newest output any line may matter; of older ones, those that tell what went wrong, if anything did.

    Args:
        text: the output.
        pieces: of the text.
        age: how many newer outputs there are.
    """
    if len(text) < _LEAST_CHARS or (age and not _TELLS.search(text)):
        return {}
    start = text.find("\n", len(text) - _MOST_CHARS) + 1 if len(text) > _MOST_CHARS else 0
    lines = text[start:].split("\n")
    begins = list(accumulate((len(line) + 1 for line in lines), initial=start))
    firsts = [piece.start for piece in pieces]
    found: dict[int, float] = {}
    for number, worth in _told(text[start:], age):
        first = bisect.bisect_left(firsts, begins[number - 1])
        if first < bisect.bisect_left(firsts, begins[number]):
            found[first] = worth
    return found


def _told(text: str, age: int) -> Iterator[tuple[int, float]]:
    """Yield the numbers of the lines that matter, with what they are worth."""
    times = _TIMES[min(age, len(_TIMES) - 1)]
    for told in _judged(text):
        step = bisect.bisect_left(_STEPS, told.spent)
        if told.worth >= _LEAST and step < len(times) and (told.rank or not age):
            yield told.number, _VALUE * times[step] * told.worth / _WHOLE


@lru_cache(maxsize=128)
def _judged(text: str) -> tuple[Told, ...]:
    """Judge an output once, however often its conversation is compacted."""
    from satchel.terminal.telling import telling

    return tuple(telling(text, tokens=_STEPS[-1]))
