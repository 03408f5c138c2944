"""Cache the term counts of parts of split items, which scorers ask for many times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter
from types import MappingProxyType
from typing import TypeVar, cast

from satchel.parts import Lines, Part, SplitItem

T = TypeVar("T")

_NONE: Mapping[str, int] = MappingProxyType({})
"""The counts of a part without any term, as of most parts of a pack."""
_MOST_MADE = 60
"""Results that are kept with a split: a long-lived process is asked for many lists of terms."""


class TermStatistics:
    """The words of parts, and what functions make of the parts of an item, kept with its split."""

    def __init__(self) -> None:
        self._splits: dict[str, SplitItem] = {}

    def __len__(self) -> int:
        return len(self._splits)

    def learn(self, item: str, split: SplitItem) -> None:
        """Remember how an item was split, so that scorers can ask for the terms of its parts."""
        self._splits[item] = split

    def last_split(self, item: str) -> SplitItem | None:
        """Return an item's latest split, None if it was not split."""
        return self._splits.get(item)

    def of_split(self, split: SplitItem, name: str, make: Callable[[SplitItem], T]) -> T:
        """Return a function's result for an item's split, made once; `name` identifies the function."""
        return _again(split, name, make)

    def clear(self) -> None:
        """Forget everything."""
        self._splits.clear()

    def _runs(self, parts: Sequence[Part]) -> Iterator[tuple[tuple[Part, ...], SplitItem | None]]:
        """Yield the parts of each item in a row, with its split if there is one."""
        for item, run in groupby(parts, attrgetter("item")):
            yield tuple(run), self._splits.get(item)

    def of_items(self, parts: Sequence[Part], make: Callable[[Sequence[Part]], T]) -> list[T]:
        """Return a function's results for the parts of each item, in the order of the items.

        `make` is a module-level function that depends on nothing but the parts. It is called once for each
        item while its parts stay the same. Its results are shared, so callers must not change them.
        """
        return [
            _again(split, make, lambda split: make(split.parts))
            if split is not None and run == split.parts
            else make(run)
            for run, split in self._runs(parts)
        ]

    def term_counts(self, parts: Sequence[Part], terms: Sequence[str]) -> list[Mapping[str, int]]:
        """Return for each part how often it holds each of the folded terms; absent ones are left out."""
        asked = ("counts", tuple(terms))
        counted: list[Mapping[str, int]] = []
        for run, split in self._runs(parts):
            if split is None:
                counted += [{} for _ in run]
                continue
            known = _again(split, asked, lambda split: _counts(split, terms))
            counted += known if run == split.parts else _pick(run, split, known, {})
        return counted

    def vocabulary(self, parts: Sequence[Part]) -> list[Mapping[str, int]]:
        """Return for each part how often it holds each of all its folded terms."""
        counted: list[Mapping[str, int]] = []
        for run, split in self._runs(parts):
            known: dict[Lines, dict[str, int]] = {}
            if split is not None:
                known = _again(split, "vocabulary", lambda _: {})
                wanted = {part.lines for part in run} - known.keys()
                known.update(_count_terms_of_parts(split, wanted) if wanted else {})
            counted += [known.get(part.lines, {}) for part in run]
        return counted

    def holders(self, terms: Iterable[str], items: Collection[str]) -> dict[str, int]:
        """Return how many of the items, by id, hold each of the folded terms."""
        counts = dict.fromkeys(terms, 0)
        asked = ("held", frozenset(counts))
        found = (
            _again(self._splits[item], asked, lambda split: tuple(counts.keys() & split.terms.keys()))
            for item in self._splits.keys() & items
        )
        return counts | Counter(chain.from_iterable(found))

    def lengths(self, parts: Sequence[Part]) -> list[int]:
        """Return the number of terms in each part."""
        lengths: list[int] = []
        for run, split in self._runs(parts):
            if split is None:
                lengths += [0] * len(run)
            else:
                lengths += split.lengths if run == split.parts else _pick(run, split, split.lengths, 0)
        return lengths


def _again(split: SplitItem, name: object, make: Callable[[SplitItem], T]) -> T:
    """Return a function's result for a split, made once; the name identifies the function."""
    if name not in split.made:
        if len(split.made) >= _MOST_MADE:
            split.made.clear()
        split.made[name] = make(split)
    return cast("T", split.made[name])


def _counts(split: SplitItem, terms: Iterable[str]) -> list[Mapping[str, int]]:
    """Return for each part of a split how often it holds each of the terms."""
    counts: dict[int, dict[str, int]] = {}
    for term in terms:
        listed = split.terms.get(term, ())
        for at, count in zip(listed[::2], listed[1::2], strict=True):
            counts.setdefault(at, {})[term] = count
    return [counts.get(at, _NONE) for at in range(len(split.parts))]


def _count_terms_of_parts(split: SplitItem, wanted: Collection[Lines]) -> dict[Lines, dict[str, int]]:
    """Return all terms of the parts with the wanted lines, and how often each part holds them."""
    found: dict[Lines, dict[str, int]] = {lines: {} for lines in wanted}
    places = {at: found[part.lines] for at, part in enumerate(split.parts) if part.lines in found}
    for term, listed in split.terms.items():
        for at, count in zip(listed[::2], listed[1::2], strict=True):
            if at in places:
                places[at][term] = count
    return found


def _pick(parts: Sequence[Part], split: SplitItem, values: Sequence[T], otherwise: T) -> list[T]:
    """Return the values of some parts of an item, found by their lines."""
    by_lines = {part.lines: value for part, value in zip(split.parts, values, strict=True)}
    return [by_lines.get(part.lines, otherwise) for part in parts]
