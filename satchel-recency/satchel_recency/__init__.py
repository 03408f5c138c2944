"""A scorer for satchel."""

from collections.abc import Sequence
from typing import ClassVar

import attrs
from satchel.plugin_api import Part, Task, Workspace, hookimpl


@attrs.frozen
class Recency:
    """Scores the parts whose path names a word of the task."""

    name: ClassVar[str] = "recency"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 0.3

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return one number from 0 to 1 for each part, in order."""
        words = {word for word in task.text.lower().split() if len(word) > 3}
        return [float(any(word in part.path.lower() for word in words)) for part in parts]


@hookimpl
def satchel_scorers() -> list[type[Recency]]:
    """Return what this package brings."""
    return [Recency]
