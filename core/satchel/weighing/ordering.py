"""Ordering: which of the items that were chosen is read first.

Salience asks where the budget goes, and a large file gathers much of it by its many parts. Who reads asks for
the one file that is needed. The powers are three quarters of those of a conditional logit over files: which
of them did the fix touch? `docs/explanation/worth.md` tells how it was fitted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from satchel.scoring import Scored
from satchel.weighing.features import Chances

BEST_POWER = 0.45
"""Of the chance of the item's best part: one good part is worth more than the same in many small shares."""
COUNT_POWER = 0.6
"""Of the number of its parts, each of which has a chance that falls with that number."""
TOKENS_POWER = -0.4
"""Of its tokens: what is large shares words with every task."""
CORRECTION_POWER = 1.0
"""Of what the correction made of the chances of its parts together: its salience knows nothing of that."""
_LEAST_RELEVANCE = 0.02
"""Added to what its provider says it is: tests and documents are read after the code, but in an order."""


def precedences(scored: Sequence[Scored], told: Chances, corrected: Chances) -> Mapping[str, float]:
    """Return by item id how early each item stands, the larger the earlier, up to a common factor.

    `told` are the chances of each item's parts as the formula tells them, `corrected` those that count.
    """
    return {
        one.item.id: _precedence(one, before, after)
        for one, before, after in zip(scored, told, corrected, strict=True)
    }


def _precedence(one: Scored, told: Sequence[float], corrected: Sequence[float]) -> float:
    if not one.parts:
        return 0.0
    tokens = 1 + sum(part.tokens for part in one.parts)
    return float(
        one.salience
        * (sum(corrected) / sum(told)) ** CORRECTION_POWER
        * max(corrected) ** BEST_POWER
        * len(one.parts) ** COUNT_POWER
        * tokens**TOKENS_POWER
        * (one.item.relevance + _LEAST_RELEVANCE)
    )
