from collections import Counter
from collections.abc import Sequence

import attrs
from satchel.plugin_api import Part, Scorer, Task, Workspace, hookimpl


@attrs.frozen
class Churn(Scorer):
    name, kinds, grain = "churn", frozenset({"file"}), "item"
    weight: float = 0.3

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> list[float]:
        changes = Counter(path for commit in workspace.history.commits() for path in commit.paths)
        most = max(changes.values(), default=1)
        return [changes[part.path] / most for part in parts]


@hookimpl
def satchel_scorers() -> list[type[Churn]]:
    return [Churn]
