"""Score exchanges by what later ones use of them: names, paths, values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class References:
    """Count the references that a later exchange has too, by the log of their number, the best being 1."""

    name: ClassVar[str] = "references"
    kinds: ClassVar[frozenset[str]] = frozenset({"exchange"})
    grain: ClassVar[str] = "part"
    weight: float = 0.03

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        later: set[str] = set()
        used: list[int] = []
        for part in reversed(parts):
            used.append(len(later.intersection(part.refs)))
            later.update(part.refs)
        most = math.log1p(max(used, default=0)) or 1.0
        return [math.log1p(count) / most for count in reversed(used)]
