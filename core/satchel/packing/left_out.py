"""Why items are left out of a pack: the reasons, each item with its own, and the account of all of them.

What lost in the choice has its reason from `selecting.explain_omissions`: it did not fit, or is worth less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, overload

from satchel.items import ContextItem
from satchel.paths import safe_text
from satchel.pointers import pointer_to

BELOW = "ranks below what was weighed"
"""Reason for omitting an item that was not on the shortlist."""
USELESS = "nothing in it answers the question"
"""Reason for omitting a weighed item before the choice, even though there is room."""
UNTOLD = "only its name would stand there"
"""Reason for omitting a chosen item after all."""
ONLY_NAMED = "can only be named"
"""How the reason begins, instead of these two, for omitting what can't be shown: a huge or a binary file."""


class Omission(NamedTuple):
    """An item that a pack leaves out, and the reason."""

    item: ContextItem
    reason: str
    tokens: int = 0
    """Tokens of its cheapest option, 0 if unknown."""
    salience: float = 0.0


def describe_omission(item: ContextItem, reason: str) -> str:
    """Return the reason for omitting an item in words; of what can't be shown that it can only be named."""
    return f"{ONLY_NAMED}: {item.note}" if item.note and reason in (BELOW, USELESS) else reason


def omit_low_rank(item: ContextItem) -> Omission:
    """Return the omission of an item that was not on the shortlist."""
    return Omission(item, BELOW)


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


class OmissionCounts(Sequence[Count]):
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


def list_omissions(
    weighed: Sequence[Omission], below: Sequence[ContextItem], *, everything: bool
) -> tuple[tuple[LeftOut, ...], Sequence[Count]]:
    """Return the best items that a pack left out, or all of them, and the counts of the others.

    Args:
        weighed: what was weighed and not kept, best first.
        below: what ranks below that.
        everything: whether all are wanted.
    """
    if everything:
        return tuple(map(_describe_item, (*weighed, *map(omit_low_rank, below)))), ()
    best, others = weighed[:BEST_LEFT_OUT], weighed[BEST_LEFT_OUT:]
    more = BEST_LEFT_OUT - len(best)
    reasons = Counter(one.reason for one in others)
    reasons[BELOW] += max(0, len(below) - more)

    def count() -> Sequence[Count]:
        return _count_by_folder([*others, *map(omit_low_rank, below[more:])])

    return tuple(map(_describe_item, (*best, *map(omit_low_rank, below[:more])))), OmissionCounts(
        +reasons, count
    )


def _describe_item(omission: Omission) -> LeftOut:
    item = omission.item
    told = safe_text(describe_omission(item, omission.reason))
    return LeftOut(pointer_to(item), item.path, told, omission.tokens, round(omission.salience, 4))


def _count_by_folder(omissions: Sequence[Omission]) -> list[Count]:
    """Count items by folder and reason."""
    counted = Counter[tuple[str, str]]()
    for reason, some in groupby(sorted(omissions, key=_reason), key=_reason):
        paths = [one.item.path or one.item.title for one in some]
        for folder, number in Counter([path.rpartition("/")[0] for path in paths]).items():
            counted[safe_text(folder) or ".", reason] += number
    return sorted((folder, reason, number) for (folder, reason), number in counted.items())


def _reason(omission: Omission) -> str:
    return omission.reason
