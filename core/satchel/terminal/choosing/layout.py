"""Lay chosen lines out as text: marks for gaps, counts of what is like a line, names of files left out."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from satchel.patterns import lazily
from satchel.terminal.choosing.entries import Entries
from satchel.terminal.choosing.marks import FULL, Gap, Marks
from satchel.terminal.choosing.missing import Missing
from satchel.terminal.choosing.names import Name
from satchel.terminal.folding import Folded, Kept
from satchel.terminal.judging import Rank
from satchel.tokens.guessing import guess

_SILENT = lazily(r"[\s=\-_*~^#.+|:>│┃─━═┄┈╌⎯·•╵╷╰╭╮╯┌┐└┘├┤┬┴┼]*")
"""Lines of such marks alone show no more than a blank one does: a gap of them has no mark."""
_OFTEN = 3
"""Lines of a template from which their number is told."""


class Layout:
    """Knows the costs of lines and gaps of one output, and renders a choice of its lines."""

    def __init__(self, folded: Folded, templates: Sequence[str], entries: Entries) -> None:
        self.lines = folded.lines
        self._entries = entries
        self.costs = [guess(line.text) for line in folded.lines]
        self.silent = [
            not entries.is_piece(place) and _SILENT.fullmatch(line.text) is not None
            for place, line in enumerate(folded.lines)
        ]
        self._missing = Missing(folded, self.silent, self.costs)
        self._counts = _counts(folded.lines, templates)
        self._templates = templates

    def cost(self, before: int, after: int) -> int:
        """Return the guessed tokens of what stands between two lines by place."""
        return self._missing.cost(before, after)

    def total(self, chosen: Sequence[int]) -> int:
        """Guess the tokens of all these lines and names."""
        return sum(map(self._entries.rough, chosen))

    def gaps(self, chosen: Sequence[int]) -> list[Gap]:
        """Return all lines that are not shown beside these, and those of which only a part is."""
        return self._missing.gaps(self._places(chosen), self._cut(chosen))

    def has_gaps(self, chosen: Sequence[int]) -> bool:
        """Whether anything that tells something is not shown beside these."""
        return any(gap.lines for gap in self.gaps(chosen))

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
                if count != last or self._missing.gap(last_place, place) is not None:
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
        missing = self._missing
        ahead, behind = missing.ahead(before, after), missing.behind(before, after)
        if missing.is_one(before, after):
            yield f" [{ahead} characters] " if ahead else ""
            return
        if before >= 0:
            yield f" [{behind} characters]\n" if behind else "\n"
        yield from self._gap(before, after, marks)
        if ahead:
            yield f"[{ahead} characters] "

    def _gap(self, before: int, after: int, marks: Marks) -> Iterator[str]:
        """Yield the mark of a gap, or the lines that fill it."""
        gap = self._missing.gap(before, after)
        if gap is not None and self._missing.is_filled(before, after, gap):
            yield from (f"{self.lines[place].text}\n" for place in self._missing.filling(before, after))
        elif gap is not None:
            yield f"{gap.mark(marks)}\n"


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
