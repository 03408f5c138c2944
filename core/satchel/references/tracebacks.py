"""Find frames of pasted tracebacks and compiler messages of a dozen languages in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from satchel.patterns import lazily

_GAP = 800
"""Most characters between two frames of one traceback: code lines and function names."""
_WIDE_GAP = 2_500
"""The same if frames show ten lines of code."""
_MOST = 5_000
_BEGINS = lazily(r"Traceback \(most|Caused by:|During handling|The above exception|goroutine \d|panicked at")
_LINE = r"(?P<line>\d{1,7})"
_DIGIT = lazily(r"\d")


class TracebackFrame(NamedTuple):
    """One frame of a traceback, not resolved in a workspace."""

    start: int
    """Where `text` begins."""
    text: str
    """As written."""
    path: str
    """As written; for a Java frame the path of its package."""
    line: int
    depth: int
    """0 is where the error was raised, 1 its caller."""
    trace: int
    """Index of the traceback in the text."""


def _read_forms() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the language and the expression of each form of a frame, as `frames.txt` has them."""
    for row in Path(__file__).with_name("frames.txt").read_text("utf-8").splitlines():
        language, _, expression = row.partition(": ")
        yield language, lazily(expression.replace("<line>", _LINE), re.MULTILINE)


_FORMS = tuple(_read_forms())
_LAST_IS_INNERMOST = frozenset({"python", "pytest", "ipython"})


_Frame = tuple[str, re.Match[str]]
"""The language of a frame, and its match."""


def find_frames(text: str) -> list[TracebackFrame]:
    """Return the frames in a text, by traceback, the innermost of each first; at most 5,000.

    A compiler's message is a traceback of one frame.
    """
    frames: list[TracebackFrame] = []
    for trace, found in groupby(_number_tracebacks(text, _match_frames(text)), key=lambda pair: pair[0]):
        own = [one for _, one in found]
        if own[0][0] in _LAST_IS_INNERMOST:
            own.reverse()
        frames.extend(
            TracebackFrame(*_trim_match(match), _frame_path(match), int(match["line"]), depth, trace)
            for depth, (_, match) in enumerate(own)
        )
    return frames


def _match_frames(text: str) -> list[_Frame]:
    """Return the matches of all formats in order, only the first of overlapping ones."""
    found: list[_Frame] = []
    forms = _FORMS if _DIGIT.search(text) else ()  # each format has a line number
    for language, pattern in forms:
        for at, match in enumerate(pattern.finditer(text)):
            if at >= _MOST:
                break
            found.append((language, match))
    apart: list[_Frame] = []
    for one in sorted(found, key=lambda one: one[1].span()):
        if not apart or one[1].start() >= apart[-1][1].end():
            apart.append(one)
    return apart[:_MOST]


def _number_tracebacks(text: str, found: list[_Frame]) -> Iterator[tuple[int, _Frame]]:
    """Yield each frame with the index of its traceback."""
    trace, before = -1, None
    for one in found:
        if before is None or not _continues(text, before, one):
            trace += 1
        before = one
        yield trace, one


def _continues(text: str, before: _Frame, one: _Frame) -> bool:
    language, end, start = one[0], before[1].end(), one[1].start()
    gap = _WIDE_GAP if language == "ipython" else _GAP
    if language != before[0] or language == "compiler" or start - end > gap:
        return False
    return _BEGINS.search(text, end, start + 12) is None


def _trim_match(match: re.Match[str]) -> tuple[int, str]:
    """Return the start and the text of a frame, without surrounding white space."""
    return match.end() - len(match[0].lstrip()), match[0].strip()


def _frame_path(match: re.Match[str]) -> str:
    path = match["path"].strip().strip("'\"")
    owner = match.groupdict().get("owner")
    if owner is None:
        return path
    packages = owner.rpartition("/")[2].split(".")[:-2]
    return "/".join([*(name for name in packages if name[:1].islower()), path])
