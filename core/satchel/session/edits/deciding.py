"""How a window shows an edit, and for how long: decided once from its magnitude, checked at assembly."""

from __future__ import annotations

import enum
from typing import NamedTuple

import attrs

from satchel.session.edits.measuring import Magnitude

SMALL, LARGE = 0.05, 0.5
"""Shares of the lines: below the first, both sides of an edit are shown; above the second, it is named."""


class Strategy(enum.StrEnum):
    """What a window shows of an edit."""

    BOTH = "both"
    """The changed lines as they were and as they are."""
    DIFF = "diff"
    """What changed, in place of what was shown of the file before."""
    MARKER = "marker"
    """That it changed, and how much; whoever needs the text reads the file again."""


class Life(NamedTuple):
    """How long an edit is shown; over as soon as one of both is over."""

    messages: int
    seconds: float


_BOTH, _DIFF, _MARKER = Life(40, 1_800.0), Life(80, 3_600.0), Life(160, 7_200.0)
"""About one, two and four pieces of work: half an hour, or the calls of two long turns, is one."""


@attrs.frozen
class Lives:
    """The time to live of each strategy, and how many edits of one file are shown; 0 means none."""

    both: Life = _BOTH
    diff: Life = _DIFF
    marker: Life = _MARKER
    most: tuple[int, int, int] = (10, 20, 30)

    def of(self, strategy: Strategy) -> Life:
        """Return the life of a strategy."""
        lives: dict[Strategy, Life] = {
            Strategy.BOTH: self.both,
            Strategy.DIFF: self.diff,
            Strategy.MARKER: self.marker,
        }
        return lives[strategy]


def decide(magnitude: Magnitude) -> tuple[Strategy, str]:
    """Return how an edit is shown, and why."""
    if magnitude.formatting_only:
        return Strategy.DIFF, "only the layout changed"
    if magnitude.comments_only:
        return Strategy.DIFF, "only comments changed"
    if magnitude.structure:
        return Strategy.MARKER, "the structure changed"
    if magnitude.share > LARGE:
        return Strategy.MARKER, f"{magnitude.share:.0%} of the lines changed"
    if magnitude.share < SMALL and (magnitude.functions or magnitude.types):
        return Strategy.BOTH, f"{magnitude.share:.1%} of the lines changed, in definitions"
    return Strategy.DIFF, f"{magnitude.share:.0%} of the lines changed"
