"""Score files by the task's words: BM25 over whole files, with the path and the defined names as fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen
class Lexical:
    """Give every part of a file the file's own score, divided by the best file's.

    Terms are identifiers split into their words; each field's score is divided by its largest
    before the fields are added.
    """

    name: ClassVar[str] = "lexical"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0
    body: float = 1.0
    path: float = 0.4
    names: float = 0.4

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        ranking = workspace.ranking(task)
        scores = {
            path: self.body * ranking.body.get(path, 0.0)
            + self.path * ranking.path.get(path, 0.0)
            + self.names * ranking.name.get(path, 0.0)
            for path in {part.path for part in parts}
        }
        best = max(scores.values(), default=0.0) or 1.0
        return [scores[part.path] / best for part in parts]
