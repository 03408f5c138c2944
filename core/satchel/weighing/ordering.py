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
_LEAST_RELEVANCE = 0.02
"""Added to what its provider says it is: tests and documents are read after the code, but in an order."""


def precedences(
    scored: Sequence[Scored], saliences: Sequence[float], chances: Chances
) -> Mapping[str, float]:
    """Return by item id how early each item stands, the larger the earlier, up to a common factor.

    `saliences` are those of the items and `chances` those of their parts, both corrected.
    """
    return {
        one.item.id: _precedence(one, salience, mine)
        for one, salience, mine in zip(scored, saliences, chances, strict=True)
    }


def _precedence(one: Scored, salience: float, chances: Sequence[float]) -> float:
    if not one.parts:
        return 0.0
    tokens = 1 + sum(part.tokens for part in one.parts)
    return float(
        salience
        * max(chances) ** BEST_POWER
        * len(one.parts) ** COUNT_POWER
        * tokens**TOKENS_POWER
        * (one.item.relevance + _LEAST_RELEVANCE)
    )
