"""Cache the term counts of parts of split items, which scorers ask for many times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple, TypeVar, cast

from satchel.parts import Lines, Part, SplitItem
from satchel.workspace.index.places import counts_of, rows_of

T = TypeVar("T")

_NONE: Mapping[str, int] = MappingProxyType({})
"""The counts of a part without any term, as of most parts of a pack."""
_MOST_MADE = 60
"""Results that are kept with a split: a long-lived process is asked for many lists of terms."""


class _TermRun(NamedTuple):
    """Consecutive parts of one item in a scorer's input."""

    item: str
    parts: Sequence[Part]
    split: SplitItem | None
    is_whole: bool
    """Whether they are all parts of the split, in its order."""


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

    def _runs(self, parts: Sequence[Part]) -> Iterator[_TermRun]:
        every, start = tuple(parts), 0
        while start < len(every):
            item = every[start].item
            split = self._splits.get(item)
            end = start + len(split.parts) if split is not None else start
            is_whole = split is not None and every[start:end] == split.parts
            if not is_whole or (end < len(every) and every[end].item == item):
                is_whole, end = False, start + 1
                while end < len(every) and every[end].item == item:
                    end += 1
            yield _TermRun(item, every[start:end], split, is_whole)
            start = end

    def of_items(self, parts: Sequence[Part], make: Callable[[Sequence[Part]], T]) -> list[T]:
        """Return a function's results for the parts of each item, in the order of the items.

        `make` is a module-level function that depends on nothing but the parts. It is called once for each
        item while its parts stay the same. Its results are shared, so callers must not change them.
        """
        return [
            _again(run.split, make, lambda split: make(split.parts))
            if run.split is not None and run.is_whole
            else make(run.parts)
            for run in self._runs(parts)
        ]

    def term_counts(self, parts: Sequence[Part], terms: Sequence[str]) -> list[Mapping[str, int]]:
        """Return for each part how often it holds each of the folded terms; absent ones are left out."""
        asked = ("counts", tuple(terms))
        counted: list[Mapping[str, int]] = []
        for run in self._runs(parts):
            if run.split is None:
                counted += [{} for _ in run.parts]
                continue
            known = _again(run.split, asked, lambda split: _counts(split, terms))
            counted += known if run.is_whole else _of_lines(run, known)
        return counted

    def vocabulary(self, parts: Sequence[Part]) -> list[Mapping[str, int]]:
        """Return for each part how often it holds each of all its folded terms."""
        counted: list[Mapping[str, int]] = []
        for run in self._runs(parts):
            known: dict[Lines, dict[str, int]] = {}
            if run.split is not None:
                known = _again(run.split, "vocabulary", lambda _: {})
                wanted = {part.lines for part in run.parts} - known.keys()
                known.update(_count_terms_of_parts(run.split, wanted) if wanted else {})
            counted += [known.get(part.lines, {}) for part in run.parts]
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
        for run in self._runs(parts):
            if run.is_whole and run.split is not None:
                lengths += run.split.lengths
                continue
            split = run.split or SplitItem((), {}, ())
            by_lines = {part.lines: length for part, length in zip(split.parts, split.lengths, strict=True)}
            lengths += [by_lines.get(part.lines, 0) for part in run.parts]
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
    for term, listed in rows_of(split.terms, terms):
        for at, count in zip(listed[::2], listed[1::2], strict=True):
            counts.setdefault(at, {})[term] = count
    return [counts.get(at, _NONE) for at in range(len(split.parts))]


def _count_terms_of_parts(split: SplitItem, wanted: Collection[Lines]) -> dict[Lines, dict[str, int]]:
    """Return all terms of the parts with the wanted lines, and how often each part holds them."""
    found: dict[Lines, dict[str, int]] = {lines: {} for lines in wanted}
    places = {at: found[part.lines] for at, part in enumerate(split.parts) if part.lines in found}
    for term, at, count in counts_of(split.terms, places.keys()):
        places[at][term] = count
    return found


def _of_lines(run: _TermRun, counts: Sequence[Mapping[str, int]]) -> list[Mapping[str, int]]:
    """Return the counts of some parts of an item, found by their lines."""
    parts = run.split.parts if run.split is not None else ()
    by_lines: Mapping[Lines, Mapping[str, int]] = {
        part.lines: held for part, held in zip(parts, counts, strict=True)
    }
    return [by_lines.get(part.lines, {}) for part in run.parts]
