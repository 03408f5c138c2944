"""Score exchanges by who speaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class Role:
    """Give a user's word 1, the model's own a half, calls and results a little less."""

    name: ClassVar[str] = "role"
    kinds: ClassVar[frozenset[str]] = frozenset({"exchange"})
    grain: ClassVar[str] = "part"
    weight: float = 0.01

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        known = {"user": 1.0, "system": 1.0, "assistant": 0.5, "error": 0.5}
        return [known.get(part.kind, 0.4) for part in parts]
