"""Score parts by words, with BM25: the task's own words, and the common words of the best parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from satchel.plugin_api import STOP, Bm25, count_text_terms, inverse_document_frequency
from satchel_plugins.providers.files import role_of
from satchel_plugins.scorers.wording import emphasize, name_words, spell

if TYPE_CHECKING:
    from satchel.plugin_api import Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class Lexical:
    """Give every part of a file the file's own score, divided by the best file's.

    Terms are identifiers split into their words; each field's score is divided by its largest
    before the fields are added.
    """

    name, kinds, grain = "lexical", frozenset({"*"}), "item"
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
        """Return the words of the task in the path, or how many of them the file holds."""
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
    """Give each part its BM25 score, divided by the best part's; a term in few parts is rare."""

    name, kinds, grain = "passages", frozenset({"*"}), "part"
    weight: float = 0.81
    saturation: float = 1.2
    """Robertson's k1."""
    length: float = 0.6
    """BM25's b: how much the score of long parts is reduced."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        return workspace.ranking.parts(task, parts, saturation=self.saturation, length=self.length)

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Return the rarest words of the task that it holds."""
        query, rarity = workspace.ranking.query(task), workspace.ranking.files(task).rarity
        held = workspace.terms.term_counts([part], [term for term in query if term in rarity])[0]
        best = sorted(held, key=lambda term: (-query[term] * rarity[term], term))
        words = name_words(part, best, task, workspace)
        return f"holds {words}" if words else ""


_LEAST_LETTERS = 3
_NOT_CODE = 0.3
"""Weight of a test or a document among the maximum number of parts whose words are used."""
_LOOKED_UP = 100
"""Words whose rarity is looked up at once."""
_LENGTH = 0.6
"""Robertson's b, as for passages."""


@attrs.frozen(eq=False, repr=False)
class Feedback:
    """Ask again with the words of the best parts (pseudo relevance feedback), by BM25.

    A word's weight is its share of the best parts, each by its own score, times its rarity.
    """

    name, kinds, grain = "feedback", frozenset({"*"}), "part"
    weight: float = 0.39
    sources: int = 10
    """Maximum number of parts whose words are used."""
    of_one_file: int = 2
    """Maximum number of these parts in one file."""
    words: int = 30
    """Maximum number of words to ask with."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        best = self._best(parts, _fitness(parts, task, workspace))
        query = self._query(best, parts, task, workspace)
        if not query:
            return [0.0] * len(parts)
        counts = workspace.terms.term_counts(parts, list(query))
        raw = Bm25(length=_LENGTH).score(query, counts, workspace.terms.lengths(parts))
        largest = max(raw) or 1.0
        return [value / largest for value in raw]

    def _best(self, parts: Sequence[Part], fitness: Sequence[float]) -> dict[int, float]:
        """Return the parts that fit best, by place, with their fitness."""
        best: dict[int, float] = {}
        taken: Counter[str] = Counter()
        fitting = [at for at, value in enumerate(fitness) if value > 0]
        for at in sorted(fitting, key=lambda at: (-fitness[at], parts[at].item, parts[at].lines)):
            if len(best) == self.sources:
                break
            if taken[parts[at].item] < self.of_one_file:
                taken[parts[at].item] += 1
                best[at] = fitness[at]
        return best

    def _query(
        self, best: Mapping[int, float], parts: Sequence[Part], task: Task, workspace: Workspace
    ) -> dict[str, float]:
        """Return the words that the best parts share and the task lacks, with their weights."""
        vocabulary = workspace.terms.vocabulary([parts[at] for at in best])
        shares = _shares(list(best.values()), vocabulary, workspace.ranking.query(task))
        items = {part.item for part in parts}
        weighed = self._weigh(shares, items, workspace)
        largest = -weighed[0][0] if weighed else 1.0
        return {term: -weight / largest * rarity for weight, term, rarity in weighed if weight < 0}

    def _weigh(
        self, shares: Mapping[str, float], items: Collection[str], workspace: Workspace
    ) -> list[tuple[float, str, float]]:
        """Return minus weight, term and rarity of the heaviest words.

        No word is rarer than one in a single item: a word that weighs too little even then is not looked
        up.
        """
        rarest = inverse_document_frequency(len(items), 1)
        largest = sorted(shares, key=lambda term: (-shares[term], term))
        best: list[tuple[float, str, float]] = []
        for start in range(0, len(largest), _LOOKED_UP):
            some = largest[start : start + _LOOKED_UP]
            if best and len(best) == self.words and shares[some[0]] * rarest < -best[-1][0]:
                break
            for term, held in workspace.terms.holders(some, items).items():
                rarity = inverse_document_frequency(len(items), held)
                best.append((-(shares[term] * rarity), term, rarity))
            best = sorted(best)[: self.words]
        return best


def _shares(
    weights: Sequence[float], vocabulary: Sequence[Mapping[str, int]], asked: Collection[str]
) -> dict[str, float]:
    """Return the share of the best parts of each word that the task lacks."""
    shares: dict[str, float] = {}
    for weight, counts in zip(weights, vocabulary, strict=True):
        length = sum(counts.values()) or 1
        for term, count in counts.items():
            if len(term) >= _LEAST_LETTERS and term not in asked and term not in STOP:
                shares[term] = shares.get(term, 0.0) + weight * count / length
    return shares


def _fitness(parts: Sequence[Part], task: Task, workspace: Workspace) -> list[float]:
    """Return each part's BM25 score times the score of its file."""
    ranking = workspace.ranking.files(task)
    files = {
        path: (
            ranking.body.get(path, 0.0)
            + 0.3 * ranking.path.get(path, 0.0)
            + 0.3 * ranking.name.get(path, 0.0)
        )
        * (1.0 if role_of(path) == "code" else _NOT_CODE)
        for path in {part.path for part in parts}
    }
    passages = workspace.ranking.parts(task, parts)
    return [score * files[part.path] for part, score in zip(parts, passages, strict=True)]
