"""The marks for what is not shown: gaps, counts, the line that says where the rest is."""

from __future__ import annotations

from typing import NamedTuple

_DIGITS, _FEW_DIGITS = 12, 8
"""Of a pointer; so few name one text among millions."""


class Marks(NamedTuple):
    """How much the marks tell: where the budget is spent on lines, less."""

    ranges: bool
    """`[…41-165]` for a gap, else only where it ends: `[…165]`."""
    counts: bool
    """` [x59]` after a line that many others are like."""
    sentence: bool
    """How many lines there are, and the command that shows them."""

    def last(self, exit_code: int | None, lines: int, hash_: str) -> str:
        """Return the line that stands at the end where something is not shown."""
        code = "" if exit_code is None else f"exit code {exit_code}; "
        pointer = self.pointer(hash_)
        if self.sentence:
            where = f"satchel expand {pointer}:A-B" if pointer else "not archived"
            return f"[satchel: {code}{lines} lines; {where}]\n"
        return f"[satchel: {code}{f'expand {pointer}' if pointer else 'not archived'}]\n"

    def pointer(self, hash_: str) -> str:
        """Return the pointer to the whole output, "" where it could not be archived."""
        return f"blob:{hash_[: _DIGITS if self.sentence else _FEW_DIGITS]}" if hash_ else ""


FULL = Marks(ranges=True, counts=True, sentence=True)
BARE = Marks(ranges=False, counts=False, sentence=False)
STYLES = (
    FULL,
    Marks(ranges=True, counts=True, sentence=False),
    Marks(ranges=False, counts=True, sentence=False),
    BARE,
)
"""From the richest on; the first that fits is taken, and no line gives way to a richer one."""


class Gap(NamedTuple):
    """Lines that are not shown, from the first to the last, both inclusive."""

    first: int
    last: int
    lines: int
    """How many of them show something."""

    def mark(self, marks: Marks = FULL) -> str:
        """Return `[…41-165]`: these lines are left out; or `[…165]`: the lines up to this one."""
        ranged = marks.ranges and self.last > self.first
        return f"[…{self.first}-{self.last}]" if ranged else f"[…{self.last}]"

    @property
    def tokens(self) -> int:
        """What its shortest mark costs with the line's end, in vocabularies with numbers of three digits."""
        return 2 + -(-len(str(self.last)) // 3)
