"""What is left out of a pack: the best one by one with a reason, the rest counted by folder and reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple, overload

from satchel.pointers import pointer_to
from satchel.road import Rejected, Walk, rejected_below
from satchel.workspace.paths import safe_text

BEST_LEFT_OUT = 200
"""Left-out items that are listed one by one; the rest is counted by folder and reason."""

Count = tuple[str, str, int]
"""A folder, a reason, and how many items of the folder were left out for it."""


class LeftOut(NamedTuple):
    """An item that is not in the bundle."""

    pointer: str
    path: str
    reason: str
    tokens: int
    """Of its cheapest option, 0 where it was not counted."""
    salience: float


class Counts(Sequence[Count]):
    """Counts that are made when somebody looks: of 28,000 files that takes as long as packing them."""

    def __init__(self, number: int, count: Callable[[], Sequence[Count]]) -> None:
        self.number = number
        """Items that are counted."""
        self._count = count
        self._counted: tuple[Count, ...] | None = None

    def _rows(self) -> tuple[Count, ...]:
        if self._counted is None:
            self._counted = tuple(self._count())
        return self._counted

    @overload
    def __getitem__(self, at: int) -> Count: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Count]: ...
    def __getitem__(self, at: int | slice) -> Count | Sequence[Count]:
        """Return a count, or some of them."""
        return self._rows()[at]

    def __len__(self) -> int:
        """Return the number of counts, one for each folder and reason."""
        return len(self._rows())

    def __iter__(self) -> Iterator[Count]:
        """Yield the counts by folder and reason."""
        return iter(self._rows())

    def __eq__(self, other: object) -> bool:
        """Compare with any sequence of counts."""
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        """Return the hash of the counts."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """Show the counts as a tuple."""
        return repr(tuple(self))


def left_out(walked: Walk, *, everything: bool) -> tuple[tuple[LeftOut, ...], Sequence[Count]]:
    """Return the best items that a walk left out, or all of them, and the counts of the others."""
    if everything:
        return tuple(map(_listed, walked.rejected)), ()
    best = walked.not_kept[:BEST_LEFT_OUT]
    below = walked.weighed.below
    listed = (*best, *map(rejected_below, below[: BEST_LEFT_OUT - len(best)]))
    others, told = walked.not_kept[BEST_LEFT_OUT:], len(listed) - len(best)

    def count() -> Sequence[Count]:
        return _counted([*others, *map(rejected_below, below[told:])])

    return tuple(map(_listed, listed)), Counts(len(others) + len(below) - told, count)


def _listed(rejected: Rejected) -> LeftOut:
    item, reason, tokens, salience = rejected
    return LeftOut(pointer_to(item), item.path, safe_text(reason), tokens, round(salience, 4))


def _counted(rejected: Sequence[Rejected]) -> list[Count]:
    """Count items by the folder that they stand in and by reason."""
    counted = Counter[tuple[str, str]]()
    for reason, some in groupby(sorted(rejected, key=_reason), key=_reason):
        paths = [item.path or item.title for item, *_ in some]
        for folder, number in Counter([path.rpartition("/")[0] for path in paths]).items():
            counted[safe_text(folder) or ".", reason] += number
    return sorted((folder, reason, number) for (folder, reason), number in counted.items())


def _reason(rejected: Rejected) -> str:
    return rejected[1]
