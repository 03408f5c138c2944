"""The strategy that looks at the task alone: how new something is plays no part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

import attrs

from satchel import Candidate, Selection
from satchel_plugins.packers.choosing import choose


@attrs.frozen(eq=False, repr=False)
class Relevance:
    """Keep what matters for the task, however old it is."""

    name: ClassVar[str] = "relevance"
    weights: ClassVar[Mapping[str, float]] = MappingProxyType({"recency": 0.0})

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        """Choose by worth per token; raise BudgetError where the pins cost more than `budget` tokens."""
        return choose(candidates, budget)
