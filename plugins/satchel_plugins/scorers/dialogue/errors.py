"""Score exchanges by whether something failed in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class Errors:
    """Give an exchange 1 where a tool said that it failed."""

    name: ClassVar[str] = "errors"
    kinds: ClassVar[frozenset[str]] = frozenset({"exchange"})
    grain: ClassVar[str] = "part"
    weight: float = 0.05

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        return [1.0 if part.kind == "error" else 0.0 for part in parts]
