"""The terms of words and texts, and the places of terms in the parts of a file."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, filterfalse, repeat

from satchel.workspace.index.terms import LONGEST_WORD, SHORTEST_WORD, WORD, runs_of, split_words

_DIGITS = "0123456789"
_MOST_KNOWN = 200_000
"""Words that are cached; beyond that the vocabulary starts afresh."""


class Terms(dict[str, Sequence[str]]):
    """The folded terms of words."""

    def join_terms(self, words: Iterable[str]) -> str:
        """Return the terms of words in their order, each followed by a blank."""
        return "".join([f"{term} " for word in words for term in self[word]])


class Vocabulary:
    """Caches the folded terms of words, because most words occur in many texts."""

    def __init__(self, most: int = _MOST_KNOWN) -> None:
        self._terms = Terms()
        self._most = most

    def knowing(self, words: Sequence[Iterable[str]]) -> Terms:
        """Return the cached terms, with those of these words; new words are split together."""
        known = self._terms
        fresh = set(filterfalse(known.__contains__, chain.from_iterable(words)))
        if len(known) + len(fresh) > self._most:
            known, fresh = Terms(), set().union(*words)  # not cleared: another thread may still use the old
        if fresh:
            _learn(known, fresh)
        self._terms = known
        return known


def _learn(known: Terms, fresh: Iterable[str]) -> None:
    """Split words that are new."""
    counted = {word: _trim_word(word) for word in fresh}
    held = {word: counts for word, counts in counted.items() if counts}
    known.update(dict.fromkeys(counted, ()))
    known.update(zip(held, split_words(held.values()), strict=True))


@functools.cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary of this process."""
    return Vocabulary()


def words_in(text: str) -> list[str]:
    """Return the words of a text, possibly with runs that have no terms, such as numbers."""
    return runs_of(text) if text.isascii() else WORD.findall(text)


def _trim_word(word: str) -> str:
    """Return the word in a run of letters, digits and "_", "" if there is none."""
    stripped = word.lstrip(_DIGITS)
    return stripped if SHORTEST_WORD <= len(stripped) <= LONGEST_WORD else ""


def place_terms(
    texts: Sequence[Iterable[str]], terms: Mapping[str, Sequence[str]]
) -> tuple[dict[str, list[int]], tuple[int, ...]]:
    """Return which texts hold each term, given the words of each text in order, and the terms in each text.

    Of a term these are the numbers of the texts, each with its count: text, count, text, count, ...
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    lengths: list[int] = []
    for number, words in enumerate(texts):
        held = Counter(chain.from_iterable(map(terms.__getitem__, words)))
        lengths.append(held.total())
        rows = map(places.__getitem__, held)
        deque(map(list.extend, rows, zip(repeat(number), held.values(), strict=False)), maxlen=0)
    return dict(places), tuple(lengths)
