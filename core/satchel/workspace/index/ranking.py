"""Rank the files of a workspace for a query or a task: BM25 over bodies, plus the fields path and name."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from satchel.patterns import lazily
from satchel.questions import read_question
from satchel.questions.languages import is_in_english
from satchel.questions.orders import strip_places
from satchel.questions.words import is_common_word
from satchel.spelling import nearest
from satchel.stems import inflect, stem
from satchel.workspace.index.documents import BODY, NAME, PATH, Document, Index
from satchel.workspace.index.store import Memo
from satchel.workspace.index.terms import (
    TermStatistics,
    count_terms,
    find_compound_names,
    fold,
    inverse_document_frequency,
    normalize,
    query_terms,
)

if TYPE_CHECKING:
    from satchel.items import Task
    from satchel.parts import Part


class Bm25(NamedTuple):
    """The formula with its two parameters; a term's worth is its weight times its rarity."""

    saturation: float = 1.2
    """k1: how soon repetitions of a term stop counting."""
    length: float = 0.75
    """b: how much longer texts are penalized."""

    def damping(self, length: float) -> float:
        """Return the damping of counts in a text; its length is relative to the average."""
        return self.saturation * (1 - self.length + self.length * length)

    def saturate(self, count: float, damping: float) -> float:
        """Return the worth of a count, at most 1 + k1 times a term's worth."""
        return (self.saturation + 1) * count / (count + damping)

    def score(
        self,
        worths: Mapping[str, float],
        counts: Iterable[Mapping[str, int]],
        lengths: Sequence[int],
        *,
        average: float = 0.0,
    ) -> list[float]:
        """Score texts.

        Args:
            worths: of the terms.
            counts: for each text, how often it holds each of the terms.
            lengths: terms of each text.
            average: of all lengths; that of these by default.
        """
        average = average or mean_length(lengths)
        scores, most = [], self.saturation + 1
        for held, length in zip(counts, lengths, strict=True):
            if not held:  # as most texts of a pack
                scores.append(0.0)
                continue
            damping = self.damping(length / average)
            scores.append(
                sum([worths[term] * (most * count / (count + damping)) for term, count in held.items()])
            )  # as `saturate` does, without a call for each
        return scores

    def score_postings(
        self,
        postings: Iterable[tuple[float, Mapping[int, int]]],
        lengths: Mapping[int, int] | Sequence[int],
        average: float,
    ) -> dict[int, float]:
        """Score texts by number, from terms' worths and counts; texts without any term are left out."""
        dampings: dict[int, float] = {}
        scores: dict[int, float] = {}
        for worth, counts in postings:
            for number in counts.keys() - dampings.keys():
                dampings[number] = self.damping(lengths[number] / average)
            most = worth * (self.saturation + 1)
            for number, count in counts.items():
                scores[number] = scores.get(number, 0.0) + most * count / (count + dampings[number])
        return scores


def mean_length(lengths: Sequence[int]) -> float:
    """Return the mean length, 1 if there is none."""
    return sum(lengths) / max(len(lengths), 1) or 1.0


def score_parts(
    query: Mapping[str, float],
    counts: Sequence[Mapping[str, int]],
    lengths: Sequence[int],
    *,
    saturation: float,
    length: float,
) -> list[float]:
    """Score parts by Robertson's BM25; a term is rare if few parts hold it.

    Args:
        query: term -> weight.
        counts: for each part, how often it holds each term of the query.
        lengths: terms of each part.
        saturation: k1.
        length: b, how much longer parts are penalized.
    """
    worths = {
        term: query[term] * inverse_document_frequency(len(counts), held)
        for term, held in Counter(chain.from_iterable(counts)).items()
    }
    return Bm25(saturation, length).score(worths, counts, lengths)


def rank_parts(
    query: Mapping[str, float],
    counts: Sequence[Mapping[str, int]],
    lengths: Sequence[int],
    *,
    saturation: float,
    length: float,
) -> list[float]:
    """Score parts as `score_parts` does, scaled to a maximum of 1."""
    raw = score_parts(query, counts, lengths, saturation=saturation, length=length)
    best = max(raw, default=0.0) or 1.0
    return [value / best for value in raw]


_COMMON = 0.5
"""A term in more than this share of the files is not distinctive; its postings in bodies are skipped."""
_SMALL = 20
"""In a workspace of so many files no term is skipped."""


class Ranking(NamedTuple):
    """Scores by path, each field scaled to a maximum of 1."""

    body: Mapping[str, float]
    path: Mapping[str, float]
    name: Mapping[str, float]
    rarity: Mapping[str, float]
    """Inverse document frequency of each query term in bodies; terms that no file holds are absent."""
    scale: float = 1.0
    """The best body score before scaling."""
    average: float = 1.0
    """Words in a file on average."""


class Meaning(NamedTuple):
    """The meaning of a term in a query."""

    word: str
    """The word of the task for the term: of a word and its synonyms only the best match counts."""
    stem: str
    """Terms with one stem are forms of one word: their counts are added."""


def rank(index: Index, query: Mapping[str, float], meanings: Mapping[str, Meaning] | None = None) -> Ranking:
    """Score every document that holds a term of the query in any field.

    With `meanings`, terms with one meaning count once, and none is rarer than the task's word: a synonym is
    not more distinctive.
    """
    known, readable, words = index.numbered
    average = words / max(readable, 1) or 1.0
    body, rarity = _score_bodies(index, query, known, readable or 1, average, meanings or {})
    path, name = (_weigh_field(index, query, field, known, meanings or {}) for field in (PATH, NAME))
    return Ranking(
        body=normalize({known[id_].path: score for id_, score in body.items()}),
        path=normalize(path),
        name=normalize(name),
        rarity=rarity,
        scale=max(body.values(), default=0.0) or 1.0,
        average=average,
    )


class _Word(NamedTuple):
    """A word of a query in all its forms."""

    weight: float
    counts: Mapping[int, int]
    """Number of occurrences by document number."""


def _score_bodies(
    index: Index,
    query: Mapping[str, float],
    known: Mapping[int, Document],
    documents: int,
    average: float,
    meanings: Mapping[str, Meaning],
) -> tuple[dict[int, float], dict[str, float]]:
    """Return the scores of documents by number, and the rarity of the terms; `documents` have any word."""
    rarity: dict[str, float] = {}
    postings: list[tuple[float, Mapping[int, int]]] = []
    groups: dict[str, dict[str, _Word]] = {}
    most = documents if documents <= _SMALL else _COMMON * documents
    held = index.postings_of(query, BODY)
    for term, weight in query.items():
        counts = held[term]
        if not counts.keys() <= known.keys():
            counts = {id_: count for id_, count in counts.items() if id_ in known}
        if not counts:
            continue
        rarity[term] = inverse_document_frequency(documents, len(counts))
        meaning = meanings.get(term)
        if meaning is not None:
            _add_form(groups.setdefault(meaning.word, {}), meaning.stem, weight, counts)
        elif len(counts) <= most:
            postings.append((rarity[term] * weight, counts))
    words = [_weigh_words(name, forms, documents, most) for name, forms in groups.items()]
    lengths = {id_: known[id_].length for rows in (postings, *words) for _, counts in rows for id_ in counts}
    formula = Bm25()
    scores = formula.score_postings(postings, lengths, average)
    for each in words:
        _add_best(scores, (formula.score_postings([word], lengths, average) for word in each))
    return scores, rarity


def _add_best(scores: dict[int, float], rows: Iterable[Mapping[int, float]]) -> None:
    """Add the best score of each document among a word and its synonyms."""
    best: dict[int, float] = {}
    for row in rows:
        for id_, score in row.items():
            best[id_] = max(best.get(id_, 0.0), score)
    for id_, score in best.items():
        scores[id_] = scores.get(id_, 0.0) + score


def _add_form(forms: dict[str, _Word], stem: str, weight: float, counts: Mapping[int, int]) -> None:
    """Add the counts of one form of a word to those of its other forms."""
    before = forms.get(stem)
    if before is None:
        forms[stem] = _Word(weight, counts)
        return
    merged = dict(before.counts)
    for id_, count in counts.items():
        merged[id_] = merged.get(id_, 0) + count
    forms[stem] = _Word(max(weight, before.weight), merged)


def _weigh_words(
    name: str, forms: Mapping[str, _Word], documents: int, most: float = math.inf
) -> list[tuple[float, Mapping[int, int]]]:
    """Return the worths of a word and of its synonyms, without words in too many documents."""
    rarities = {stem: inverse_document_frequency(documents, len(word.counts)) for stem, word in forms.items()}
    rarest = rarities.get(name, math.inf)
    return [
        (word.weight * min(rarities[stem], rarest), word.counts)
        for stem, word in forms.items()
        if len(word.counts) <= most
    ]


def _weigh_field(
    index: Index,
    query: Mapping[str, float],
    field: str,
    known: Mapping[int, Document],
    meanings: Mapping[str, Meaning],
) -> dict[str, float]:
    """Sum the weights of the query terms that a field holds, each by its rarity there."""
    scores: dict[int, float] = {}
    groups: dict[str, dict[str, _Word]] = {}
    held = index.postings_of(query, field)
    for term, weight in query.items():
        holding = dict.fromkeys((id_ for id_ in held[term] if id_ in known), 1)
        if not holding:
            continue
        meaning = meanings.get(term)
        if meaning is not None:
            _add_form(groups.setdefault(meaning.word, {}), meaning.stem, weight, holding)
            continue
        worth = weight * inverse_document_frequency(len(known), len(holding))
        _add_best(scores, [dict.fromkeys(holding, worth)])
    for name, forms in groups.items():
        words = _weigh_words(name, forms, len(known))
        _add_best(scores, (dict.fromkeys(counts, worth) for worth, counts in words))
    paths = {known[id_].path: score for id_, score in scores.items()}
    return {path: score / math.sqrt(1 + path.count("/") * 0.1) for path, score in paths.items()}


_SHORT_LIST = 400
"""Most query terms that are looked up: the heaviest."""
_MOST_MENDED = 30
"""Most terms of a task that is checked for misspelled words: longer ones hold pasted text."""
_LEAST_SPELLED, _LEAST_DOUBLED = 5, 3
"""Fewest letters of a word that may be misspelled, and of one that may lack a doubled letter."""
_SPELLED_ALIKE = frozenset((frozenset("cs"), frozenset("sz"), frozenset("iy")))
"""Letters that are written for each other."""
_FORMING = frozenset("denrsty")
"""Last letters that form another word."""
_LONG_WORD = 8
"""Letters from which one wrong letter makes no other word."""
_LIKENESS = 0.83
"""Ratio from which spellings are nearly alike."""
_MENDED = 0.8
"""Weight of a known word, relative to 1 for the unknown one that is spelled nearly like it."""
_LEAST_JOINED, _LEAST_PIECE, _MOST_JOINED = 6, 2, 100
"""Letters of a word that code may write as two, of each part; and most names that it may begin."""
_LEAST_PART = 3
"""Fewest letters of each part if the name is not in a path."""
_BEGINNING = 0.8
"""Weight of a name that begins with a word of the task or holds it, relative to 1 for the word."""


class TaskRanking:
    """Ranks files and parts by the words that they share with a task."""

    def __init__(self, index: Index, terms: TermStatistics, memo: Memo) -> None:
        self._index = index
        self._terms = terms
        self._memo = memo

    def query(self, task: Task) -> Mapping[str, float]:
        """Return the task's terms with their weights, and the known ones nearest to misspelled ones."""

        def weigh() -> Mapping[str, float]:
            terms = query_terms(_strip_task(task.text))
            heaviest = sorted(terms, key=lambda term: (-terms[term], term))[:_SHORT_LIST]
            mended = {
                near: _MENDED * terms[term]
                for term, near in self.misspelled(task).items()
                if near not in terms
            }
            longer = [
                (term, name) for term in heaviest[:_MOST_MENDED] for name in self._find_names_beginning(term)
            ]
            parted = {name.lower() for name in find_compound_names(task.text)}  # their words are terms too
            longer += self._find_names_holding([one for one in heaviest[:_MOST_MENDED] if one not in parted])
            begun = {name: _BEGINNING * terms[term] for term, name in longer if name not in terms}
            return MappingProxyType(
                {**begun, **{term: terms[term] for term in heaviest}, **mended}
            )  # shared by all callers

        return self._memo.again("query", (task.text, self._index.documents), weigh)

    def _find_names_beginning(self, term: str) -> list[str]:
        """Return the names in paths that begin with a word split in two; [] if a path holds the word.

        `phpredis` is not a word of `PhpRedisConnector`, whose words are `php`, `redis` and `connector`.
        """
        if len(term) < _LEAST_JOINED or not (term.isascii() and term.isalpha()):
            return []
        if self._index.postings(term, PATH):
            return []
        cuts = [(term[:at], fold(term[at:])) for at in range(_LEAST_PIECE, len(term) - _LEAST_PIECE + 1)]
        known = self._index.known_terms({piece for cut in cuts for piece in cut})
        cuts = [cut for cut in cuts if known.issuperset(cut)]
        names = self._index.terms_between(term, term + "{") if cuts else []
        names = [name for name in names if len(name) > len(term) + 1 and name.isalpha()][:_MOST_JOINED]
        held = self._index.postings_of({*names, *chain.from_iterable(cuts)} if names else (), PATH)
        return [
            name
            for name in names
            if held[name]
            and any(held[name].keys() <= held[first].keys() & held[second].keys() for first, second in cuts)
        ]

    def _find_names_holding(self, words: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield words that no name or path has, each with a name of a definition that splits it in two.

        `noninteractive` is not a word of `RunNonInteractive`, whose words are `run`, `non` and `interactive`.
        """
        long = [word for word in words if len(word) >= _LEAST_JOINED and word.isascii() and word.isalpha()]
        named, in_paths = self._index.postings_of(long, NAME), self._index.postings_of(long, PATH)
        for word in long:
            if named[word] or in_paths[word]:
                continue
            cuts = [(word[:at], fold(word[at:])) for at in range(_LEAST_PART, len(word) - _LEAST_PART + 1)]
            held = self._index.postings_of({*chain.from_iterable(cuts)}, NAME)
            documents = set[int]().union(
                *(held[first].keys() & held[second].keys() for first, second in cuts)
            )
            names = [name for name in self._index.names_holding(word) if name.isalpha()] if documents else []
            found = self._index.postings_of(names[:_MOST_JOINED], NAME)
            yield from ((word, name) for name in found if found[name].keys() & documents)

    def misspelled(self, task: Task) -> Mapping[str, str]:
        """Return the terms of a short task that occur nowhere, each with a known one spelled nearly so.

        Words of another language and common English words do not count as misspelled.
        """

        def find() -> Mapping[str, str]:
            terms = query_terms(_strip_task(task.text))
            if len(terms) > _MOST_MENDED or not is_in_english(task.text):
                return {}
            words = [
                term for term in terms if len(term) >= _LEAST_DOUBLED and term.isascii() and term.isalpha()
            ]
            known = self._index.known_terms(words)
            found = {term: self._find_nearest(term) for term in words if term not in known}
            return MappingProxyType({term: near for term, near in found.items() if near})

        return self._memo.again("misspelled", (task.text, self._index.documents), find)

    def _find_nearest(self, term: str) -> str:
        """Return the known term spelled nearly like an unknown one from its beginning, "" for none."""
        slips = [term[:at] + letter + term[at:] for at, letter in enumerate(term)]
        slips += [term[:at] + term[at : at + 2][::-1] + term[at + 2 :] for at in range(1, len(term) - 1)]
        slipped = "" if is_common_word(term) else min(self._index.known_terms(slips), default="")
        if slipped or len(term) < _LEAST_SPELLED:
            return slipped
        is_meant = _is_same_word if is_common_word(term) else _may_be_misspelled
        near = [
            one
            for one in self._index.terms_between(term[0], chr(ord(term[0]) + 1))
            if abs(len(one) - len(term)) <= 1 and one.isalpha() and is_meant(one, term)
        ]
        return nearest(term, near, cutoff=_LIKENESS)

    def mend(self, task: Task) -> str:
        """Return a task's text with known words in place of misspelled ones."""
        mended = {term: near for term, near in self.misspelled(task).items() if stem(near) != stem(term)}
        if not mended:
            return task.text

        def mend_word(found: re.Match[str]) -> str:
            return mended.get(
                next(iter(count_terms(found[0])), ""), found[0]
            )  # the term of a plural has no s

        return re.sub(r"[A-Za-z]+", mend_word, task.text)

    def files(self, task: Task) -> Ranking:
        """Score all files for the task by the words in them, in their paths and in their names.

        For a question, the words that its answer may use count too.
        """

        def score() -> Ranking:
            query, meanings = _add_question_terms(self.query(task), self.mend(task))
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


def _may_be_misspelled(meant: str, written: str) -> bool:
    """Return whether a missing, an extra or two exchanged letters make one word of another.

    A different letter makes another word, a broker is not broken, except for letters of one sound: a licence
    is a license. So does a final letter that forms words: a cooky is not a cook.
    """
    if written[:-1] == meant and written[-1] in _FORMING:
        return stem(meant) == stem(written)
    if len(meant) != len(written) or sorted(meant) == sorted(written) or len(meant) >= _LONG_WORD:
        return True
    return _is_same_word(meant, written)


def _is_same_word(meant: str, written: str) -> bool:
    """Return whether two words are forms or spellings of one: "licence" and "license"."""
    others = {frozenset(pair) for pair in zip(meant, written, strict=False) if pair[0] != pair[1]}
    return (len(meant) == len(written) and others <= _SPELLED_ALIKE) or stem(meant) == stem(written)


def _add_question_terms(
    query: Mapping[str, float], text: str
) -> tuple[Mapping[str, float], Mapping[str, Meaning]]:
    """Return a query with the words that the answer to a question may use, and the meaning of each.

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


_ORDER = lazily(
    r"(?i)^\W*((please|can you|could you|help me( to)?|i want to|i need to)\s+)*"
    r"(write|create|generate|implement|explain|describe|show( me)?|review|check|look at|summari[sz]e)"
    r"\s+(?=\S+\s)"
)
"""An order at the beginning of a task: code that writes is not about "write a test"."""


def _strip_task(text: str) -> str:
    """Return a task without its order, and without the boilerplate of a report form."""
    text = strip_places(_ORDER.sub("", text, count=1))
    if "\n" not in text and ":" not in text and "]" not in text and "-" not in text:
        return text
    from satchel.references.tasks import strip_boilerplate

    return strip_boilerplate(text)
