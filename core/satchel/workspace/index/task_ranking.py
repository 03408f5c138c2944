"""Rank files and parts by the words of a task, each once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from satchel.questions import read_question
from satchel.stems import inflect
from satchel.workspace.index.bm25 import rank_parts
from satchel.workspace.index.documents import Index
from satchel.workspace.index.memo import Memo
from satchel.workspace.index.ranking import Meaning, Ranking, rank
from satchel.workspace.index.statistics import TermStatistics
from satchel.workspace.index.terms import fold, query_terms

if TYPE_CHECKING:
    from satchel.items import Task
    from satchel.parts import Part

_SHORT_LIST = 400
"""Query terms that are looked up: those with the largest weights."""


class TaskRanking:
    """Ranks files and parts by the words that a task has in common with them."""

    def __init__(self, index: Index, terms: TermStatistics, memo: Memo) -> None:
        self._index = index
        self._terms = terms
        self._memo = memo

    def query(self, task: Task) -> Mapping[str, float]:
        """Return the task's terms with their weights."""

        def weigh() -> Mapping[str, float]:
            terms = query_terms(_strip_task(task.text))
            heaviest = sorted(terms, key=lambda term: (-terms[term], term))[:_SHORT_LIST]
            return MappingProxyType({term: terms[term] for term in heaviest})  # shared by all callers

        return self._memo.again("query", task.text, weigh)

    def files(self, task: Task) -> Ranking:
        """Score all files for the task by the words in them, in their paths and in their names.

        For a question, the words that its answer may use count too.
        """

        def score() -> Ranking:
            query, meanings = _add_question_terms(self.query(task), task.text)
            return rank(self._index, query, meanings)

        return self._memo.again("ranking", (task.text, self._index.documents), score)

    def parts(
        self, task: Task, parts: Sequence[Part], *, saturation: float = 1.2, length: float = 0.6
    ) -> Sequence[float]:
        """Score parts by the task's words in them, by BM25 with k1 and b: 0..1, the best 1."""

        def score() -> Sequence[float]:
            query = self.query(task)
            counts, lengths = self._terms.term_counts(parts, list(query)), self._terms.lengths(parts)
            return rank_parts(query, counts, lengths, saturation=saturation, length=length)

        return self._memo.again("parts", (saturation, length, task.text, tuple(parts)), score)


def _add_question_terms(
    query: Mapping[str, float], text: str
) -> tuple[Mapping[str, float], Mapping[str, Meaning]]:
    """Return a query with the words that the answer to a question may use, and what each of these stands for.

    Other tasks have only their own words.
    """
    question = read_question(text)
    if not question.terms:
        return query, {}
    terms, meanings = dict(query), {}
    for one, weight in question.terms.items():
        for word in map(fold, inflect(one)):
            before = terms.get(word, 0.0)
            terms[word] = max(before, weight)
            if word not in meanings or weight > before:
                meanings[word] = Meaning(question.groups.get(one, one), one)
    return terms, meanings


def _strip_task(text: str) -> str:
    """Return a task without the boilerplate of a report form; a single line has none."""
    if "\n" not in text:
        return text
    from satchel.references.boilerplate import strip_boilerplate

    return strip_boilerplate(text)
