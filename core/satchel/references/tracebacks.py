"""Find frames of pasted tracebacks and compiler messages of a dozen languages in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
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


class _FrameFormat(NamedTuple):
    language: str
    pattern: re.Pattern[str]


_FORMS = (
    _FrameFormat(
        "python", lazily(rf'File "(?P<path>[^"\n]{{1,300}})", line {_LINE}(?:, in [^\s]{{1,120}})?')
    ),
    _FrameFormat(
        "ipython",
        lazily(
            rf"^[ \t]{{0,8}}File (?P<path>[^\n\":]{{1,300}}):{_LINE}(?:, in [^\n]{{1,200}})?$", re.MULTILINE
        ),
    ),
    _FrameFormat(
        "ipython",
        lazily(
            r"^(?P<path>[^\s()]{1,300}\.pyx?) in [^\n]{1,200}"
            rf"(?=\n(?:[ \t]{{0,12}}\d{{1,7}}\b[^\n]{{0,300}}\n){{0,9}}?-{{1,6}}>[ \t]{{1,4}}{_LINE}\b)",
            re.MULTILINE,
        ),
    ),
    _FrameFormat(
        "java",
        lazily(
            r"\bat (?P<owner>[\w$.<>/@-]{1,250})"
            rf"\((?P<path>[\w$-]{{1,100}}\.(?:java|kt|scala|groovy|clj)):{_LINE}\)"
        ),
    ),
    _FrameFormat(
        "node",
        lazily(rf"\bat [^\n()]{{0,120}}\((?:file://)?(?P<path>[^\n()]{{1,300}}?):{_LINE}:\d{{1,7}}\)"),
    ),
    _FrameFormat(
        "node", lazily(rf"\bat (?:async )?(?:file://)?(?P<path>[^\s()]{{1,300}}?):{_LINE}:\d{{1,7}}\b")
    ),
    _FrameFormat("csharp", lazily(rf"\bin (?P<path>[^\n]{{1,200}}?):line {_LINE}")),
    _FrameFormat(
        "ruby",
        lazily(
            r"^[ \t]{0,20}(?:from |\d{1,4}: from )?(?P<path>[^\s:][^\n:]{0,200})"
            rf":{_LINE}:in [`'\"][^\n'\"]{{0,100}}",
            re.MULTILINE,
        ),
    ),
    _FrameFormat(
        "go",
        lazily(
            rf"^[ \t]{{1,8}}(?P<path>[^\n\t:]{{1,300}}\.go):{_LINE}(?: \+0x[0-9a-f]{{1,16}})?$", re.MULTILINE
        ),
    ),
    _FrameFormat(
        "rust",
        lazily(rf"panicked at (?:'[^\n]{{0,300}}?', )?(?P<path>[^\s:'][^\n:']{{0,200}}):{_LINE}:\d{{1,7}}"),
    ),
    _FrameFormat(
        "rust",
        lazily(rf"^[ \t]{{1,40}}at (?P<path>[^\n:]{{1,300}}\.rs):{_LINE}(?::\d{{1,7}})?$", re.MULTILINE),
    ),
    _FrameFormat(
        "php", lazily(rf"#\d{{1,4}} (?P<path>[^\n(:]{{1,300}}|[A-Za-z]:[^\n(:]{{1,300}})\({_LINE}\): ")
    ),
    _FrameFormat("php", lazily(rf"\bin (?P<path>[^\s\n]{{1,300}}?\.php)(?: on line |:){_LINE}")),
    _FrameFormat(
        "compiler", lazily(rf"^[ \t]{{0,8}}--> (?P<path>[^\n:]{{1,300}}):{_LINE}:\d{{1,7}}", re.MULTILINE)
    ),
    _FrameFormat(
        "compiler",
        lazily(
            r"^(?P<path>(?:[A-Za-z]:)?[^\s:]{1,200})"
            rf":{_LINE}:(?:\d{{1,5}}:)? (?:fatal )?(?:error|warning|note)\b",
            re.MULTILINE,
        ),
    ),
    _FrameFormat(
        "compiler",
        lazily(
            r"^[ \t]{0,8}(?P<path>[^\s(]{1,200})"
            rf"\({_LINE}(?:,\d{{1,5}})?\)\s?: (?:fatal )?(?:error|warning)\b",
            re.MULTILINE,
        ),
    ),
    _FrameFormat(
        "pytest",
        lazily(
            rf"^(?P<path>[\w./\\+-]{{1,200}}\.py):{_LINE}: (?:in \w{{1,100}}|[A-Z]\w{{1,60}})\b", re.MULTILINE
        ),
    ),
)
_LAST_IS_INNERMOST = frozenset({"python", "pytest", "ipython"})


class _FrameMatch(NamedTuple):
    start: int
    end: int
    language: str
    match: re.Match[str]


def find_frames(text: str) -> list[TracebackFrame]:
    """Return the frames in a text, by traceback, the innermost of each first; at most 5,000.

    A compiler's message is a traceback of one frame.
    """
    frames: list[TracebackFrame] = []
    for trace, found in groupby(_number_tracebacks(text, _match_frames(text)), key=lambda pair: pair[0]):
        own = [one for _, one in found]
        if own[0].language in _LAST_IS_INNERMOST:
            own.reverse()
        frames.extend(
            TracebackFrame(
                *_trim_match(one.match), _frame_path(one.match), int(one.match["line"]), depth, trace
            )
            for depth, one in enumerate(own)
        )
    return frames


def _match_frames(text: str) -> list[_FrameMatch]:
    """Return the matches of all formats in order, only the first of overlapping ones."""
    found: list[_FrameMatch] = []
    forms = _FORMS if _DIGIT.search(text) else ()  # each format has a line number
    for language, pattern in forms:
        for at, match in enumerate(pattern.finditer(text)):
            if at >= _MOST:
                break
            found.append(_FrameMatch(match.start(), match.end(), language, match))
    apart: list[_FrameMatch] = []
    for one in sorted(found, key=lambda one: one[:2]):
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
    return apart[:_MOST]


def _number_tracebacks(text: str, found: list[_FrameMatch]) -> Iterator[tuple[int, _FrameMatch]]:
    """Yield each frame with the index of its traceback."""
    trace, before = -1, None
    for one in found:
        if before is None or not _continues(text, before, one):
            trace += 1
        before = one
        yield trace, one


def _continues(text: str, before: _FrameMatch, one: _FrameMatch) -> bool:
    gap = _WIDE_GAP if one.language == "ipython" else _GAP
    if one.language != before.language or one.language == "compiler" or one.start - before.end > gap:
        return False
    return _BEGINS.search(text, before.end, one.start + 12) is None


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
