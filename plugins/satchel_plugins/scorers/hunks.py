"""Score parts by the lines in them that past commits with similar messages brought."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class Hunks:
    """Let the nearest commit messages vote for the parts in which their lines still stand.

    Likeness is BM25; a commit that touched many files gives each part less.
    """

    name: ClassVar[str] = "hunks"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "part"
    steady: ClassVar[frozenset[str]] = frozenset()
    weight: float = 0.28
    commits: int = 15
    """Commits whose lines are looked for."""
    enough: int = 5
    """Lines of one commit in one part beyond which more say no more."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part, all 0 without a history."""
        similar = workspace.similar(task)[: self.commits]
        lines = workspace.brought_lines([commit for _, commit in similar], {part.path for part in parts})
        votes: dict[str, list[tuple[float, Sequence[int]]]] = {}
        for likeness, commit in similar:
            for path in commit.paths:
                if found := lines.get((commit.sha, path)):
                    votes.setdefault(path, []).append((likeness**2 / math.sqrt(len(commit.paths)), found))
        raw = [
            sum(worth * self._share(part, found) for worth, found in votes.get(part.path, ()))
            for part in parts
        ]
        best = max(raw, default=0.0) or 1.0
        return [value / best for value in raw]

    def _share(self, part: Part, numbers: Sequence[int]) -> float:
        inside = bisect_right(numbers, part.lines[1]) - bisect_left(numbers, part.lines[0])
        return min(inside, self.enough) / self.enough
