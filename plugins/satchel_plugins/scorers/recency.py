"""Score files by how recently they changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class Recency:
    """Halve the score every 60 days of age, counted from the newest commit and not from the clock."""

    name: ClassVar[str] = "recency"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "item"
    steady: ClassVar[frozenset[str]] = frozenset()
    weight: float = 0.66

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        scores = workspace.recency()
        return [scores.get(part.path, 0.0) for part in parts]
