"""The terms of words and texts, and the places of terms in the parts of a file."""

from __future__ import annotations

import functools
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, KeysView, Mapping, Sequence
from itertools import accumulate, chain, filterfalse, repeat
from typing import NamedTuple

from satchel.workspace.index.terms import LONGEST_WORD, SHORTEST_WORD, WORD, runs_of, split_words

_DIGITS = "0123456789"
_MOST_KNOWN = 200_000
"""Words that are cached; beyond that the vocabulary starts afresh."""
_HEADER = 5
"""Bytes before the names in what `pack` writes: the kind of its numbers, and how long the names are."""


class Terms(dict[str, Sequence[str]]):
    """The folded terms of words."""

    def __init__(self) -> None:
        super().__init__()
        self.joined = _Joined(self)

    def join_terms(self, words: Iterable[str]) -> str:
        """Return the terms of words in their order, each followed by a blank."""
        return "".join(map(self.joined.__getitem__, words))


class _Joined(dict[str, str]):
    """The terms of a word, each followed by a blank, joined on first use."""

    def __init__(self, terms: Mapping[str, Sequence[str]]) -> None:
        super().__init__()
        self._terms = terms

    def __missing__(self, word: str) -> str:
        self[word] = joined = "".join([f"{term} " for term in self._terms[word]])
        return joined


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


class TermCounts(NamedTuple):
    """The terms of texts and how often each text, numbered in order, holds them."""

    places: dict[str, list[int]]
    """By term, the texts that hold it with its counts: text, count, text, count, ..."""
    lengths: tuple[int, ...]
    """Terms in each text."""


def place_terms(texts: Sequence[Iterable[str]], terms: Mapping[str, Sequence[str]]) -> TermCounts:
    """Return which texts hold each term, given the words of each text in order."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    lengths: list[int] = []
    for number, words in enumerate(texts):
        held = Counter(chain.from_iterable(map(terms.__getitem__, words)))
        lengths.append(held.total())
        rows = map(places.__getitem__, held)
        deque(map(list.extend, rows, zip(repeat(number), held.values(), strict=False)), maxlen=0)
    return TermCounts(dict(places), tuple(lengths))


class TermPlaces(Mapping[str, Sequence[int]]):
    """The places that `place_terms` returns, read lazily, row by row."""

    def __init__(self, packed: bytes) -> None:
        self.packed = packed

    @functools.cached_property
    def _rows(self) -> dict[str, int]:
        """The number of each term's row."""
        begin = self._numbers_begin
        if begin > len(self.packed):
            raise ValueError("the terms are cut short")
        listed = self.packed[_HEADER:begin].decode().split(" ") if begin < len(self.packed) else []
        return dict(zip(listed, range(len(listed)), strict=True))

    @functools.cached_property
    def _numbers(self) -> tuple[array[int], list[int]]:
        """The numbers of all rows, and where each row begins and the last one ends."""
        numbers = array(self.packed[:1].decode(), self.packed[self._numbers_begin :])
        rows = len(self._rows)
        return numbers, list(accumulate(numbers[:rows], initial=rows))

    @property
    def _numbers_begin(self) -> int:
        return _HEADER + int.from_bytes(self.packed[1:_HEADER], "little")

    def __getitem__(self, term: str) -> list[int]:
        """Return the row of a term."""
        row = self._rows[term]
        numbers, begins = self._numbers
        return numbers[begins[row] : begins[row + 1]].tolist()

    def rows_of(self, terms: Iterable[str]) -> list[tuple[str, list[int]]]:
        """Return the rows of the terms that any text holds, in the order of the terms."""
        rows, (numbers, begins) = self._rows, self._numbers
        return [
            (term, numbers[begins[row] : begins[row + 1]].tolist())
            for term in terms
            if (row := rows.get(term)) is not None
        ]

    def counts_of(self, texts: Collection[int]) -> Iterator[tuple[str, int, int]]:
        """Yield each term of some texts with the text and its count there, in the order of the terms."""
        terms, (numbers, begins) = list(self._rows), self._numbers
        held, counts = numbers[len(terms) :: 2], numbers[len(terms) + 1 :: 2]
        for place in [place for place, text in enumerate(held) if text in texts]:
            row = bisect_right(begins, len(terms) + 2 * place) - 1
            yield terms[row], held[place], counts[place]

    def __contains__(self, term: object) -> bool:
        """Tell whether any text holds the term."""
        return term in self._rows

    def __iter__(self) -> Iterator[str]:
        """Yield the terms."""
        return iter(self._rows)

    def __len__(self) -> int:
        """Return the number of terms."""
        return len(self._rows)

    def keys(self) -> KeysView[str]:
        """Return the terms."""
        return self._rows.keys()


def rows_of(places: Mapping[str, Sequence[int]], terms: Iterable[str]) -> list[tuple[str, Sequence[int]]]:
    """Return the rows of the terms that any text holds, in the order of the terms."""
    if isinstance(places, TermPlaces):
        return [*places.rows_of(terms)]
    return [(term, places[term]) for term in terms if term in places]


def counts_of(places: Mapping[str, Sequence[int]], texts: Collection[int]) -> Iterator[tuple[str, int, int]]:
    """Yield each term of some texts with the text and its count there, in the order of the terms."""
    if isinstance(places, TermPlaces):
        return places.counts_of(texts)
    rows = ((term, zip(row[::2], row[1::2], strict=True)) for term, row in places.items())
    return ((term, text, count) for term, row in rows for text, count in row if text in texts)


def pack(places: Mapping[str, Sequence[int]]) -> bytes:
    """Write places for `TermPlaces` to read on the same machine, with two bytes per number if they fit."""
    names = " ".join(places).encode()
    numbers = [*map(len, places.values()), *chain.from_iterable(places.values())]
    kind = "H" if max(numbers, default=0) < 1 << 16 else "I"
    size = len(names).to_bytes(_HEADER - 1, "little")
    return b"".join([kind.encode(), size, names, array(kind, numbers).tobytes()])
