"""The forms in which lines are shown: gap marks, ends that are cut, and names of what is left out."""

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
"""Of a pointer; so few name one text among millions."""


class Marks(NamedTuple):
    """How much the marks tell: where the budget is spent on lines, less."""

    ranges: bool
    """`[… lines 41-165]` for a gap: which lines; else `[… 125 lines]`."""
    counts: bool
    """` [x59]` after a line that many others are like."""
    sentence: bool
    """How many lines there are, and the command that shows them."""

    def part(self, line: int, start: int, end: int, *, is_addressed: bool = True) -> str:
        """Return `[… 12@301-900]`: characters of line 12 are left out, from 0; or `[600 characters]`.

        Those of a line that is not shown as it is stored have no address.
        """
        if self.ranges and is_addressed:
            return f"[{CUT} {line}@{start + 1}-{end}]"
        return f"[{end - start} characters]"

    def last(self, exit_code: int | None, lines: int, hash_: str) -> str:
        """Return the line that stands at the end where something is not shown.

        It ends in `:A-B` where the marks of gaps have the numbers to put there.
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
        """Return `[… lines 41-165]`: these are left out; or `[… 125 lines]`: so many."""
        if not marks.ranges:
            return f"[… {self._size} lines]" if self._size > 1 else "[… 1 line]"
        return f"[… lines {self.first}-{self.last}]" if self._size > 1 else f"[… line {self.last}]"

    @property
    def tokens(self) -> int:
        """What its shortest mark costs with the line's end, in vocabularies with numbers of three digits."""
        return 4 + -(-len(str(self._size)) // 3)

    @property
    def _size(self) -> int:
        return self.last - self.first + 1


GAP_LINE = lazily(r"\[… (?:\d+ lines?|lines? (?:(\d+)-)?(\d+))\]", re.ASCII)
"""A line that `Gap.mark` made: the first line of the gap, where it has several, and the last."""
CUT = "…"
_KEPT_OF_END, _CUT_OF_END = 24, 24
"""Characters of a repeated end that stay, so that it is known which; and that are cut at least."""


def cut_repeated_ends(lines: Sequence[KeptLine]) -> dict[int, str]:
    """Return by place what is left of failures, errors and warnings that end as the line above does."""
    short = {
        place + 1: _cut_repeated_end(line.text, above.text)
        for place, (above, line) in enumerate(pairwise(lines))
        if line.number == above.number + 1
        and min(line.family.judgement.rank, above.family.judgement.rank) >= Rank.WARNING
    }
    return {place: text for place, text in short.items() if text}


def find_runs(lines: Sequence[KeptLine]) -> dict[int, str]:
    """Return by place what others wrote before a line: of the runner of a job the job and the step alone."""
    leads = {
        place: line.text[: len(line.text) - len(bare)]
        for place, line in enumerate(lines)
        if not line.start and len(bare := strip_runner(line.text)) < len(line.text)
    }
    return {place: _strip_time(lead) for place, lead in leads.items()}


def _strip_time(lead: str) -> str:
    """Return the job and the step before the time that a runner wrote, "" for none; others stay."""
    return lead.rpartition("\t")[0] if "\t" in lead or _IS_TIME.match(lead) else lead


def _cut_repeated_end(text: str, above: str) -> str:
    """Return a line without the most of the end that the line above has too, "" where that is little."""
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
"""Of the first file's name, and what each further one loses."""
_OTHER_FILE = 37.0
"""Of one that no error names, where there are errors."""
_SOME, _ONLY_FILES = 40, 56.0
"""So many files, where nothing else stands out, are what the output is about."""
_CODE_WORTH, _MANY_CODES, _PER_CODE = 61.0, 69.0, 0.3
_LOST, _CHEAPER = 1.0, 0.6
"""A failure's name is worth this much less than its line, where it costs at most this share of it."""
_STRUCTURED = lazily(r"[_.\[/:-]|[a-z][A-Z]")
_NAMES_EDGES = "()[]:,;.✗✘✕×❌●'\""
_SHORTEST, _NAMES_LONGEST = 4, 160
_FEW = 3
_NAMES_LESS, _PER_NAME, _PER_CASE, _OF_NAME = 1.5, 0.8, 4.0, 57.0
"""What the first name of more than a few failures is worth less than the best line, and each further one; a
test's with each doubling of its cases; what all are worth at least: where there is room, they stand there.
"""


class Name(NamedTuple):
    """A name that may stand for lines that are not shown."""

    text: str
    worth: float
    cost: int
    """In tokens."""
    group: str = ""
    """What stands before the names of a group once: a file."""


def names(folded: Folded, values: Sequence[float]) -> list[Name]:
    """Return the names that may be told: of failures, of codes, of files."""
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
    """Return the file and the name of what failed, "" for what the line does not tell."""
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
