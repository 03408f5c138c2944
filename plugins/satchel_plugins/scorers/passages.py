"""Score parts by the task's words: BM25 over definitions and sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen
class Passages:
    """Give each part its BM25 score, divided by the best part's; rarity is that of whole files."""

    name: ClassVar[str] = "passages"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "part"
    weight: float = 1.0
    saturation: float = 1.2
    """Robertson's k1."""
    length: float = 0.6
    """Robertson's b: how much longer parts are held back."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        query, rarity = workspace.query(task), workspace.ranking(task).rarity
        worths = {
            term: weight * rarity[term] * (self.saturation + 1)
            for term, weight in query.items()
            if term in rarity
        }
        lengths = workspace.lengths(parts)
        average = sum(lengths) / max(len(parts), 1) or 1.0
        counts = workspace.term_counts(parts, list(worths))
        raw = [
            self._score(held, worths, length / average) for held, length in zip(counts, lengths, strict=True)
        ]
        best = max(raw, default=0.0) or 1.0
        return [value / best for value in raw]

    def _score(self, held: dict[str, int], worths: dict[str, float], length: float) -> float:
        damping = self.saturation * (1 - self.length + self.length * length)
        return sum(worths[term] * count / (count + damping) for term, count in held.items())
