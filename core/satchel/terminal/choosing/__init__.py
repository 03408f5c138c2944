"""Choose lines under a budget: the best ones, as many as matter; a budget shows what smaller ones show."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence

from satchel.terminal.choosing.novelty import Told

WHOLE_TOKENS = 1_800
"""Outputs up to here are shown whole: what cutting them could save is less than asking again costs."""
_TARGETS = ((WHOLE_TOKENS, 400), (5_000, 500), (10_000, 760), (30_000, 1_500), (100_000, 2_200))
"""Tokens of an output, and what it should cost at most where nothing more has to be said."""
_SHARES = ((56.0, 100.0, 100.0), (45.0, 1.4, 0.4), (30.0, 1.15, 0.32), (22.0, 0.85, 0.0), (0.0, 0.7, 0.0))
"""Least value of a line; up to how many targets it may be added; and how many beyond what ranks above 56."""
_KNOWN = 10.0
"""What a line loses of which all words are shown already; of half of them, a quarter."""
_NEEDED = 56.0
"""Value from which a line is shown whatever others say."""


def target(tokens: int) -> float:
    """Return what an output of so many tokens should cost where nothing more has to be said."""
    if tokens <= WHOLE_TOKENS:
        return math.inf
    for (low, less), (high, more) in itertools.pairwise(_TARGETS):
        if tokens <= high:
            return less + (more - less) * (tokens - low) / (high - low)
    return float(_TARGETS[-1][1])


def order(
    values: Sequence[float], costs: Sequence[int], *, aim: float, frame: int, texts: Sequence[str] = ()
) -> list[int]:
    """Return the places of the lines that may be shown, the most valuable first.

    Whether one may be shown depends on those before it, not on the budget: so what a small budget
    shows, a larger one shows too.

    Args:
        values: of each line.
        costs: in tokens, of each line.
        aim: what all should cost where nothing more has to be said; lines that matter go beyond it.
        frame: tokens that are spent already.
        texts: of the first lines; one that says what is shown already is worth less.
    """
    told = Told()
    spent = best = float(frame)
    chosen = []
    queue = [(-worth, place) for place, worth in enumerate(values) if worth > 0 or aim == math.inf]
    heapq.heapify(queue)
    while queue:
        worth, place = -queue[0][0], heapq.heappop(queue)[1]
        least, share, beyond = next(step for step in _SHARES if max(worth, 0.0) >= step[0])
        if spent + costs[place] > max(aim * share, best + aim * beyond):
            continue
        text = texts[place] if place < len(texts) and aim < math.inf else ""
        lowered = values[place] - _KNOWN * told.share(text) ** 2
        if lowered < worth < _NEEDED:
            if lowered > 0:
                heapq.heappush(queue, (-lowered, place))
            continue
        told.add(text)
        chosen.append(place)
        spent += costs[place]
        best = spent if least == _SHARES[0][0] else best
    return chosen
