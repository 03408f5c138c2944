"""Score parts by the task's words: BM25 over definitions and sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class Passages:
    """Give each part its BM25 score, divided by the best part's; a term is rare that few parts hold."""

    name: ClassVar[str] = "passages"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "part"
    steady: ClassVar[frozenset[str]] = frozenset()
    weight: float = 0.81
    saturation: float = 1.2
    """Robertson's k1."""
    length: float = 0.6
    """Robertson's b: how much longer parts are held back."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        return workspace.passages(task, parts, saturation=self.saturation, length=self.length)
