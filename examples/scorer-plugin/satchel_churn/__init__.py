"""A scorer for satchel: files that change often matter more."""

from collections import Counter

import attrs
from satchel import hookimpl


@attrs.frozen
class Churn:
    name, kinds, grain = "churn", frozenset({"file"}), "item"
    weight: float = 0.3

    def score(self, parts, task, workspace):
        changes = Counter(path for commit in workspace.history() for path in commit.paths)
        most = max(changes.values(), default=1)
        return [changes[part.path] / most for part in parts]


@hookimpl
def satchel_scorers():
    return [Churn]
