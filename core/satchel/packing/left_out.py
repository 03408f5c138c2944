"""Why items are left out of a pack: the reasons, each item with its own, and the account of all of them.

What lost in the choice has its reason from `selecting.explain_left_out`: it did not fit, or is worth less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, overload

from satchel.items import ContextItem
from satchel.paths import safe_text
from satchel.pointers import pointer_to

UNWEIGHED = "ranks below what was weighed"
"""Reason for leaving out an item that was not on the shortlist."""
USELESS = "nothing in it answers the question"
"""Reason for leaving out a weighed item before the choice, even though there is room."""
UNTOLD = "only its name would be shown"
"""Reason for leaving out a chosen item after all."""
ONLY_NAMED = "can only be named"
"""How the reason begins, instead of these two, of what cannot be shown: a huge or a binary file."""


class LeftOutItem(NamedTuple):
    """An item that a pack leaves out, and the reason."""

    item: ContextItem
    reason: str
    tokens: int = 0
    """Tokens of its cheapest option, 0 if unknown."""
    salience: float = 0.0


def describe_left_out(item: ContextItem, reason: str) -> str:
    """Return the reason for leaving out an item; of what can't be shown that it can only be named."""
    return f"{ONLY_NAMED}: {item.note}" if item.note and reason in (UNWEIGHED, USELESS) else reason


def leave_out_unweighed(item: ContextItem) -> LeftOutItem:
    """Return an item as left out that was not on the shortlist."""
    return LeftOutItem(item, UNWEIGHED)


BEST_LEFT_OUT = 200
"""Omitted items that are listed one by one; the rest are counted by folder and reason."""

Count = tuple[str, str, int]
"""A folder, a reason, and how many items of the folder were left out for it."""


class LeftOut(NamedTuple):
    """An item that is not in the bundle."""

    pointer: str
    path: str
    reason: str
    tokens: int
    """Tokens of its cheapest option, 0 if not counted."""
    salience: float


class LeftOutCounts(Sequence[Count]):
    """Counts that are computed on first use: for 28,000 files that takes as long as packing them."""

    def __init__(self, reasons: Mapping[str, int], count: Callable[[], Sequence[Count]]) -> None:
        self.reasons = reasons
        """Number of items for each reason, in all folders."""
        self.number = sum(reasons.values())
        """Number of items counted."""
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
        """Return one count or a slice."""
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


def list_left_out(
    weighed: Sequence[LeftOutItem], unweighed: Sequence[ContextItem], *, everything: bool
) -> tuple[tuple[LeftOut, ...], Sequence[Count]]:
    """Return the best items that a pack left out, or all of them, and the counts of the others.

    Args:
        weighed: what was weighed and left out, best first.
        unweighed: what was not weighed.
        everything: whether all are wanted.
    """
    if everything:
        return tuple(map(_describe_item, (*weighed, *map(leave_out_unweighed, unweighed)))), ()
    best, others = weighed[:BEST_LEFT_OUT], weighed[BEST_LEFT_OUT:]
    more = BEST_LEFT_OUT - len(best)
    reasons = Counter(one.reason for one in others)
    reasons[UNWEIGHED] += max(0, len(unweighed) - more)

    def count() -> Sequence[Count]:
        return _count_by_folder([*others, *map(leave_out_unweighed, unweighed[more:])])

    return tuple(map(_describe_item, (*best, *map(leave_out_unweighed, unweighed[:more])))), LeftOutCounts(
        +reasons, count
    )


def _describe_item(one: LeftOutItem) -> LeftOut:
    item = one.item
    told = safe_text(describe_left_out(item, one.reason))
    return LeftOut(pointer_to(item), item.path, told, one.tokens, round(one.salience, 4))


def _count_by_folder(left_out: Sequence[LeftOutItem]) -> list[Count]:
    """Count items by folder and reason."""
    counted = Counter[tuple[str, str]]()
    for reason, some in groupby(sorted(left_out, key=_reason), key=_reason):
        paths = [one.item.path or one.item.title for one in some]
        for folder, number in Counter([path.rpartition("/")[0] for path in paths]).items():
            counted[safe_text(folder) or ".", reason] += number
    return sorted((folder, reason, number) for (folder, reason), number in counted.items())


def _reason(one: LeftOutItem) -> str:
    return one.reason
