"""Score exchanges by their size: what is short costs little to keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class Size:
    """Give 1 to what is short, down to a tenth for the longest: `100 / (100 + tokens)`."""

    name: ClassVar[str] = "size"
    kinds: ClassVar[frozenset[str]] = frozenset({"exchange"})
    grain: ClassVar[str] = "part"
    weight: float = 0.01

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        return [max(0.1, 100 / (100 + max(0, part.tokens))) for part in parts]
