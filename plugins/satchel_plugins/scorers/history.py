"""Score files by past commits whose messages resemble the task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class History:
    """Let the twenty nearest commit messages vote for the files that they touched.

    Likeness is BM25; a commit that touched many files gives each of them less.
    """

    name: ClassVar[str] = "history"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "item"
    steady: ClassVar[frozenset[str]] = frozenset()
    weight: float = 0.68

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        votes = workspace.votes(task)
        return [votes.get(part.path, 0.0) for part in parts]
