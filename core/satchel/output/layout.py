"""Lay chosen lines out as text, with marks for gaps and counts of similar lines."""

from __future__ import annotations

import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from types import MappingProxyType

from satchel.output.cleaning import BINARY, CARETS
from satchel.output.folding import POSITION, Folded, KeptLine, LineFamily, is_silent, names_file
from satchel.output.judging import Rank
from satchel.output.marks import FULL, Gap, Marks, Name
from satchel.output.templates import identity
from satchel.patterns import lazily
from satchel.tokens.guessing import guess

FILLED, FILLED_SMALL = 7, 4
"""Gaps of no more tokens are filled: a mark costs as much, a shorter one in small budgets."""
_BLOCK = 1_024


class Missing:
    """The lines between two lines by place; the ends are -1 and the number of lines.

    Args:
        folded: the output.
        silent: of each line, whether it shows no more than a blank one does.
        costs: of each line, in tokens.
        short: places of lines that are never shown whole.
    """

    def __init__(
        self, folded: Folded, silent: Sequence[bool], costs: Sequence[int], short: Container[int] = ()
    ) -> None:
        self._lines, self._total, self._long = folded.lines, folded.total, folded.long
        self._short = short
        self._silent = silent
        self._silences = list(itertools.accumulate(silent, initial=0))
        self._blank = folded.blank
        blocks = range(0, len(folded.blank) + _BLOCK, _BLOCK)
        counts = (folded.blank.count(1, start, start + _BLOCK) for start in blocks)
        self._blocks = list(itertools.accumulate(counts, initial=0))
        told = (0 if quiet else cost for cost, quiet in zip(costs, silent, strict=True))
        self._sums = list(itertools.accumulate(told, initial=0))
        self._find_gap = functools.cache(self._count_missing)

    def gap(self, before: int, after: int) -> Gap | None:
        """Return the gap between two lines, None if it hides nothing."""
        gap = self._find_gap(before, after)
        return gap if gap and gap.lines else None

    def _count_missing(self, before: int, after: int) -> Gap | None:
        """Return the gap between two lines, even if it has only blank lines and rules."""
        first = self._lines[before].number + 1 if before >= 0 else 1
        last = self._lines[after].number - 1 if after < len(self._lines) else self._total
        if last < first:
            return None
        shown = last - first + 1 - (self._blank_until(last) - self._blank_until(first - 1))
        shown -= self._silences[after] - self._silences[before + 1]
        return Gap(first, last, shown)

    def _blank_until(self, line: int) -> int:
        """Return how many of the first lines are blank."""
        block = line // _BLOCK
        return self._blocks[block] + self._blank.count(1, block * _BLOCK, line)

    def is_filled(self, before: int, after: int, gap: Gap, filled: int) -> bool:
        """Return whether the lines of a gap are all known and cost no more than `filled` tokens."""
        kept = after - before - 1 - (self._silences[after] - self._silences[before + 1])
        return kept == gap.lines and self._sums[after] - self._sums[before + 1] <= filled

    def filling(self, before: int, after: int) -> Iterator[int]:
        """Yield the places of the lines that fill a gap."""
        return (place for place in range(before + 1, after) if not self._silent[place])

    def cost(self, before: int, after: int) -> int:
        """Return the guessed tokens between two lines: of the mark of a gap, or of its filling."""
        gap = self.gap(before, after)
        if gap is None:
            return 0
        filled = self.is_filled(before, after, gap, FILLED_SMALL)
        return self._sums[after] - self._sums[before + 1] if filled else gap.tokens

    def gaps(self, places: Sequence[int], filled: int) -> list[Gap]:
        """Return all lines that are not shown beside these, and lines that are shown in part.

        Gaps of up to `filled` tokens are filled.
        """
        shown = list(self._fill_small_gaps(places, filled))
        parts = (Gap(at, at, 1) for at in set(self._parts(shown)))
        return sorted([*self._find_gaps(shown), *parts])

    def has_gaps(self, places: Sequence[int], filled: int) -> bool:
        """Return whether any line with content is not shown beside these."""
        shown = list(self._fill_small_gaps(places, filled))
        return any(gap.lines for gap in self._find_gaps(shown)) or any(self._parts(shown))

    def _find_gaps(self, shown: Sequence[int]) -> Iterator[Gap]:
        between = itertools.pairwise([-1, *shown, len(self._lines)])
        return filter(None, itertools.starmap(self._find_gap, between))

    def _fill_small_gaps(self, places: Sequence[int], filled: int) -> Iterator[int]:
        """Yield the places of all shown lines, with those that fill small gaps."""
        for before, after in itertools.pairwise([-1, *places, len(self._lines)]):
            gap = self.gap(before, after)
            if gap and self.is_filled(before, after, gap, filled):
                yield from self.filling(before, after)
            if after < len(self._lines):
                yield after

    def _parts(self, places: Sequence[int]) -> Iterator[int]:
        """Yield the numbers of lines that are shown in part: very long ones, and binary ones."""
        for place in places:
            if place in self._short or self._lines[place].text == BINARY:
                yield self._lines[place].number
        for before, after in itertools.pairwise([-1, *places, len(self._lines)]):
            if self.behind(before, after):
                yield self._lines[before].number
            if self.ahead(before, after):
                yield self._lines[after].number

    def ahead(self, before: int, after: int) -> int:
        """Return the characters of a line that are left out before a piece of it."""
        if after == len(self._lines):
            return 0
        line, shown = self._lines[after], 0
        if self.is_one(before, after):
            shown = self._lines[before].start + len(self._lines[before].text)
        return max(0, line.start - shown)

    def behind(self, before: int, after: int) -> int:
        """Return the characters of a line that are left out after the last shown piece of it."""
        if before < 0 or self.is_one(before, after):
            return 0
        line = self._lines[before]
        return max(0, self._long.get(line.number, 0) - line.start - len(line.text))

    def is_one(self, before: int, after: int) -> bool:
        """Return whether two places are pieces of one line."""
        inside = before >= 0 and after < len(self._lines)
        return inside and self._lines[before].number == self._lines[after].number


class Entries:
    """Everything that may be shown: lines have the numbers from 0 up, then names."""

    def __init__(
        self,
        lines: Sequence[KeptLine],
        names: Sequence[Name],
        count: Callable[[str], int],
        *,
        long: Collection[int] = (),
        short: Mapping[int, str] = MappingProxyType({}),
        runs: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """Take the lines and names, the counter of tokens, and the numbers of the lines that are in pieces.

        `short` has by place the shown form of lines that are hardly ever shown whole; `runs` the job and step
        of a line.
        """
        self.lines, self.names, self.short, self.runs = lines, names, short, runs
        self._long = long
        self._count = count
        self._tokens: dict[int, int] = {}
        self._guesses: dict[int, int] = {}

    def text(self, entry: int) -> str:
        """Return the text of an entry."""
        if self.is_line(entry):
            return self.short.get(entry) or self.lines[entry].text
        return self.names[entry - len(self.lines)].text

    def is_line(self, entry: int) -> bool:
        """Return whether an entry is a line."""
        return entry < len(self.lines)

    def is_piece(self, place: int) -> bool:
        """Return whether a line is a piece of a very long one."""
        line = self.lines[place]
        return line.start > 0 or line.number in self._long

    def rough(self, entry: int) -> int:
        """Guess the tokens of an entry."""
        known = self._guesses.get(entry)
        if known is None:
            known = self._guesses[entry] = guess(self.text(entry))
        return known

    def tokens(self, entry: int) -> int:
        """Return the same, counted."""
        known = self._tokens.get(entry)
        if known is None:
            text = self.text(entry)
            known = max(1, self._count(f"{text}\n" if self.is_line(entry) else f" {text}"))
            self._tokens[entry] = known
        return known


_POINTS = lazily(r"\s+[|│] .*")
"""A compiler's marks below a line of code that point into it."""
_PLACE = lazily(r"\s*(?:-->|╭─\[|┌─) ?\S+:\d+")
"""The place of the message in the line above."""
_NUMBERED_CODE = lazily(r"\s*\d{1,6} [|│] ")
"""A line of code as compilers quote it, below its place."""
_MESSAGE = lazily(r"\S{1,300}:\d{1,6}:\d{1,6}: [a-z]")
"""A message of gcc and clang right above it."""
_FINDING = lazily(r"\S{1,300}:\d{1,6}:\d{1,6}: \S")
"""A message with its place, as most compilers and linters write it."""
_POSITION = lazily(POSITION)
_STEPS_UP = 3
"""From carets to the code that they point into, from it to its place, and to the message above."""
_POINTED = 6
"""Lines below a line of code that may point into it."""
_FEW_LINES = 3
"""Longest output in lines where a piece of a line is shown without the line's beginning."""
_OFTEN = 3
"""Lines of a template from which their number is shown."""


class Layout:
    """The costs of lines and gaps of one output; renders a choice of its lines."""

    def __init__(self, folded: Folded, templates: Sequence[str], entries: Entries) -> None:
        self.lines, self._altered = folded.lines, folded.altered
        self._entries = entries
        self.costs = [entries.rough(place) for place in range(len(folded.lines))]
        self.silent = [
            not entries.is_piece(place) and is_silent(line.text) for place, line in enumerate(folded.lines)
        ]
        self._missing = Missing(folded, self.silent, self.costs, entries.short)
        self._counts = _count_lines_per_template(folded.lines, templates)
        self._alike: dict[str, bool] = {}
        self._by_template: defaultdict[str, list[int]] = defaultdict(list)
        self._templates = templates
        self._anchors = dict(_find_anchors(folded.lines))
        self._heads = dict(_find_heads(folded.lines)) if folded.total > _FEW_LINES else {}
        self._files = dict(_find_files(folded.lines))
        self._carets = {
            anchor: place
            for place, anchor in self._anchors.items()
            if anchor == place - 1 and CARETS.fullmatch(folded.lines[place].text)
        }

    def cost(self, before: int, after: int) -> int:
        """Return the guessed tokens between two lines by place."""
        return self._missing.cost(before, after)

    def total(self, chosen: Sequence[int]) -> int:
        """Guess the tokens of all these lines and names."""
        return sum(map(self._entries.rough, chosen))

    def gaps(self, chosen: Sequence[int], *, filled: int = FILLED) -> list[Gap]:
        """Return all lines that are not shown beside these, and lines that are shown in part."""
        return self._missing.gaps(self._places(chosen), filled)

    def has_gaps(self, chosen: Sequence[int], *, filled: int = FILLED) -> bool:
        """Return whether any line with content is not shown beside these."""
        return self._missing.has_gaps(self._places(chosen), filled)

    def _places(self, chosen: Sequence[int]) -> list[int]:
        """Return the places of the lines among entries, in order, with the lines needed to read them."""
        shown = set(filter(self._entries.is_line, chosen))
        for _ in range(_STEPS_UP):
            shown.update([self._anchors[place] for place in shown & self._anchors.keys()])
        shown.update([self._carets[place] for place in shown & self._carets.keys()])
        shown.update([self._heads[place] for place in shown & self._heads.keys()])
        shown.update([self._files[place] for place in shown & self._files.keys()])
        return sorted(shown)

    def text(self, chosen: Sequence[int], marks: Marks = FULL, *, filled: int = FILLED) -> str:
        """Return the chosen lines, in order, with marks for missing lines, and names.

        Gaps of up to `filled` tokens are filled.
        """
        entries, end = self._entries, len(self.lines)
        names = [entries.names[entry - end] for entry in sorted(chosen) if entry >= end]
        places = self._places(chosen)
        counts = self._count_alike(places) if marks.counts else {}
        pieces: list[str] = []
        run: str | None = None
        for before, after in itertools.pairwise([-1, *places, end]):
            pieces += self._find_gap(before, after, marks, filled)
            if after < end:
                begins = entries.runs.get(after, run) != run  # another job, another step
                run = entries.runs.get(after, run)
                text = self.lines[after].text if begins else entries.text(after)
                pieces.append(text + counts.get(after, ""))
        return _join(pieces) + _mark_omission(names, "".join(pieces))

    def _count_alike(self, places: Sequence[int]) -> dict[int, str]:
        """Return the marks with the number of similar lines; for a recurring block, at its first line."""
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
                and self._shows_count(place)
                and self._is_same(templated)
            ):
                if count != last or self._missing.gap(last_place, place) is not None:
                    marks[place] = f" [x{count}]"
                last, last_place = count, place
            told.add(templated)
        return marks

    def _is_same(self, templated: str) -> bool:
        """Return whether the known lines of a template agree in their identifying parts."""
        if not self._by_template:
            for place, own in enumerate(self._templates):
                self._by_template[own].append(place)
        known = self._alike.get(templated)
        if known is None:
            lines = [self.lines[place] for place in self._by_template[templated]]
            told, rank = identity(lines[0].text), lines[0].family.judgement.rank
            known = self._alike[templated] = not any(
                _differ_in_letters(line.family)
                or identity(line.text) != told
                or line.family.judgement.rank is not rank
                for line in lines
            )
        return known

    def _shows_count(self, place: int) -> bool:
        """Return whether it helps to count the lines like this one; details and pieces have no count."""
        line = self.lines[place]
        return (
            line.family.judgement.rank is not Rank.DETAIL
            and not self.silent[place]
            and not self._entries.is_piece(place)
        )

    def _find_gap(self, before: int, after: int, marks: Marks, filled: int) -> Iterator[str]:
        missing = self._missing
        ahead, behind = missing.ahead(before, after), missing.behind(before, after)
        if missing.is_one(before, after):
            yield f" {self._mark_ahead(after, ahead, marks)} " if ahead else ""
            return
        if before >= 0:
            line = self.lines[before]
            end = line.start + len(line.text)
            yield f" {self._mark_part(line.number, end, end + behind, marks)}\n" if behind else "\n"
        yield from self._render_gap(before, after, marks, filled)
        if ahead:
            yield f"{self._mark_ahead(after, ahead, marks)} "

    def _mark_ahead(self, place: int, characters: int, marks: Marks) -> str:
        line = self.lines[place]
        return self._mark_part(line.number, line.start - characters, line.start, marks)

    def _mark_part(self, line: int, start: int, end: int, marks: Marks) -> str:
        return marks.part(line, start, end, is_addressed=line not in self._altered)

    def _render_gap(self, before: int, after: int, marks: Marks, filled: int) -> Iterator[str]:
        """Yield the mark of a gap, or the lines that fill it."""
        gap = self._missing.gap(before, after)
        if gap is not None and self._missing.is_filled(before, after, gap, filled):
            yield from (f"{self._entries.text(place)}\n" for place in self._missing.filling(before, after))
        elif gap is not None:
            yield f"{gap.mark(marks)}\n"


def _find_heads(lines: Sequence[KeptLine]) -> Iterator[tuple[int, int]]:
    """Yield the places of later pieces of a very long line, each with the place of its first piece."""
    head = -1
    for place, line in enumerate(lines):
        if not line.start:
            head = place
        elif head >= 0 and lines[head].number == line.number:
            yield place, head


def _find_files(lines: Sequence[KeptLine]) -> Iterator[tuple[int, int]]:
    """Yield the places of diagnostics with a position, each with that of the line that names the file."""
    file = -1
    for place, line in enumerate(lines):
        if file >= 0 and _POSITION.match(line.text):
            yield place, file
        elif names_file(line.text):
            file = place


def _find_anchors(lines: Sequence[KeptLine]) -> Iterator[tuple[int, int]]:
    """Yield the places of lines that say nothing alone, each with the place of the line it needs.

    A pointer into code goes with the line of code, code with its place, the place with the message.
    """
    anchor = where = -1
    for place, line in enumerate(lines):
        apart = place and line.number != lines[place - 1].number + 1
        if place and not apart and _is_quoted(lines, place):
            yield place, place - 1
        if (
            place
            and not apart
            and (
                _PLACE.match(line.text)
                or (_NUMBERED_CODE.match(line.text) and _MESSAGE.match(lines[place - 1].text))
            )
        ):
            yield place, place - 1
        if _PLACE.match(line.text):
            where = place
        elif where >= 0 and line.number - lines[where].number <= _POINTED and _NUMBERED_CODE.match(line.text):
            yield place, where
        if not apart and (_POINTS.fullmatch(line.text) or CARETS.fullmatch(line.text)):
            if anchor >= 0 and place - anchor <= _POINTED:
                yield place, anchor
        else:
            anchor = place


def _is_quoted(lines: Sequence[KeptLine], place: int) -> bool:
    """Return whether a line is code that the message above it quotes, with carets below it."""
    return (
        place + 1 < len(lines)
        and lines[place + 1].number == lines[place].number + 1
        and CARETS.fullmatch(lines[place + 1].text) is not None
        and _FINDING.match(lines[place - 1].text) is not None
    )


_ADDRESS = lazily(rb"x[a-f]+")


def _differ_in_letters(family: LineFamily) -> bool:
    """Return whether lines of a family, kept or not, differ in letters of hashes or network addresses."""
    return len({_ADDRESS.sub(b"x", variant) for variant in family.variants or ()}) > 1


def _mark_omission(names: Sequence[Name], text: str) -> str:
    """Return the mark with names from lines that are left out."""
    named: dict[str, None] = {}
    group = ""
    for name in names:
        if name.text not in text or (name.group and f"{name.group}::{name.text}" not in text):
            same = name.group in ("", group)
            named[name.text if same else f"{name.group}::{name.text}"] = None
            group = name.group
    return f"[also: {' '.join(named)}]\n" if named else ""


def _count_lines_per_template(lines: Sequence[KeptLine], templates: Sequence[str]) -> Counter[str]:
    """Return the number of lines of each template in the whole output, as far as known."""
    counts: Counter[str] = Counter()
    families = {(templated, line.family) for templated, line in zip(templates, lines, strict=True)}
    mixed = {templated for templated, family in families if family.is_mixed}
    for templated, family in families:
        counts[templated] += family.count if templated not in mixed else 0
    return counts


def _join(pieces: Sequence[str]) -> str:
    text = "".join(pieces)
    return text if not text or text.endswith("\n") else f"{text}\n"
