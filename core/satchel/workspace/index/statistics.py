"""Cache the term counts of parts of split items, which scorers ask for many times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter
from typing import NamedTuple, TypeVar, cast

from satchel.parts import Lines, Part, SplitItem

T = TypeVar("T")

_MOST_QUESTIONS = 40
"""Lists of terms whose counts a long-lived process caches."""
_item_of = attrgetter("item")


class _TermRun(NamedTuple):
    """Consecutive parts of one item in a scorer's input."""

    item: str
    parts: Sequence[Part]
    split: SplitItem | None
    is_whole: bool
    """Whether they are all parts of the split, in its order."""


class TermStatistics:
    """The words of parts, and what functions make of the parts of an item, until it is split anew."""

    def __init__(self) -> None:
        self._splits: dict[str, SplitItem] = {}
        self._counts: dict[tuple[str, ...], dict[str, list[Mapping[str, int]]]] = {}
        """By terms and item: how often each part holds each of the terms."""
        self._made: dict[object, dict[str, object]] = {}
        """By function and item: the function's result for all parts of the item."""
        self._held: dict[frozenset[str], dict[str, tuple[str, ...]]] = {}
        """By terms and item: which of them it holds."""
        self._of_splits: dict[tuple[str, str], tuple[SplitItem, object]] = {}
        """By item and name: the value derived from its split."""
        self._vocabulary: dict[str, dict[Lines, dict[str, int]]] = {}
        """By item and lines of a part: all its terms."""

    def __len__(self) -> int:
        return len(self._splits)

    def learn(self, item: str, split: SplitItem) -> None:
        """Remember how an item was split, so that scorers can ask for the terms of its parts."""
        if self._splits.get(item) is split:
            return
        self._splits[item] = split
        self._vocabulary.pop(item, None)
        for counted in self._counts.values():
            counted.pop(item, None)
        for made in self._made.values():
            made.pop(item, None)
        for held in self._held.values():
            held.pop(item, None)

    def last_split(self, item: str) -> SplitItem | None:
        """Return an item's latest split, None if it was not split."""
        return self._splits.get(item)

    def of_split(self, split: SplitItem, name: str, make: Callable[[SplitItem], T]) -> T:
        """Return a function's result for an item's split, made once; `name` identifies the function."""
        place = (split.parts[0].item if split.parts else "", name)
        known, made = self._of_splits.get(place, (None, None))
        if known is not split:
            made = make(split)
            self._of_splits[place] = split, made
        return cast("T", made)

    def clear(self) -> None:
        """Forget everything."""
        for known in (self._splits, self._counts, self._made, self._held, self._of_splits, self._vocabulary):
            known.clear()

    def _runs(self, parts: Sequence[Part]) -> Iterator[_TermRun]:
        for item, group in groupby(parts, _item_of):
            run = tuple(group)
            split = self._splits.get(item)
            yield _TermRun(item, run, split, split is not None and run == split.parts)

    def of_items(self, parts: Sequence[Part], make: Callable[[Sequence[Part]], T]) -> list[T]:
        """Return a function's results for the parts of each item, in the order of the items.

        `make` is a module-level function that depends on nothing but the parts. It is called once for each
        item while its parts stay the same. Its results are shared, so callers must not change them.
        """
        known = self._made.setdefault(make, {})
        made: list[T] = []
        for run in self._runs(parts):
            if not run.is_whole:
                made.append(make(run.parts))
            elif run.item in known:
                made.append(cast("T", known[run.item]))
            else:
                made.append(make(run.parts))
                known[run.item] = made[-1]
        return made

    def term_counts(self, parts: Sequence[Part], terms: Sequence[str]) -> list[Mapping[str, int]]:
        """Return for each part how often it holds each of the folded terms; absent ones are left out."""
        if len(self._counts) > _MOST_QUESTIONS:
            self._counts.clear()
        known = self._counts.setdefault(tuple(terms), {})
        counted: list[Mapping[str, int]] = []
        for run in self._runs(parts):
            if run.split is None:
                counted += [{} for _ in run.parts]
                continue
            if run.item not in known:
                known[run.item] = _counts(run.split, terms)
            counted += known[run.item] if run.is_whole else _of_lines(run, known[run.item])
        return counted

    def vocabulary(self, parts: Sequence[Part]) -> list[Mapping[str, int]]:
        """Return for each part how often it holds each of all its folded terms."""
        for run in self._runs(parts):
            known = self._vocabulary.setdefault(run.item, {})
            wanted = {part.lines for part in run.parts} - known.keys()
            if run.split is not None and wanted:
                known.update(_count_terms_of_parts(run.split, wanted))
        return [self._vocabulary[part.item].get(part.lines, {}) for part in parts]

    def holders(self, terms: Iterable[str], items: Collection[str]) -> dict[str, int]:
        """Return how many of the items, by id, hold each of the folded terms."""
        counts = dict.fromkeys(terms, 0)
        if len(self._held) > _MOST_QUESTIONS:
            self._held.clear()
        known = self._held.setdefault(frozenset(counts), {})
        mine = self._splits.keys() & items
        for item in mine - known.keys():
            known[item] = tuple(counts.keys() & self._splits[item].terms.keys())
        return counts | Counter(chain.from_iterable(map(known.__getitem__, mine)))

    def lengths(self, parts: Sequence[Part]) -> list[int]:
        """Return the number of terms in each part."""
        lengths: list[int] = []
        for run in self._runs(parts):
            if run.is_whole and run.split is not None:
                lengths += run.split.lengths
                continue
            split = run.split or SplitItem((), {}, ())
            by_lines = {part.lines: length for part, length in zip(split.parts, split.lengths, strict=True)}
            lengths += [by_lines.get(part.lines, 0) for part in run.parts]
        return lengths


def _counts(split: SplitItem, terms: Iterable[str]) -> list[Mapping[str, int]]:
    """Return for each part of a split how often it holds each of the terms."""
    counts: list[dict[str, int]] = [{} for _ in split.parts]
    stored = split.terms
    for term in terms:
        if term in stored:
            listed = stored[term]
            for at, count in zip(listed[::2], listed[1::2], strict=True):
                counts[at][term] = count
    return [*counts]


def _count_terms_of_parts(split: SplitItem, wanted: Collection[Lines]) -> dict[Lines, dict[str, int]]:
    """Return all terms of the parts with the wanted lines, and how often each part holds them."""
    found: dict[Lines, dict[str, int]] = {lines: {} for lines in wanted}
    places = {at: found[part.lines] for at, part in enumerate(split.parts) if part.lines in found}
    for term, listed in split.terms.items():
        for at in places.keys() & listed[::2]:
            places[at][term] = listed[2 * listed[::2].index(at) + 1]
    return found


def _of_lines(run: _TermRun, counts: Sequence[Mapping[str, int]]) -> list[Mapping[str, int]]:
    """Return the counts of some parts of an item, found by their lines."""
    parts = run.split.parts if run.split is not None else ()
    by_lines: Mapping[Lines, Mapping[str, int]] = {
        part.lines: held for part, held in zip(parts, counts, strict=True)
    }
    return [by_lines.get(part.lines, {}) for part in run.parts]
