"""What the lines of a command's long output are worth in a conversation: as squeezing judges them."""

from __future__ import annotations

import bisect
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from satchel.compaction.choosing.pieces import Piece
from satchel.compaction.rules import called
from satchel.messages import Exchange

if TYPE_CHECKING:
    from satchel.terminal.telling import Told

_RUNS = re.compile(r"bash|shell|exec|terminal|command|\brun|_run|run_|subprocess|cmd", re.IGNORECASE)
_LEAST_CHARS, _MOST_CHARS = 4_000, 80_000
"""Shorter outputs are chosen from by their references; of longer ones the end is judged."""
_TELLS = re.compile(r"rror|ERR|ail|FAIL|xception|atal|anic|denied|not found|refused|abort")
_TOKENS = 1_000
_LEAST, _WHOLE = 36.0, 60.0
_VALUE = 0.35
"""Of a line that squeezing shows among the first, beside the references in it."""


def runs_commands(exchange: Exchange) -> bool:
    """Tell whether a tool of an exchange runs commands, by the names of tools."""
    return any(map(_RUNS.search, called(exchange)))


def worths(text: str, pieces: Sequence[Piece]) -> Mapping[int, float]:
    """Return what pieces of a command's output are worth, by number; nothing where nothing went wrong."""
    if len(text) < _LEAST_CHARS or not _TELLS.search(text):
        return {}
    start = text.find("\n", len(text) - _MOST_CHARS) + 1 if len(text) > _MOST_CHARS else 0
    lines = text[start:].split("\n")
    begins = list(accumulate((len(line) + 1 for line in lines), initial=start))
    firsts = [piece.start for piece in pieces]
    found: dict[int, float] = {}
    for told in _judged(text[start:]):
        if told.worth >= _LEAST and told.rank:
            first = bisect.bisect_left(firsts, begins[told.number - 1])
            last = bisect.bisect_left(firsts, begins[told.number])
            found.update(dict.fromkeys(range(first, min(last, first + 1)), _VALUE * told.worth / _WHOLE))
    return found


@lru_cache(maxsize=128)
def _judged(text: str) -> tuple[Told, ...]:
    """Judge an output once, however often its conversation is compacted."""
    from satchel.terminal.telling import telling

    return tuple(telling(text, tokens=_TOKENS))
