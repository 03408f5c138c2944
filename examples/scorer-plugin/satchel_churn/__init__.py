"""A scorer for satchel: files that change often matter more."""

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import attrs
from satchel.plugin_api import Part, Task, Workspace, hookimpl


@attrs.frozen
class Churn:
    name: ClassVar[str] = "churn"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 0.3

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        changes = Counter(path for commit in workspace.history() for path in commit.paths)
        most = max(changes.values(), default=1)
        return [changes[part.path] / most for part in parts]


@hookimpl
def satchel_scorers() -> list[type[Churn]]:
    return [Churn]
