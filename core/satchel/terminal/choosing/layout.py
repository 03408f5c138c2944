"""Lay chosen lines out as text: marks for gaps, counts of what is like a line, names of files left out."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from satchel.terminal.choosing.entries import Entries
from satchel.terminal.choosing.marks import FULL, Gap, Marks
from satchel.terminal.choosing.names import Name
from satchel.terminal.folding import Folded, Kept
from satchel.terminal.judging import Rank
from satchel.tokens.guessing import guess

_FILLED = 4
"""Gaps of no more tokens are filled: a mark costs as much."""
_BLOCK = 1_024
_SILENT = re.compile(r"[\s=\-_*~^#.+|:>│┃─━═┄┈╌⎯·•╵╷╰╭╮╯┌┐└┘├┤┬┴┼]*")
"""Lines of such marks alone show no more than a blank one does: a gap of them has no mark."""
_OFTEN = 3
"""Lines of a template from which their number is told."""


class Layout:
    """Knows the costs of lines and gaps of one output, and renders a choice of its lines."""

    def __init__(self, folded: Folded, templates: Sequence[str], entries: Entries) -> None:
        self.lines = folded.lines
        self._entries = entries
        self.costs = [guess(line.text) for line in folded.lines]
        self._total = folded.total
        self.silent = [
            not entries.is_piece(place) and _SILENT.fullmatch(line.text) is not None
            for place, line in enumerate(folded.lines)
        ]
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
        return kept == gap.lines and self._sums[after] - self._sums[before + 1] <= _FILLED

    def cost(self, before: int, after: int) -> int:
        """Return the guessed tokens of what stands between two lines."""
        gap = self.gap(before, after)
        if gap is None:
            return 0
        filled = self.is_filled(before, after, gap)
        return self._sums[after] - self._sums[before + 1] if filled else gap.tokens

    def total(self, chosen: Sequence[int]) -> int:
        """Guess the tokens of all these lines and names."""
        return sum(map(self._entries.rough, chosen))

    def gaps(self, chosen: Sequence[int]) -> list[Gap]:
        """Return the gaps that stay open when these are shown, and the lines of which only a part is."""
        places = self._places(chosen)
        found = []
        for before, after in itertools.pairwise([-1, *places, len(self.lines)]):
            gap = self.gap(before, after)
            if gap and not self.is_filled(before, after, gap):
                found.append(gap)
        return sorted([*found, *self._broken(places, self._cut(chosen))])

    def _broken(self, places: Sequence[int], cut: set[int]) -> list[Gap]:
        """Return the lines of which these places show a part: expanding one gives all of it."""
        shown = Counter(self.lines[place].number for place in places)
        inner = ((self.lines[at], self.lines[after]) for at, after in itertools.pairwise(places))
        part = {one.number for one, other in inner if one.number == other.number and _inside(one, other)}
        part |= {number for number in shown if 0 < shown[number] < self._pieces[number]}
        part |= {self.lines[place].number for place in cut}
        return [Gap(at, at, 1) for at in sorted(part)]

    def _places(self, chosen: Sequence[int]) -> list[int]:
        """Return the places of the lines among entries, in order."""
        return sorted({entry % self._entries.span for entry in chosen if self._entries.is_line(entry)})

    def _cut(self, chosen: Sequence[int]) -> set[int]:
        """Return the places of the lines of which the core alone is shown."""
        span = self._entries.span
        return {entry - span for entry in chosen if entry >= span}.difference(chosen)

    def text(self, chosen: Sequence[int], marks: Marks = FULL) -> str:
        """Return the chosen lines, in order, with marks for what is missing, and names."""
        entries, end = self._entries, len(self.lines)
        names = [entries.names[entry - end] for entry in sorted(chosen) if end <= entry < entries.span]
        places, cut = self._places(chosen), self._cut(chosen)
        counts = self._told(places) if marks.counts else {}
        pieces: list[str] = []
        for before, after in itertools.pairwise([-1, *places, end]):
            pieces += self._between(before, after, marks)
            if after < end:
                form = after + entries.span if after in cut else after
                pieces.append(entries.text(form) + counts.get(after, ""))
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
            and not self._entries.is_piece(place)
        )

    def _between(self, before: int, after: int, marks: Marks) -> Iterator[str]:
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
                yield f"{gap.mark(marks)}\n"
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
