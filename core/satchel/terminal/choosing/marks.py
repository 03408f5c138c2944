"""The marks for what is not shown: gaps, counts, the line that says where the rest is."""

from __future__ import annotations

from typing import NamedTuple

_DIGITS, _FEW_DIGITS = 12, 8
"""Of a pointer; so few name one text among millions."""


class Marks(NamedTuple):
    """How much the marks tell: where the budget is spent on lines, less."""

    ranges: bool
    """`[…41-165]` for a gap: which lines; else `[…125]`: how many."""
    counts: bool
    """` [x59]` after a line that many others are like."""
    sentence: bool
    """How many lines there are, and the command that shows them."""

    def last(self, exit_code: int | None, lines: int, hash_: str) -> str:
        """Return the line that stands at the end where something is not shown.

        It ends in `:A-B` where the marks of gaps have the numbers to put there.
        """
        code = "" if exit_code is None else f"exit code {exit_code}; "
        pointer = self.pointer(hash_)
        if self.sentence:
            return f"[satchel: {code}{lines} lines; {'satchel ' if pointer else ''}{self._where(pointer)}]\n"
        return f"[satchel: {code}{self._where(pointer)}]\n"

    def _where(self, pointer: str) -> str:
        return f"expand {pointer}{':A-B' if self.ranges else ''}" if pointer else "not archived"

    def pointer(self, hash_: str) -> str:
        """Return the pointer to the whole output, "" where it could not be archived."""
        return f"blob:{hash_[: _DIGITS if self.sentence else _FEW_DIGITS]}" if hash_ else ""


FULL = Marks(ranges=True, counts=True, sentence=True)
RANGED = Marks(ranges=True, counts=False, sentence=False)
BARE = Marks(ranges=False, counts=False, sentence=False)
STYLES = (FULL, RANGED._replace(counts=True), RANGED, BARE._replace(counts=True), BARE)
"""From the richest on; the first that fits is taken, and no line gives way to one richer than `RANGED`."""


class Gap(NamedTuple):
    """Lines that are not shown, from the first to the last, both inclusive."""

    first: int
    last: int
    lines: int
    """How many of them show something; a gap of none has no mark."""

    def mark(self, marks: Marks = FULL) -> str:
        """Return `[…41-165]`: these lines are left out; or `[…125]`: so many are."""
        if not marks.ranges:
            return f"[…{self._size}]"
        return f"[…{self.first}-{self.last}]" if self._size > 1 else f"[…{self.last}]"

    @property
    def tokens(self) -> int:
        """What its shortest mark costs with the line's end, in vocabularies with numbers of three digits."""
        return 2 + -(-len(str(self._size)) // 3)

    @property
    def _size(self) -> int:
        return self.last - self.first + 1
