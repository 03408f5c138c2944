"""Score exchanges by the task's words: BM25, with a share of the neighbours' scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel.workspace.terms import inverse_document_frequency

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen
class Relevance:
    """Give each exchange its BM25 score, divided by the best; an answer beside a question counts with it."""

    name: ClassVar[str] = "relevance"
    kinds: ClassVar[frozenset[str]] = frozenset({"exchange"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0
    saturation: float = 1.2
    """Robertson's k1."""
    length: float = 0.6
    """Robertson's b: how much longer exchanges are held back."""
    neighbours: float = 0.25
    """Share of the score of the exchange before and of the one after."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        query = workspace.query(task)
        lengths = workspace.lengths(parts)
        average = sum(lengths) / max(len(parts), 1) or 1.0
        counts = workspace.term_counts(parts, list(query))
        holding = Counter(chain.from_iterable(counts))
        worths = {
            term: query[term] * inverse_document_frequency(len(parts), held) * (self.saturation + 1)
            for term, held in holding.items()
        }
        own = [self._score(held, worths, size / average) for held, size in zip(counts, lengths, strict=True)]
        raw = [
            value
            + self.neighbours * ((own[at - 1] if at else 0.0) + (own[at + 1] if at + 1 < len(own) else 0.0))
            for at, value in enumerate(own)
        ]
        best = max(raw, default=0.0) or 1.0
        return [value / best for value in raw]

    def _score(self, held: Mapping[str, int], worths: Mapping[str, float], length: float) -> float:
        damping = self.saturation * (1 - self.length + self.length * length)
        return sum(worths[term] * count / (count + damping) for term, count in held.items())
