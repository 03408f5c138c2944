"""The worth of pieces of a conversation: who says it, the question it answers, the need for it again."""

from __future__ import annotations

import bisect
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from satchel.compaction.files import reads_log, touches_of
from satchel.compaction.pieces import LINE, Library, Piece
from satchel.messages import Exchange
from satchel.parts import Part
from satchel.patterns import lazily
from satchel.workspace.index.terms import STOP, count_words

if TYPE_CHECKING:
    from satchel.output.squeezing import Told


class Rules(NamedTuple):
    """Names of tools; a compressor has settings of the same names."""

    never_prune: frozenset[str] = frozenset()
    """Tools whose calls and results stay whole, as long as there is room."""
    clear_first: frozenset[str] = frozenset()
    """Tools whose results are removed completely once they are old."""
    side_effects: frozenset[str] = frozenset()
    """Tools whose calls stay, so that nothing is done twice; results may be cut."""


def rules_of(compressor: object) -> Rules:
    """Return the rules among a compressor's settings."""
    return Rules(*(frozenset(getattr(compressor, name, ())) for name in Rules._fields))


def names_of_calls(exchange: Exchange) -> frozenset[str]:
    """Return the names of the tools that an exchange calls."""
    return frozenset(call.name for message in exchange.messages for call in message.calls)


SPEAKER = 2.6
"""Factor for messages of the person whom the task names, if it names only one (`Ann: ...`)."""
TIME = 2.5
"""Factor for a message that mentions a time, if the task asks for one."""
QUESTION = 0.88
"""Factor for a message that ends in a question: it seldom holds the answer."""
_LONGEST = 2_000
_ASKS_WHEN = lazily(
    r"(?:^|[.?!\n,]\s*)(?:and |but |so |since |until )?(?:when|how long|(?:in |on |at )?(?:what|which) "
    r"(?:year|month|week|date|day|time|season))\b",
    re.IGNORECASE,
)
_TELLS_WHEN = lazily(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|weeks?|weekend|months?|years?|mornings?|night|evening"
    r"|recently|since|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|spring|summer|autumn|winter|\d+)\b",
    re.IGNORECASE,
)


def answering(parts: Sequence[Part], texts: Sequence[str], task: str) -> list[float]:
    """Return a factor for each message of a chat; 1 if nothing is known.

    The factors are odds fitted on questions about long dialogues of two people, and hold with any scorers.
    The words of time are English.
    """
    asked = task[:_LONGEST]
    named = {part.name for part in parts if part.name and _names(asked, part.name)}
    speaker = next(iter(named)) if len(named) == 1 else None
    timed = _ASKS_WHEN.search(asked) is not None
    return [
        _factor(text, said=part.name == speaker, timed=timed) for part, text in zip(parts, texts, strict=True)
    ]


def _factor(text: str, *, said: bool, timed: bool) -> float:
    factor = SPEAKER if said else 1.0
    if text.rstrip().endswith("?"):
        factor *= QUESTION
    return factor * TIME if timed and _TELLS_WHEN.search(text, 0, _LONGEST) else factor


def _names(task: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", task) is not None


_RUNS = lazily(
    r"bash|shell|exec|terminal|command|\brun|_run|run_|subprocess|cmd|output|pty_?read|process|_logs?\b|console",
    re.IGNORECASE,
)
_LEAST_CHARS, _MOST_CHARS = 4_000, 80_000
"""Shorter outputs are chosen from by their references; of longer ones the end is judged."""
_TELLS = lazily(r"rror|ERR|ail|FAIL|xception|atal|anic|denied|not found|refused|abort")
_LEAST, _WHOLE = 36.0, 60.0
_VALUE = 0.35
"""Worth of a line that squeezing ranks first, besides its references."""
_STEPS = (120, 300, 1_000, 3_000)
"""Tokens of an output's best lines, in steps that outputs descend as a session grows."""
_TIMES = ((4.5, 4.5, 2.0, 1.0), (3.5, 3.0, 1.0), (3.0, 2.0, 1.0), (2.0, 1.0, 1.0), (1.0, 1.0, 1.0))
"""By number of newer outputs: factors on `_VALUE` for the lines up to each step.

`docs/benchmarks/squeezing.py` shows the effect on windows; more would cost references that are needed.
"""


def runs_commands(exchange: Exchange) -> bool:
    """Return whether a tool of an exchange runs commands, or shows a command's log, by their names."""
    calls = [call for message in exchange.messages for call in message.calls]
    return any(
        _RUNS.search(call.name) or any(map(reads_log, touches_of(call.name, call.text))) for call in calls
    )


def ages(exchanges: Sequence[Exchange]) -> list[int]:
    """Return for each exchange the number of later ones that ran commands."""
    newer = accumulate((runs_commands(one) for one in reversed(exchanges)), initial=0)
    return list(newer)[-2::-1]


def worths(text: str, pieces: Sequence[Piece], *, age: int) -> Mapping[int, float]:
    """Return the worth of pieces of a command's output, by number.

    In the newest output any line may matter; in older ones, those that say what went wrong, if anything did.

    Args:
        text: the output.
        pieces: of the text.
        age: the number of newer outputs.
    """
    if len(text) < _LEAST_CHARS or (age and not _TELLS.search(text)):
        return {}
    begins = _find_last_lines(text)
    firsts = [piece.start for piece in pieces]
    found: dict[int, float] = {}
    for number, worth in _weigh_lines(text[begins[0] :], age):
        first = bisect.bisect_left(firsts, begins[number - 1])
        if first < bisect.bisect_left(firsts, begins[number]):
            found[first] = worth
    return found


def _find_last_lines(text: str) -> list[int]:
    """Return the beginning of each line in the end of an output that is read, and the end of the last."""
    start = text.find("\n", len(text) - _MOST_CHARS) + 1 if len(text) > _MOST_CHARS else 0
    return list(accumulate((len(line) + 1 for line in text[start:].split("\n")), initial=start))


def _weigh_lines(text: str, age: int) -> Iterator[tuple[int, float]]:
    """Yield the numbers of the lines that matter, with their worth."""
    times = _TIMES[min(age, len(_TIMES) - 1)]
    for told in _iter_output_worths(text):
        step = bisect.bisect_left(_STEPS, told.spent)
        if told.worth >= _LEAST and step < len(times) and (told.rank or not age):
            yield told.number, _VALUE * times[step] * told.worth / _WHOLE


def find_telling_lines(text: str) -> list[tuple[int, int]]:
    """Return beginning and end of the lines of a long output that say what went wrong, the best first."""
    if len(text) < _LEAST_CHARS or "\n" not in text or not _TELLS.search(text):
        return []
    begins = _find_last_lines(text)
    told = [one for one in _iter_output_worths(text[begins[0] :]) if one.rank and one.worth >= _LEAST]
    told.sort(key=lambda one: -one.worth)
    return [(begins[one.number - 1], begins[one.number] - 1) for one in told]


@lru_cache(maxsize=128)
def _iter_output_worths(text: str) -> tuple[Told, ...]:
    """Judge an output once, however often its conversation is compacted."""
    from satchel.output.squeezing import telling

    return tuple(telling(text, tokens=_STEPS[-1]))


class ReferenceMentions(NamedTuple):
    """The references of one exchange."""

    own: Set[str]
    """References in texts of the user or the agent, calls included."""
    seen: Set[str]
    """References in results."""


BASE = 1.3
"""Weight of a reference, against lines without one, at any age: old readings are needed again as often as
late ones, and the newest text stays whole anyway.
"""
REPEATED = 0.5
OWN = 3.0
PATH = 1.5
ASKED = 3.0
QUOTED = 0.6
"""Factor for quoted words: whole sentences are repeated less often than names."""
NUMBERED = 0.8
"""Factor for the line numbers of a listing, times the share of the conversation that fits."""


def weights(
    mentions: Sequence[ReferenceMentions], asked: Iterable[str], *, fits: float
) -> Mapping[str, float]:
    """Return a weight for each reference of a conversation.

    It grows with the log of the mentions, is more for references that the user or the agent wrote, for paths,
    and for those that the task names, and less for quoted words. `fits` is the share of the conversation that
    has room.
    """
    wanted, own, times = set(asked), set[str](), Counter[str]()
    for one in mentions:
        own |= one.own
        times.update(one.own | one.seen)
    numbered = NUMBERED * min(1.0, fits)
    logs = [1 + REPEATED * math.log(max(1, n)) for n in range(len(mentions) + 1)]
    return {
        ref: BASE
        * logs[count]
        * (OWN if ref in own else 1.0)
        * (numbered if ref[0] == LINE and ref[1:].isdigit() else PATH if "/" in ref or "." in ref else 1.0)
        * (QUOTED if " " in ref else 1.0)
        * (ASKED if ref in wanted else 1.0)
        for ref, count in times.items()
    }


NEWEST = BEST = 4_000
"""Exchanges that are read whatever they cost: the newest, and the best of the earlier ones."""
FEW = NEWEST + BEST
"""Number of exchanges up to which all are read."""
NEWEST_TIMES = 6
"""The newest exchanges are also read up to this many times the budget."""
_TERMS, _SIFTING_LONGEST, _SIFTING_LEAST = 24, 4_000, 3
"""Most terms of a task, the most characters read for them, and the fewest letters of a term."""


def sift_exchanges(
    exchanges: Sequence[Exchange], tokens: int, *, terms: Sequence[str], rules: Rules
) -> list[int]:
    """Return the positions of the exchanges that are worth a look, in order.

    The others are left out unread, so that a history of many thousands costs little time and memory.

    Args:
        exchanges: in order.
        tokens: of the window.
        terms: of the task, in small letters.
        rules: tools whose calls should stay.
    """
    first = _first_of_newest(exchanges, NEWEST_TIMES * tokens)
    return [
        *_rank_by_rarity(exchanges[:first], terms, rules.never_prune | rules.side_effects),
        *range(first, len(exchanges)),
    ]


def terms_of(task: str, library: Library) -> list[str]:
    """Return references and words of a task, in small letters, for `sift_exchanges`."""
    said = task[:_SIFTING_LONGEST]
    words = [word for word in count_words(said) if word.lower() not in STOP]
    found = dict.fromkeys(term.lower() for term in (*library.of(said).refs, *words))
    return [term for term in found if len(term) >= _SIFTING_LEAST][:_TERMS]


def _first_of_newest(exchanges: Sequence[Exchange], tokens: int) -> int:
    """Return the first of the newest exchanges that are read; four characters count as a token."""
    first = len(exchanges)
    while first > 0 and (len(exchanges) - first < NEWEST or tokens > 0):
        first -= 1
        tokens -= (
            sum(len(block.text) for message in exchanges[first].messages for block in message.blocks) // 4
        )
    return first


def _rank_by_rarity(exchanges: Sequence[Exchange], terms: Sequence[str], tools: frozenset[str]) -> list[int]:
    """Return the best positions by the rarity of the terms they hold; of equals, users' and newest ones."""
    masks = [_mask_terms(one, terms) for one in exchanges]
    worth = _worth(masks, len(terms))

    def rank(at: int) -> tuple[bool, float, bool, int]:
        one = exchanges[at]
        return bool(tools and tools & names_of_calls(one)), worth[masks[at]], one.role == "user", at

    return sorted(sorted(range(len(exchanges)), key=rank, reverse=True)[:BEST])


def _mask_terms(exchange: Exchange, terms: Sequence[str]) -> int:
    """Return which terms an exchange holds, a bit for each."""
    texts = [block.text for message in exchange.messages for block in message.blocks]
    said = "\n".join(texts).lower()
    return sum([1 << at for at, term in enumerate(terms) if term in said])


def _worth(masks: Sequence[int], count: int) -> dict[int, float]:
    """Return the worth of each mask: the sum of the rarities of its terms."""
    times: dict[int, int] = {}
    for mask in masks:
        times[mask] = times.get(mask, 0) + 1
    holding = [sum(many for mask, many in times.items() if mask >> at & 1) for at in range(count)]
    rare = [math.log((1 + len(masks)) / (1 + held)) for held in holding]
    return {mask: sum(rare[at] for at in range(count) if mask >> at & 1) for mask in times}
