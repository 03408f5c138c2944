"""The strategy that looks at recency alone: what the task says plays no part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

import attrs

from satchel import Candidate, Selection
from satchel_plugins.packers.choosing import choose


@attrs.frozen(eq=False, repr=False)
class Recent:
    """Keep what is newest, whatever it says."""

    name: ClassVar[str] = "recent"
    weights: ClassVar[Mapping[str, float]] = MappingProxyType({"recency": 1.0, "*": 0.0})

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        """Choose by worth per token; raise BudgetError where the pins cost more than `budget` tokens."""
        return choose(candidates, budget)
