"""Choose lines under a budget: the best ones, as many as matter; a budget shows what smaller ones show."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

WHOLE_TOKENS = 1_600
"""Outputs up to here are shown whole: what cutting them could save is less than asking again costs."""
_TARGETS = ((WHOLE_TOKENS, 420), (5_000, 520), (10_000, 650), (30_000, 950), (100_000, 1_300))
"""Tokens of an output, and what it should cost at most where nothing more has to be said."""
_SHARES = ((56.0, 100.0, 100.0), (45.0, 1.4, 0.4), (30.0, 1.15, 0.32), (22.0, 0.5, 0.0), (0.0, 0.3, 0.0))
"""Least value of a line; up to how many targets it may be added; and how many beyond what ranks above 56."""


def target(tokens: int) -> float:
    """Return what an output of so many tokens should cost where nothing more has to be said."""
    if tokens <= WHOLE_TOKENS:
        return math.inf
    for (low, less), (high, more) in itertools.pairwise(_TARGETS):
        if tokens <= high:
            return less + (more - less) * (tokens - low) / (high - low)
    return float(_TARGETS[-1][1])


def order(values: Sequence[float], costs: Sequence[int], *, aim: float, frame: int) -> list[int]:
    """Return the places of the lines that may be shown, the most valuable first.

    Whether one may be shown depends on those before it, not on the budget: so what a small budget
    shows, a larger one shows too.

    Args:
        values: of each line.
        costs: in tokens, of each line.
        aim: what all should cost where nothing more has to be said; lines that matter go beyond it.
        frame: tokens that are spent already.
    """
    spent = best = float(frame)
    chosen = []
    for place in sorted(range(len(values)), key=lambda at: (-values[at], at)):
        worth = max(values[place], 0.0)
        least, share, beyond = next(step for step in _SHARES if worth >= step[0])
        if (worth > 0 or aim == math.inf) and spent + costs[place] <= max(aim * share, best + aim * beyond):
            chosen.append(place)
            spent += costs[place]
            best = spent if least == _SHARES[0][0] else best
    return chosen
