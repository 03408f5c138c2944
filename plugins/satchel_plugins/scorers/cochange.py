"""Score files by how often past commits changed them together with the files that fit the task best."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace
    from satchel.workspace import Commit

_WORD_FACTORS = (1.0, 0.3, 0.3)
"""Of words in the file, in its path, in its names: as the files are ranked."""


@attrs.frozen(eq=False, repr=False)
class Cochange:
    """Score what changed together with the best files, by cosine, a large commit counting for less.

    Once together in a large commit is chance; a file that changes with everything says nothing.
    """

    name: ClassVar[str] = "cochange"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "item"
    steady: ClassVar[frozenset[str]] = frozenset({"ranking"})
    weight: float = 0.57
    seeds: int = 5
    """Files that fit the task best; what the task names counts beside them."""
    largest: int = 30
    """Commits of more files are not looked at."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part, all 0 without a history."""
        scores = self._together(self._seeds(task, workspace), workspace) if parts else {}
        return [scores.get(part.path, 0.0) for part in parts]

    def _seeds(self, task: Task, workspace: Workspace) -> dict[str, float]:
        ranking = workspace.ranking(task)
        scores: dict[str, float] = {}
        for factor, field in zip(_WORD_FACTORS, (ranking.body, ranking.path, ranking.name), strict=True):
            for path, value in field.items():
                scores[path] = scores.get(path, 0.0) + factor * value
        named = {ref.path for ref in (*task.references, *task.open_files) if ref.path}
        best = sorted(scores, key=lambda path: (-scores[path], path))[: self.seeds]
        largest = max(scores.values(), default=0.0) or 1.0
        return {path: scores[path] / largest for path in best} | dict.fromkeys(named, 1.0)

    def _together(self, seeds: Mapping[str, float], workspace: Workspace) -> dict[str, float]:
        """Return for each file the sum over seeds of seed weight times cosine, divided by the largest."""
        given = (self.largest, workspace.history())
        commits, touched = workspace.kept.again("cochange", given, lambda: _small(*given))
        shared: dict[tuple[str, str], float] = {}
        for paths in commits:
            worth = 1 / math.log2(1 + len(paths))
            for seed in seeds.keys() & set(paths):
                for path in paths:
                    if path != seed:
                        shared[seed, path] = shared.get((seed, path), 0.0) + worth
        scores: dict[str, float] = {}
        for (seed, path), weight in sorted(shared.items()):
            cosine = weight / math.sqrt((1 + touched[seed]) * (1 + touched[path]))
            scores[path] = scores.get(path, 0.0) + seeds[seed] * cosine
        largest = max(scores.values(), default=0.0) or 1.0
        return {path: score / largest for path, score in scores.items()}


def _small(largest: int, history: Sequence[Commit]) -> tuple[Sequence[Sequence[str]], Mapping[str, int]]:
    """Return the paths of each commit that is not too large, and how many of these touched each path."""
    commits = [commit.paths for commit in history if 0 < len(commit.paths) <= largest]
    return commits, Counter(chain.from_iterable(commits))
