"""Score files that the task names by path, or that stand beside one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen
class Paths:
    """Give 1 to a file that the task or an editor names, and a little to its neighbours in the folder."""

    name: ClassVar[str] = "paths"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "item"
    weight: float = 0.8
    neighbour: float = 0.15

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        named = {ref.path for ref in (*task.references, *task.pins, *task.open_files) if ref.path}
        folders = {path.rpartition("/")[0] for path in named}
        return [self._score(part.path, named, folders) for part in parts]

    def _score(self, path: str, named: set[str], folders: set[str]) -> float:
        if path in named:
            return 1.0
        return self.neighbour if path.rpartition("/")[0] in folders else 0.0
