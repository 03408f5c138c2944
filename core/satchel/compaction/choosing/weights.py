"""How likely each reference is needed again: the recent, the repeated, what the agent or the task names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from satchel.compaction.choosing.pieces import LINE


class Mentions(NamedTuple):
    """The references of one exchange."""

    own: Set[str]
    """In what the user or the agent wrote, calls included."""
    seen: Set[str]
    """In results."""


LEAST = 0.3
POWER = 2
REPEATED = 0.5
OWN = 3.0
PATH = 1.5
ASKED = 3.0
QUOTED = 0.6
"""Of quoted words: whole sentences come again more seldom than names."""
NUMBERED = 0.6
"""Of the number that a line of a listing has, times the share of the conversation that fits."""


def weights(mentions: Sequence[Mentions], asked: Iterable[str], *, fits: float) -> Mapping[str, float]:
    """Return a weight for each reference of a conversation.

    It falls with the age of the last mention, grows with the log of the mentions, and is more for what
    the user or the agent wrote, for paths, and for what the task names, and less for quoted words. `fits`
    is the share of the conversation that there is room for.
    """
    seen, wanted = _seen(mentions), set(asked)
    numbered = NUMBERED * min(1.0, fits)
    count = max(1, len(mentions))
    ages = [LEAST + ((at + 1) / count) ** POWER for at in range(len(mentions))]
    logs = [1 + REPEATED * math.log(max(1, n)) for n in range(len(mentions) + 1)]
    return {
        ref: ages[at]
        * logs[seen.times[ref]]
        * (OWN if ref in seen.own else 1.0)
        * (numbered if ref[0] == LINE and ref[1:].isdigit() else PATH if "/" in ref or "." in ref else 1.0)
        * (QUOTED if " " in ref else 1.0)
        * (ASKED if ref in wanted else 1.0)
        for ref, at in seen.last.items()
    }


class _Seen(NamedTuple):
    """Where each reference was mentioned last, how often, and which ones stand in what was written."""

    last: dict[str, int]
    times: dict[str, int]
    own: set[str]


def _seen(mentions: Sequence[Mentions]) -> _Seen:
    seen = _Seen({}, {}, set())
    for at, one in enumerate(mentions):
        seen.own.update(one.own)
        for ref in one.own | one.seen:
            seen.last[ref] = at
            seen.times[ref] = seen.times.get(ref, 0) + 1
    return seen
