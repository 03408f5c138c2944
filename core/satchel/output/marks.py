"""The forms of shown lines: gap marks, cut ends, and names from left-out lines."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from satchel.output.folding import Folded, KeptLine
from satchel.output.judging import PANICKED, Rank, strip_message, strip_runner
from satchel.output.templates import code
from satchel.patterns import lazily
from satchel.tokens.guessing import guess

_DIGITS, _FEW_DIGITS = 12, 8
"""Digits of a pointer: so few identify one text among millions."""


class Marks(NamedTuple):
    """How much the marks say: less if the budget is spent on lines."""

    ranges: bool
    """`[… lines 41-165]` for a gap, with its line numbers; else `[… 125 lines]`."""
    counts: bool
    """` [x59]` after a line that has many similar ones."""
    sentence: bool
    """The number of lines, and the command that shows them."""

    def part(self, line: int, start: int, end: int, *, is_addressed: bool = True) -> str:
        """Return `[… 12@301-900]`: characters of line 12 are left out, from 0; or `[600 characters]`.

        Characters of a line that is not shown as it is stored have no address.
        """
        if self.ranges and is_addressed:
            return f"[{CUT} {line}@{start + 1}-{end}]"
        return f"[{end - start} characters]"

    def last(self, exit_code: int | None, lines: int, hash_: str) -> str:
        """Return the line at the end of an output with gaps.

        It ends in `:A-B` if the marks of gaps have the numbers to put there.
        """
        code = "" if exit_code is None else f"exit code {exit_code}; "
        pointer = self.pointer(hash_)
        if self.sentence:
            counted = f"{lines} line{'s' * (lines != 1)}"
            return f"[satchel: {code}{counted}; {'satchel ' if pointer else ''}{self._where(pointer)}]\n"
        return f"[satchel: {code}{self._where(pointer)}]\n"

    def _where(self, pointer: str) -> str:
        return f"expand {pointer}{':A-B' if self.ranges else ''}" if pointer else "not archived"

    def pointer(self, hash_: str) -> str:
        """Return the pointer to the whole output, "" if it could not be archived."""
        return f"blob:{hash_[: _DIGITS if self.sentence else _FEW_DIGITS]}" if hash_ else ""


FULL = Marks(ranges=True, counts=True, sentence=True)
RANGED = Marks(ranges=True, counts=False, sentence=False)
BARE = Marks(ranges=False, counts=False, sentence=False)
STYLES = (FULL, RANGED._replace(counts=True), RANGED, BARE._replace(counts=True), BARE)
"""From the richest on; the first that fits is used, and no line gives way to one richer than `RANGED`."""


class Gap(NamedTuple):
    """Lines that are not shown, from the first to the last, both inclusive."""

    first: int
    last: int
    lines: int
    """How many of them have content; a gap with 0 has no mark."""

    def mark(self, marks: Marks = FULL) -> str:
        """Return `[… lines 41-165]`, with the missing line numbers, or `[… 125 lines]`, with their count."""
        if not marks.ranges:
            return f"[… {self._size} lines]" if self._size > 1 else "[… 1 line]"
        return f"[… lines {self.first}-{self.last}]" if self._size > 1 else f"[… line {self.last}]"

    @property
    def tokens(self) -> int:
        """Return the cost of its shortest mark with a line feed, in vocabularies with three-digit numbers."""
        return 4 + -(-len(str(self._size)) // 3)

    @property
    def _size(self) -> int:
        return self.last - self.first + 1


GAP_LINE = lazily(r"\[… (?:\d+ lines?|lines? (?:(\d+)-)?(\d+))\]", re.ASCII)
"""A line that `Gap.mark` made: the first line of the gap, if it has several, and the last."""
CUT = "…"
_KEPT_OF_END, _CUT_OF_END = 24, 24
"""Characters of a repeated end that stay, to identify it; and the fewest that are cut."""


def cut_repeated_ends(lines: Sequence[KeptLine]) -> dict[int, str]:
    """Return by place the rest of failures, errors and warnings that end like the line above."""
    short = {
        place + 1: _cut_repeated_end(line.text, above.text)
        for place, (above, line) in enumerate(pairwise(lines))
        if line.number == above.number + 1
        and min(line.family.judgement.rank, above.family.judgement.rank) >= Rank.WARNING
    }
    return {place: text for place, text in short.items() if text}


def find_runs(lines: Sequence[KeptLine]) -> dict[int, str]:
    """Return by place the prefix of a line; for the runner of a job only the job and the step."""
    leads = {
        place: line.text[: len(line.text) - len(bare)]
        for place, line in enumerate(lines)
        if not line.start and len(bare := strip_runner(line.text)) < len(line.text)
    }
    return {place: _strip_time(lead) for place, lead in leads.items()}


def _strip_time(lead: str) -> str:
    """Return the job and the step before a runner's time stamp, "" if it has none; others stay."""
    return lead.rpartition("\t")[0] if "\t" in lead or _IS_TIME.match(lead) else lead


def _cut_repeated_end(text: str, above: str) -> str:
    """Return a line with most of the end that the line above shares cut, "" if that is little."""
    if text == above:
        return ""
    letters = zip(reversed(text), reversed(above), strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], letters))
    begins = text.find(" ", len(text) - same)
    end = text.find(" ", begins + _KEPT_OF_END)
    hardly = begins < 0 or end < 0 or len(text) - end < _CUT_OF_END
    return "" if hardly or not text[:begins].strip() else f"{text[:end]}{CUT}"


_IS_TIME = lazily(r"\ufeff?\d{4}-\d\d-\d\dT\S+ $")


_FILE_WORTH, _PER_FILE = 47.0, 0.06
"""Worth of the first file's name, and the loss of each further one."""
_OTHER_FILE = 37.0
"""Worth of a file that no error names, if there are errors."""
_SOME, _ONLY_FILES = 40, 56.0
"""Number of files that are the output's subject, if nothing else is notable; their worth."""
_CODE_WORTH, _MANY_CODES, _PER_CODE = 61.0, 69.0, 0.3
_LOST, _CHEAPER = 1.0, 0.6
"""Loss of a failure's name against its line, if it costs at most this share of the line."""
_STRUCTURED = lazily(r"[_.\[/:-]|[a-z][A-Z]")
_NAMES_EDGES = "()[]:,;.✗✘✕×❌●'\""
_SHORTEST, _NAMES_LONGEST = 4, 160
_FEW = 3
_NAMES_LESS, _PER_NAME, _PER_CASE, _OF_NAME = 1.5, 0.8, 4.0, 57.0
"""Loss of the first name of more than a few failures against the best line, and of each further one; of a
test's for each doubling of its cases; least worth of all: if there is room, they are shown.
"""


class Name(NamedTuple):
    """A name in place of lines that are not shown."""

    text: str
    worth: float
    cost: int
    """In tokens."""
    group: str = ""
    """The text before the names of a group, shown once: a file."""


def names(folded: Folded, values: Sequence[float]) -> list[Name]:
    """Return the names that may be shown: of failures, of codes, of files."""
    loud = any(line.family.judgement.rank in (Rank.ERROR, Rank.FAILURE) for line in folded.lines)
    best = _FILE_WORTH if loud or len(folded.files) > _SOME else _ONLY_FILES
    blamed = folded.files[: folded.blamed] if loud else folded.files
    others = folded.files[len(blamed) :]
    files = (*_files(blamed, best), *_files(others, _OTHER_FILE))
    return [*_failures(folded.lines, values), *_codes(folded.lines), *files]


def _failures(lines: Sequence[KeptLine], values: Sequence[float]) -> Iterator[Name]:
    found: dict[tuple[str, str], float] = {}
    for line, worth in zip(lines, values, strict=True):
        if line.family.judgement.rank is Rank.FAILURE:
            text = strip_runner(line.text)
            group, name = failure_name(text)
            if name and guess(name) <= _CHEAPER * guess(text):
                found.setdefault((group, name), worth - _LOST)
    named = {name for group, name in found if group}
    best = max(found.values(), default=0.0) - _NAMES_LESS
    groups: set[str] = set()
    cases: Counter[str] = Counter()
    for at, ((group, name), worth) in enumerate(found.items()):
        if group or name not in named:
            cost = guess(name) + 1 + (guess(group) if group not in groups else 0)
            groups.add(group)
            test = name.partition("[")[0]
            cases[test] += 1
            less = _PER_NAME * at + _PER_CASE * math.log2(cases[test])
            yield Name(
                name, worth if len(found) <= _FEW else max(best - less, min(best, _OF_NAME)), cost, group
            )


def failure_name(text: str) -> tuple[str, str]:
    """Return the file and the name of the failure in a line, "" for missing ones."""
    panicked = PANICKED.match(text)
    if panicked:
        return "", panicked[1]
    text = strip_message(text)
    words = [word if "[" in word else word.strip(_NAMES_EDGES) for word in text[:_NAMES_LONGEST].split()]
    longest = max(words, key=len, default="")
    if len(longest) < _SHORTEST or len(text) > _NAMES_LONGEST or not _STRUCTURED.search(longest):
        return "", ""
    path, _, name = longest.rpartition("::")
    last = re.split(r"[./:]+", longest)[-1]
    if last in words and last != longest:
        return "", last
    return (path.rpartition("/")[2], name) if "." in path or "/" in path else ("", longest)


def _codes(lines: Sequence[KeptLine]) -> Iterator[Name]:
    diagnosed = (line for line in lines if line.family.judgement.rank in (Rank.WARNING, Rank.ERROR))
    found = (code(line.text).strip("[]()") for line in diagnosed)
    codes = list(dict.fromkeys(filter(None, found)))
    best = _CODE_WORTH if len(codes) <= _FEW else _MANY_CODES
    for at, text in enumerate(codes):
        yield Name(text, best - _PER_CODE * at, guess(text) + 1)


def _files(files: Sequence[str], best: float) -> Iterator[Name]:
    for at, text in enumerate(files):
        yield Name(text, best - _PER_FILE * at, guess(text) + 1)
