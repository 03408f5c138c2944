"""Score exchanges by their place: what is newer is nearer to what comes next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class Position:
    """Let an exchange count `exp(-3 * age)`, where the oldest has the age 1 and the newest 0."""

    name: ClassVar[str] = "position"
    kinds: ClassVar[frozenset[str]] = frozenset({"exchange"})
    grain: ClassVar[str] = "part"
    weight: float = 0.03

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        last = max(1, len(parts) - 1)
        return [math.exp(-3 * (1 - at / last)) for at in range(len(parts))]
