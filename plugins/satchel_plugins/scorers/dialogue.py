"""Score exchanges of a conversation: errors, position, references, relevance, role and size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import attrs

from satchel.plugin_api import score_parts

if TYPE_CHECKING:
    from satchel.plugin_api import Dialogue, Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class Errors:
    """Give 1 to an exchange in which a tool failed."""

    name, kinds, grain = "errors", frozenset({"exchange"}), "part"
    weight: float = 0.05

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        return [1.0 if part.kind == "error" else 0.0 for part in parts]


@attrs.frozen(eq=False, repr=False)
class Position:
    """Give an exchange `exp(-3 * age)`, with age 1 for the oldest and 0 for the newest."""

    name, kinds, grain = "position", frozenset({"exchange"}), "part"
    weight: float = 0.03

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        last = max(1, len(parts) - 1)
        return [math.exp(-3 * (1 - at / last)) for at in range(len(parts))]


@attrs.frozen(eq=False, repr=False)
class References:
    """Count the references that later exchanges repeat: the logarithm, divided by the largest."""

    name, kinds, grain = "references", frozenset({"exchange"}), "part"
    weight: float = 0.03

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        later: set[str] = set()
        used: list[int] = []
        for part in reversed(parts):
            used.append(len(later.intersection(part.refs)))
            later.update(part.refs)
        most = math.log1p(max(used, default=0)) or 1.0
        return [math.log1p(count) / most for count in reversed(used)]


@attrs.frozen(eq=False, repr=False)
class Relevance:
    """Give each exchange its BM25 score, divided by the best; a question and its answer count together."""

    name, kinds, grain = "relevance", frozenset({"exchange"}), "part"
    weight: float = 1.0
    saturation: float = 1.2
    """Robertson's k1."""
    length: float = 0.75
    """BM25's b: how much the score of long exchanges is reduced."""
    near: float = 0.5
    """Share of the scores of the exchanges directly before and after."""
    far: float = 0.25
    """Share of the scores of the second exchanges before and after."""
    feedback: float = 0.4
    """Weight of the best exchanges' common words, beside the task's own (Rocchio's idea)."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        dialogue = cast("Dialogue", workspace)
        query = dict(dialogue.query(task))
        raw = self._smooth(self._score_words(parts, query, dialogue))
        if self.feedback > 0 and any(raw):
            found = dialogue.related(parts, raw, query)
            query.update({term: self.feedback * weight for term, weight in found.items()})
            raw = self._smooth(self._score_words(parts, query, dialogue))
        best = max(raw, default=0.0) or 1.0
        return [value / best for value in raw]

    def _score_words(
        self, parts: Sequence[Part], query: Mapping[str, float], dialogue: Dialogue
    ) -> Sequence[float]:
        counts, lengths = dialogue.term_counts(parts, list(query)), dialogue.lengths(parts)
        return score_parts(query, counts, lengths, saturation=self.saturation, length=self.length)

    def _smooth(self, own: Sequence[float]) -> list[float]:
        """Add shares of the neighbours' scores: an answer counts with its question."""
        padded = [0.0, 0.0, *own, 0.0, 0.0]
        return [
            value + self.near * (padded[at + 1] + padded[at + 3]) + self.far * (padded[at] + padded[at + 4])
            for at, value in enumerate(own)
        ]


@attrs.frozen(eq=False, repr=False)
class Role:
    """Give 1 to a user's words, a half to the model's own, and a little less to calls and results."""

    name, kinds, grain = "role", frozenset({"exchange"}), "part"
    weight: float = 0.01

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        known = {"user": 1.0, "system": 1.0, "assistant": 0.5, "error": 0.5}
        return [known.get(part.kind, 0.4) for part in parts]


@attrs.frozen(eq=False, repr=False)
class Size:
    """Give 1 to short exchanges, down to a tenth for the longest: `100 / (100 + tokens)`."""

    name, kinds, grain = "size", frozenset({"exchange"}), "part"
    weight: float = 0.01

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        return [max(0.1, 100 / (100 + max(0, part.tokens))) for part in parts]
