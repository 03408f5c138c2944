"""Lay chosen lines out as text: marks for gaps, counts of what is like a line, names of files left out."""

from __future__ import annotations

import bisect
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from satchel.terminal.choosing.names import Name
from satchel.terminal.folding import Folded, Kept
from satchel.terminal.judging import Rank
from satchel.tokens.guessing import guess

GAP_TOKENS = 6
"""What a gap's mark costs about; smaller gaps are filled."""
_BLOCK = 1_024
_SILENT = re.compile(r"[\s=\-_*~^#.+|:>│┃─━═┄┈╌⎯·•╵╷╰╭╮╯┌┐└┘├┤┬┴┼]*")
"""Lines of such marks alone show no more than a blank one does: a gap of them has no mark."""
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
        self.silent = [_is_silent(folded.lines, place) for place in range(len(folded.lines))]
        self._silences = list(itertools.accumulate(self.silent, initial=0))
        self._blank = folded.blank
        blocks = range(0, len(folded.blank) + _BLOCK, _BLOCK)
        counts = (folded.blank.count(1, start, start + _BLOCK) for start in blocks)
        self._blocks = list(itertools.accumulate(counts, initial=0))
        told = (0 if silent else cost for cost, silent in zip(self.costs, self.silent, strict=True))
        self._sums = list(itertools.accumulate(told, initial=0))
        self._counts = _counts(folded.lines, templates)
        self._templates = templates
        long = {line.number for line in folded.lines if line.start}
        self._pieces = Counter(line.number for line in folded.lines if line.number in long)

    def gap(self, before: int, after: int) -> Gap | None:
        """Return what lies between two lines by place, with -1 and the number of lines as the ends."""
        first = self.lines[before].number + 1 if before >= 0 else 1
        last = self.lines[after].number - 1 if after < len(self.lines) else self._total
        if last < first:
            return None
        shown = last - first + 1 - (self._blank_until(last) - self._blank_until(first - 1))
        shown -= self._silences[after] - self._silences[before + 1]
        return Gap(first, last, shown) if shown else None

    def _blank_until(self, line: int) -> int:
        """Return how many of the first lines show nothing."""
        block = line // _BLOCK
        return self._blocks[block] + self._blank.count(1, block * _BLOCK, line)

    def is_filled(self, before: int, after: int, gap: Gap) -> bool:
        """Whether showing the lines of a gap costs no more than its mark."""
        kept = after - before - 1 - (self._silences[after] - self._silences[before + 1])
        return kept == gap.lines and self._sums[after] - self._sums[before + 1] <= GAP_TOKENS

    def cost(self, before: int, after: int) -> int:
        """Return the guessed tokens of what stands between two lines."""
        gap = self.gap(before, after)
        if gap is None:
            return 0
        return (
            self._sums[after] - self._sums[before + 1] if self.is_filled(before, after, gap) else GAP_TOKENS
        )

    def price(self, place: int) -> int:
        """Return the guessed tokens of a line with the count of those like it, or of a name."""
        if place >= len(self.lines):
            return self._names[place - len(self.lines)].cost
        return self.costs[place] + 2 * (self._counts[self._templates[place]] >= _OFTEN)

    def gaps(self, places: Sequence[int]) -> list[Gap]:
        """Return the gaps that stay open when these lines are shown."""
        bounds = [-1, *(place for place in places if place < len(self.lines)), len(self.lines)]
        found = []
        for before, after in itertools.pairwise(bounds):
            gap = self.gap(before, after)
            if gap and not self.is_filled(before, after, gap):
                found.append(gap)
        return found

    def broken(self, places: Sequence[int]) -> list[Gap]:
        """Return the very long lines of which these places show a part: expanding one gives all of it."""
        pieces = [place for place in places if place < len(self.lines)]
        long = {self.lines[place].number for place in pieces if self._is_piece(place)}
        shown = Counter(self.lines[place].number for place in pieces)
        inner = ((self.lines[at], self.lines[after]) for at, after in itertools.pairwise(pieces))
        cut = {one.number for one, other in inner if one.number == other.number and _inside(one, other)}
        return [Gap(at, at, 1) for at in sorted(long) if at in cut or shown[at] < self._pieces[at]]

    def _is_piece(self, place: int) -> bool:
        """Whether what stands at a place is a piece of a very long line."""
        return self.lines[place].number in self._pieces

    def text(self, places: Sequence[int]) -> str:
        """Return the lines at these places, in order, with marks for what is missing."""
        names = [self._names[place - len(self.lines)] for place in places if place >= len(self.lines)]
        places = [place for place in places if place < len(self.lines)]
        counts = self._told(places)
        pieces: list[str] = []
        for before, after in itertools.pairwise([-1, *places, len(self.lines)]):
            pieces += self._between(before, after)
            if after < len(self.lines):
                pieces.append(self.lines[after].text + counts.get(after, ""))
        return _joined(pieces) + _also(names, "".join(pieces))

    def _told(self, places: Sequence[int]) -> dict[int, str]:
        """Return the marks that tell how many lines are like one; of a block that recurs, at its first."""
        shown: Counter[str] = Counter(self._templates[place] for place in places)
        marks: dict[int, str] = {}
        told: set[str] = set()
        last, last_place = 0, -1
        for place in places:
            templated = self._templates[place]
            count = self._counts[templated]
            if (
                count >= _OFTEN
                and count > shown[templated]
                and templated not in told
                and self._is_told(place)
            ):
                if count != last or self.gap(last_place, place) is not None:
                    marks[place] = f" [x{count}]"
                last, last_place = count, place
            told.add(templated)
        return marks

    def _is_told(self, place: int) -> bool:
        """Whether it helps to know how many lines are like this one; details and pieces have no count."""
        line = self.lines[place]
        return (
            line.family.judgement.rank is not Rank.DETAIL
            and not self.silent[place]
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
                filling = (place for place in range(before + 1, after) if not self.silent[place])
                yield "".join(f"{self.lines[place].text}\n" for place in filling)
            else:
                yield f"{gap.mark()}\n"
        if after < len(self.lines) and self.lines[after].start:
            yield f"[{self.lines[after].start} characters] "


class Spending:
    """What lines and names cost together, with the marks between them, as one after the other is added."""

    def __init__(self, layout: Layout, frame: int) -> None:
        """Begin with what showing nothing costs: `frame` tokens and the mark of one gap."""
        self._layout = layout
        self._placed: list[int] = []
        self.total = layout.cost(-1, len(layout.lines)) + frame

    def more(self, place: int) -> int:
        """Return what one more line or name costs; less than nothing where it closes a gap."""
        price = self._layout.price(place)
        if place >= len(self._layout.lines):
            return price
        at = bisect.bisect_left(self._placed, place)
        before = self._placed[at - 1] if at else -1
        after = self._placed[at] if at < len(self._placed) else len(self._layout.lines)
        cost = self._layout.cost
        return price + cost(before, place) + cost(place, after) - cost(before, after)

    def add(self, place: int) -> int:
        """Add a line or a name; return what all cost now."""
        self.total += self.more(place)
        if place < len(self._layout.lines):
            bisect.insort(self._placed, place)
        return self.total


def _is_silent(lines: Sequence[Kept], place: int) -> bool:
    """Whether a whole line is made of marks alone."""
    line = lines[place]
    if line.start or (place + 1 < len(lines) and lines[place + 1].number == line.number):
        return False
    return _SILENT.fullmatch(line.text) is not None


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
