"""Lay chosen lines out as text: marks for gaps, counts of what is like a line, names of files left out."""

from __future__ import annotations

import bisect
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from satchel.terminal.folding import Folded, Kept
from satchel.terminal.judging import Rank
from satchel.terminal.names import Name
from satchel.tokens.guessing import guess

GAP_TOKENS = 6
"""What a gap's mark costs about; smaller gaps are filled."""
_BLOCK = 1_024
_OFTEN = 3
"""Lines of a template from which their number is told."""


class Gap(NamedTuple):
    """Lines that are not shown, from the first to the last, both inclusive."""

    first: int
    last: int
    lines: int
    """How many of them show something."""

    def mark(self) -> str:
        """Return `[…41-165]`: these lines are left out."""
        return f"[…{self.first}-{self.last}]" if self.last > self.first else f"[…{self.first}]"


class Layout:
    """Knows the costs of lines and gaps of one output, and renders a choice of its lines."""

    def __init__(self, folded: Folded, templates: Sequence[str], names: Sequence[Name]) -> None:
        self.lines = folded.lines
        self.costs = [guess(line.text) for line in folded.lines]
        self._total = folded.total
        self._names = names
        self._blank = folded.blank
        blocks = range(0, len(folded.blank) + _BLOCK, _BLOCK)
        counts = (folded.blank.count(1, start, start + _BLOCK) for start in blocks)
        self._blocks = list(itertools.accumulate(counts, initial=0))
        self._sums = list(itertools.accumulate(self.costs, initial=0))
        self._counts = _counts(folded.lines, templates)
        self._templates = templates

    def gap(self, before: int, after: int) -> Gap | None:
        """Return what lies between two lines by place, with -1 and the number of lines as the ends."""
        first = self.lines[before].number + 1 if before >= 0 else 1
        last = self.lines[after].number - 1 if after < len(self.lines) else self._total
        if last < first:
            return None
        shown = last - first + 1 - (self._blank_until(last) - self._blank_until(first - 1))
        return Gap(first, last, shown) if shown else None

    def _blank_until(self, line: int) -> int:
        """Return how many of the first lines show nothing."""
        block = line // _BLOCK
        return self._blocks[block] + self._blank.count(1, block * _BLOCK, line)

    def is_filled(self, before: int, after: int, gap: Gap) -> bool:
        """Whether showing the lines of a gap costs no more than its mark."""
        return after - before - 1 == gap.lines and self._sums[after] - self._sums[before + 1] <= GAP_TOKENS

    def cost(self, before: int, after: int) -> int:
        """Return the guessed tokens of what stands between two lines."""
        gap = self.gap(before, after)
        if gap is None:
            return 0
        return (
            self._sums[after] - self._sums[before + 1] if self.is_filled(before, after, gap) else GAP_TOKENS
        )

    def totals(self, order: Sequence[int], frame: int) -> list[int]:
        """Return the guessed tokens of the first line of an order, of the first two, and so on."""
        placed: list[int] = []
        total = self.cost(-1, len(self.lines)) + frame
        totals = []
        for place in order:
            if place >= len(self.lines):
                total += self._names[place - len(self.lines)].cost
                totals.append(total)
                continue
            at = bisect.bisect_left(placed, place)
            before = placed[at - 1] if at else -1
            after = placed[at] if at < len(placed) else len(self.lines)
            placed.insert(at, place)
            total += self.costs[place] + 2 * (self._counts[self._templates[place]] >= _OFTEN)
            total += self.cost(before, place) + self.cost(place, after) - self.cost(before, after)
            totals.append(total)
        return totals

    def gaps(self, places: Sequence[int]) -> list[Gap]:
        """Return the gaps that stay open when these lines are shown."""
        bounds = [-1, *(place for place in places if place < len(self.lines)), len(self.lines)]
        found = []
        for before, after in itertools.pairwise(bounds):
            gap = self.gap(before, after)
            if gap and not self.is_filled(before, after, gap):
                found.append(gap)
        return found

    def text(self, places: Sequence[int]) -> str:
        """Return the lines at these places, in order, with marks for what is missing."""
        names = [self._names[place - len(self.lines)] for place in places if place >= len(self.lines)]
        places = [place for place in places if place < len(self.lines)]
        shown: Counter[str] = Counter(self._templates[place] for place in places)
        told: set[str] = set()
        pieces: list[str] = []
        bounds = [-1, *places, len(self.lines)]
        for before, after in itertools.pairwise(bounds):
            pieces += self._between(before, after)
            if after < len(self.lines):
                templated = self._templates[after]
                count = self._counts[templated]
                often = (
                    count >= _OFTEN
                    and self._is_told(after)
                    and count > shown[templated]
                    and templated not in told
                )
                told.add(templated)
                pieces.append(self.lines[after].text + (f" [x{count}]" if often else ""))
        return _joined(pieces) + _also(names, "".join(pieces))

    def _is_told(self, place: int) -> bool:
        """Whether it helps to know how many lines are like this one; details and pieces have no count."""
        line = self.lines[place]
        return (
            line.family.judgement.rank is not Rank.DETAIL
            and not line.start
            and not (place + 1 < len(self.lines) and self.lines[place + 1].number == line.number)
        )

    def _between(self, before: int, after: int) -> Iterator[str]:
        same = (
            before >= 0 and after < len(self.lines) and self.lines[before].number == self.lines[after].number
        )
        if same:
            yield _inside(self.lines[before], self.lines[after])
            return
        if before >= 0:
            yield "\n"
        gap = self.gap(before, after)
        if gap is not None:
            if self.is_filled(before, after, gap):
                yield "".join(f"{self.lines[place].text}\n" for place in range(before + 1, after))
            else:
                yield f"{gap.mark()}\n"
        if after < len(self.lines) and self.lines[after].start:
            yield f"[{self.lines[after].start} characters] "


def _also(names: Sequence[Name], text: str) -> str:
    """Return the mark with what stands in lines that are left out."""
    named: dict[str, None] = {}
    group = ""
    for name in names:
        if name.text not in text or (name.group and f"{name.group}::{name.text}" not in text):
            same = name.group in ("", group)
            named[name.text if same else f"{name.group}::{name.text}"] = None
            group = name.group
    return f"[also: {' '.join(named)}]\n" if named else ""


def _inside(before: Kept, after: Kept) -> str:
    missing = after.start - before.start - len(before.text)
    return f" [{missing} characters] " if missing > 0 else ""


def _counts(lines: Sequence[Kept], templates: Sequence[str]) -> Counter[str]:
    """Return how many lines of the whole output each template has."""
    counts: Counter[str] = Counter()
    for templated, family in {
        (templated, line.family) for templated, line in zip(templates, lines, strict=True)
    }:
        counts[templated] += family.count
    return counts


def _joined(pieces: Sequence[str]) -> str:
    text = "".join(pieces)
    return text if not text or text.endswith("\n") else f"{text}\n"
