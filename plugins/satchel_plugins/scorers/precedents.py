"""Score parts by the words of the code that past commits with similar messages changed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel.workspace.ranking import rank_parts
from satchel.workspace.terms import STOP, inverse_document_frequency
from satchel_plugins.providers.files import role_of

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace
    from satchel.workspace import Commit

_LEAST_LETTERS = 3
_MOST_WEIGHED = 300
"""Words whose rarity is looked up: those that make up most of the changes."""


@attrs.frozen(eq=False, repr=False)
class Precedents:
    """Ask with the words that similar commits wrote and took away, by BM25 (Robertson).

    People tell of a change in other words than the code has; a repository's history translates. A word
    counts by its share of each commit's changed lines, by the commit's likeness and by its own rarity.
    """

    name: ClassVar[str] = "precedents"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "part"
    steady: ClassVar[frozenset[str]] = frozenset()
    weight: float = 0.44
    commits: int = 10
    """Commits that words are taken from."""
    words: int = 40
    """Words that are asked for."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part, all 0 without a history."""
        similar = workspace.similar(task)[: self.commits]
        query = self._query(_shares(similar, workspace), parts, workspace)
        if not query:
            return [0.0] * len(parts)
        counted = workspace.term_counts(parts, list(query))
        return rank_parts(query, counted, workspace.lengths(parts), saturation=1.2, length=0.6)

    def _query(
        self, shares: Mapping[str, float], parts: Sequence[Part], workspace: Workspace
    ) -> dict[str, float]:
        """Return the words that say most about the changes, with their weights, 1 for the best."""
        largest = sorted(shares, key=lambda term: (-shares[term], term))[:_MOST_WEIGHED]
        items = {part.item for part in parts}
        weights = {
            term: shares[term] * inverse_document_frequency(len(items), held)
            for term, held in workspace.holders(largest, items).items()
            if held
        }
        best = sorted(weights, key=lambda term: (-weights[term], term))[: self.words]
        return {term: weights[term] / weights[best[0]] for term in best}


def _shares(similar: Sequence[tuple[float, Commit]], workspace: Workspace) -> dict[str, float]:
    """Return how much of the changes each word makes up, each commit's by its likeness and its size."""
    changed = workspace.changed_words([_code_of(commit) for _, commit in similar])
    shares: dict[str, float] = {}
    for likeness, commit in similar:
        counts = changed.get(commit.sha, {})
        worth = likeness**2 / (1 + math.log(len(commit.paths))) / max(counts.get("", 0), 1)
        for term, count in counts.items():
            if len(term) >= _LEAST_LETTERS and term not in STOP:
                shares[term] = shares.get(term, 0.0) + worth * count
    return shares


def _code_of(commit: Commit) -> Commit:
    return commit._replace(paths=tuple(path for path in commit.paths if role_of(path) == "code"))
