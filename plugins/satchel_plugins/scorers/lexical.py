"""Score parts by the task's words: BM25 over definitions and sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel.plugin_api import Bm25, count_text_terms
from satchel_plugins.scorers.wording import emphasize, name_words, spell

if TYPE_CHECKING:
    from satchel.plugin_api import Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class Lexical:
    """Give every part of a file the file's own score, divided by the best file's.

    Terms are identifiers split into their words; each field's score is divided by its largest
    before the fields are added.
    """

    name: ClassVar[str] = "lexical"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0
    body: float = 1.0
    """Weight of the words in the file."""
    path: float = 1.0
    """Weight of the words in its path."""
    names: float = 0.1
    """Weight of the words in the names it defines."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        ranking = workspace.ranking.files(task)
        brought = self._score_brought([part for part in parts if not _is_file(part)], task, workspace)
        scores = {
            item: self.body * brought.get(item, ranking.body.get(path, 0.0))
            + self.path * ranking.path.get(path, 0.0)
            + self.names * ranking.name.get(path, 0.0)
            for item, path in {part.item: part.path for part in parts}.items()
        }
        best = max(scores.values(), default=0.0) or 1.0
        return [scores[part.item] / best for part in parts]

    def _score_brought(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> dict[str, float]:
        """Score items whose text a provider brought along, on the scale of the files' bodies."""
        ranking, query = workspace.ranking.files(task), workspace.ranking.query(task)
        terms = [term for term in query if term in ranking.rarity]
        counts: dict[str, dict[str, int]] = {part.item: {} for part in parts}
        lengths = dict.fromkeys(counts, 0)
        held = workspace.terms.term_counts(parts, terms)
        for part, found, length in zip(parts, held, workspace.terms.lengths(parts), strict=True):
            lengths[part.item] += length
            for term, count in found.items():
                counts[part.item][term] = counts[part.item].get(term, 0) + count
        worths = {term: query[term] * ranking.rarity[term] for term in terms}
        scores = Bm25().score(worths, counts.values(), [*lengths.values()], average=ranking.average)
        return {item: min(1.0, score / ranking.scale) for item, score in zip(counts, scores, strict=True)}

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Tell the words of the task in the path, or how many of them the file holds."""
        ranking, query = workspace.ranking.files(task), workspace.ranking.query(task)
        asked = [term for term in query if term in ranking.rarity]
        in_path = {term for term in count_text_terms(part.path) if len(term) > 2 and term in query}
        if in_path and ranking.path.get(part.path):
            spelled = spell(task)
            return f"has {emphasize(sorted(spelled.get(term, term) for term in in_path))} in its path"
        item = [one for one in parts if one.item == part.item]
        held = {term for found in workspace.terms.term_counts(item, asked) for term in found}
        return f"is in a file with {len(held)} of the task's {len(asked)} words" if len(held) > 1 else ""


def _is_file(part: Part) -> bool:
    return part.item == f"file:{part.path}"


@attrs.frozen(eq=False, repr=False)
class Passages:
    """Give each part its BM25 score, divided by the best part's; a term is rare that few parts hold."""

    name: ClassVar[str] = "passages"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "part"
    weight: float = 0.81
    saturation: float = 1.2
    """Robertson's k1."""
    length: float = 0.6
    """Robertson's b: how much longer parts are held back."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        return workspace.ranking.parts(task, parts, saturation=self.saturation, length=self.length)

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Tell the rarest words of the task that it holds."""
        query, rarity = workspace.ranking.query(task), workspace.ranking.files(task).rarity
        held = workspace.terms.term_counts([part], [term for term in query if term in rarity])[0]
        best = sorted(held, key=lambda term: (-query[term] * rarity[term], term))
        words = name_words(part, best, task, workspace)
        return f"holds {words}" if words else ""
