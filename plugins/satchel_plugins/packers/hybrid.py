"""The default strategy: all scores with their configured weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

import attrs

from satchel import Candidate, Selection
from satchel_plugins.packers.choosing import choose


@attrs.frozen(eq=False, repr=False)
class Hybrid:
    """Keep what is worth most, by all scores with the weights that are configured."""

    name: ClassVar[str] = "hybrid"
    weights: ClassVar[Mapping[str, float]] = MappingProxyType({})

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        """Choose by worth per token; raise BudgetError where the pins cost more than `budget` tokens."""
        return choose(candidates, budget)
