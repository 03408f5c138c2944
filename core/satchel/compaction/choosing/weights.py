"""How likely each reference is needed again: the recent, the repeated, what the agent or the task names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class Mentions(NamedTuple):
    """The references of one exchange."""

    own: frozenset[str]
    """In what the user or the agent wrote, calls included."""
    seen: frozenset[str]
    """In results."""


LEAST = 0.3
REPEATED = 0.5
OWN = 2.0
PATH = 1.5
ASKED = 3.0


def weights(mentions: Sequence[Mentions], asked: Iterable[str]) -> Mapping[str, float]:
    """Return a weight for each reference of a conversation.

    It falls with the square of the age of the last mention, grows with the log of the mentions, and is
    more for what the user or the agent wrote, for paths, and for what the task names.
    """
    last: dict[str, int] = {}
    times: dict[str, int] = {}
    own: set[str] = set()
    for at, one in enumerate(mentions):
        own |= one.own
        for ref in one.own | one.seen:
            last[ref] = at
            times[ref] = times.get(ref, 0) + 1
    wanted = set(asked)
    count = max(1, len(mentions))
    ages = [LEAST + ((at + 1) / count) ** 2 for at in range(len(mentions))]
    logs = [1 + REPEATED * math.log(max(1, n)) for n in range(len(mentions) + 1)]
    return {
        ref: ages[at]
        * logs[times[ref]]
        * (OWN if ref in own else 1.0)
        * (PATH if "/" in ref or "." in ref else 1.0)
        * (ASKED if ref in wanted else 1.0)
        for ref, at in last.items()
    }
