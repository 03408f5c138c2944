"""What of an output lies between lines that are shown: lines and characters, and what marks cost."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from satchel.terminal.choosing.marks import Gap
from satchel.terminal.cleaning import BINARY
from satchel.terminal.folding import Folded

_FILLED = 4
"""Gaps of no more tokens are filled: a mark costs as much."""
_BLOCK = 1_024


class Missing:
    """Knows what lies between two lines by place; the ends are -1 and the number of lines.

    Args:
        folded: the output.
        silent: of each line, whether it shows no more than a blank one does.
        costs: of each line, in tokens.
    """

    def __init__(self, folded: Folded, silent: Sequence[bool], costs: Sequence[int]) -> None:
        self._lines, self._total, self._long = folded.lines, folded.total, folded.long
        self._silent = silent
        self._silences = list(itertools.accumulate(silent, initial=0))
        self._blank = folded.blank
        blocks = range(0, len(folded.blank) + _BLOCK, _BLOCK)
        counts = (folded.blank.count(1, start, start + _BLOCK) for start in blocks)
        self._blocks = list(itertools.accumulate(counts, initial=0))
        told = (0 if quiet else cost for cost, quiet in zip(costs, silent, strict=True))
        self._sums = list(itertools.accumulate(told, initial=0))

    def gap(self, before: int, after: int) -> Gap | None:
        """Return what lies between two lines, None where that shows nothing."""
        gap = self._between(before, after)
        return gap if gap and gap.lines else None

    def _between(self, before: int, after: int) -> Gap | None:
        """Return the same, with gaps of blank lines and rules alone."""
        first = self._lines[before].number + 1 if before >= 0 else 1
        last = self._lines[after].number - 1 if after < len(self._lines) else self._total
        if last < first:
            return None
        shown = last - first + 1 - (self._blank_until(last) - self._blank_until(first - 1))
        shown -= self._silences[after] - self._silences[before + 1]
        return Gap(first, last, shown)

    def _blank_until(self, line: int) -> int:
        """Return how many of the first lines show nothing."""
        block = line // _BLOCK
        return self._blocks[block] + self._blank.count(1, block * _BLOCK, line)

    def is_filled(self, before: int, after: int, gap: Gap) -> bool:
        """Whether showing the lines of a gap costs no more than its mark."""
        kept = after - before - 1 - (self._silences[after] - self._silences[before + 1])
        return kept == gap.lines and self._sums[after] - self._sums[before + 1] <= _FILLED

    def filling(self, before: int, after: int) -> Iterator[int]:
        """Yield the places of the lines that fill a gap."""
        return (place for place in range(before + 1, after) if not self._silent[place])

    def cost(self, before: int, after: int) -> int:
        """Return the guessed tokens of what stands between two lines: the mark of a gap, or what fills it."""
        gap = self.gap(before, after)
        if gap is None:
            return 0
        filled = self.is_filled(before, after, gap)
        return self._sums[after] - self._sums[before + 1] if filled else gap.tokens

    def gaps(self, places: Sequence[int], cut: set[int]) -> list[Gap]:
        """Return all lines that are not shown beside these, and those of which only a part is.

        Args:
            places: the lines that are shown, in order.
            cut: those of them of which a core is shown.
        """
        shown = list(self._shown(places))
        pairs = itertools.pairwise([-1, *shown, len(self._lines)])
        between = (self._between(before, after) for before, after in pairs)
        parts = {self._lines[place].number for place in cut} | set(self._parts(shown))
        return sorted([*filter(None, between), *(Gap(at, at, 1) for at in parts)])

    def _shown(self, places: Sequence[int]) -> Iterator[int]:
        """Yield the places of all lines that are shown with these: they fill small gaps."""
        for before, after in itertools.pairwise([-1, *places, len(self._lines)]):
            gap = self.gap(before, after)
            if gap and self.is_filled(before, after, gap):
                yield from self.filling(before, after)
            if after < len(self._lines):
                yield after

    def _parts(self, places: Sequence[int]) -> Iterator[int]:
        """Yield the numbers of lines that are shown in part: very long ones, and what is binary."""
        yield from (self._lines[place].number for place in places if self._lines[place].text == BINARY)
        for before, after in itertools.pairwise([-1, *places, len(self._lines)]):
            if self.behind(before, after):
                yield self._lines[before].number
            if self.ahead(before, after):
                yield self._lines[after].number

    def ahead(self, before: int, after: int) -> int:
        """Return the characters of a line that are left out in front of a piece of it."""
        if after == len(self._lines):
            return 0
        line, shown = self._lines[after], 0
        if self.is_one(before, after):
            shown = self._lines[before].start + len(self._lines[before].text)
        return max(0, line.start - shown)

    def behind(self, before: int, after: int) -> int:
        """Return the characters of a line that are left out behind the last piece of it that is shown."""
        if before < 0 or self.is_one(before, after):
            return 0
        line = self._lines[before]
        return max(0, self._long.get(line.number, 0) - line.start - len(line.text))

    def is_one(self, before: int, after: int) -> bool:
        """Whether two places are pieces of one line."""
        inside = before >= 0 and after < len(self._lines)
        return inside and self._lines[before].number == self._lines[after].number
