"""Frames of pasted tracebacks and compiler messages, in a dozen languages, found in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from satchel.patterns import lazily

_GAP = 800
"""Characters between two frames of one traceback: their code lines, their function's name."""
_WIDE_GAP = 2_500
"""The same where a frame shows ten lines of its code."""
_MOST = 5_000
_BEGINS = lazily(r"Traceback \(most|Caused by:|During handling|The above exception|goroutine \d|panicked at")
_LINE = r"(?P<line>\d{1,7})"
_DIGIT = lazily(r"\d")


class Frame(NamedTuple):
    """One place of a traceback, not yet looked up in any workspace."""

    start: int
    """Where `text` begins."""
    text: str
    """As it was written."""
    path: str
    """As it was written; of a Java frame the path that its package means."""
    line: int
    depth: int
    """0 is where the error came up, 1 its caller."""
    trace: int
    """Number of the traceback in the text."""


class _Form(NamedTuple):
    language: str
    pattern: re.Pattern[str]


_FORMS = (
    _Form("python", lazily(rf'File "(?P<path>[^"\n]{{1,300}})", line {_LINE}(?:, in [^\s]{{1,120}})?')),
    _Form(
        "ipython",
        lazily(
            rf"^[ \t]{{0,8}}File (?P<path>[^\n\":]{{1,300}}):{_LINE}(?:, in [^\n]{{1,200}})?$", re.MULTILINE
        ),
    ),
    _Form(
        "ipython",
        lazily(
            r"^(?P<path>[^\s()]{1,300}\.pyx?) in [^\n]{1,200}"
            rf"(?=\n(?:[ \t]{{0,12}}\d{{1,7}}\b[^\n]{{0,300}}\n){{0,9}}?-{{1,6}}>[ \t]{{1,4}}{_LINE}\b)",
            re.MULTILINE,
        ),
    ),
    _Form(
        "java",
        lazily(
            r"\bat (?P<owner>[\w$.<>/@-]{1,250})"
            rf"\((?P<path>[\w$-]{{1,100}}\.(?:java|kt|scala|groovy|clj)):{_LINE}\)"
        ),
    ),
    _Form(
        "node",
        lazily(rf"\bat [^\n()]{{0,120}}\((?:file://)?(?P<path>[^\n()]{{1,300}}?):{_LINE}:\d{{1,7}}\)"),
    ),
    _Form("node", lazily(rf"\bat (?:async )?(?:file://)?(?P<path>[^\s()]{{1,300}}?):{_LINE}:\d{{1,7}}\b")),
    _Form("csharp", lazily(rf"\bin (?P<path>[^\n]{{1,200}}?):line {_LINE}")),
    _Form(
        "ruby",
        lazily(
            r"^[ \t]{0,20}(?:from |\d{1,4}: from )?(?P<path>[^\s:][^\n:]{0,200})"
            rf":{_LINE}:in [`'\"][^\n'\"]{{0,100}}",
            re.MULTILINE,
        ),
    ),
    _Form(
        "go",
        lazily(
            rf"^[ \t]{{1,8}}(?P<path>[^\n\t:]{{1,300}}\.go):{_LINE}(?: \+0x[0-9a-f]{{1,16}})?$", re.MULTILINE
        ),
    ),
    _Form(
        "rust",
        lazily(rf"panicked at (?:'[^\n]{{0,300}}?', )?(?P<path>[^\s:'][^\n:']{{0,200}}):{_LINE}:\d{{1,7}}"),
    ),
    _Form(
        "rust",
        lazily(rf"^[ \t]{{1,40}}at (?P<path>[^\n:]{{1,300}}\.rs):{_LINE}(?::\d{{1,7}})?$", re.MULTILINE),
    ),
    _Form("php", lazily(rf"#\d{{1,4}} (?P<path>[^\n(:]{{1,300}}|[A-Za-z]:[^\n(:]{{1,300}})\({_LINE}\): ")),
    _Form("php", lazily(rf"\bin (?P<path>[^\s\n]{{1,300}}?\.php)(?: on line |:){_LINE}")),
    _Form("compiler", lazily(rf"^[ \t]{{0,8}}--> (?P<path>[^\n:]{{1,300}}):{_LINE}:\d{{1,7}}", re.MULTILINE)),
    _Form(
        "compiler",
        lazily(
            r"^(?P<path>(?:[A-Za-z]:)?[^\s:]{1,200})"
            rf":{_LINE}:(?:\d{{1,5}}:)? (?:fatal )?(?:error|warning|note)\b",
            re.MULTILINE,
        ),
    ),
    _Form(
        "compiler",
        lazily(
            r"^[ \t]{0,8}(?P<path>[^\s(]{1,200})"
            rf"\({_LINE}(?:,\d{{1,5}})?\)\s?: (?:fatal )?(?:error|warning)\b",
            re.MULTILINE,
        ),
    ),
    _Form(
        "pytest",
        lazily(
            rf"^(?P<path>[\w./\\+-]{{1,200}}\.py):{_LINE}: (?:in \w{{1,100}}|[A-Z]\w{{1,60}})\b", re.MULTILINE
        ),
    ),
)
_LAST_IS_INNERMOST = frozenset({"python", "pytest", "ipython"})


class _Found(NamedTuple):
    start: int
    end: int
    language: str
    match: re.Match[str]


def find_frames(text: str) -> list[Frame]:
    """Return the frames in a text, by traceback, the innermost of each first; at most 5,000.

    A compiler's message is a traceback of one frame.
    """
    frames: list[Frame] = []
    for trace, found in groupby(_numbered(text, _apart(text)), key=lambda pair: pair[0]):
        own = [one for _, one in found]
        if own[0].language in _LAST_IS_INNERMOST:
            own.reverse()
        frames.extend(
            Frame(*_written(one.match), _path(one.match), int(one.match["line"]), depth, trace)
            for depth, one in enumerate(own)
        )
    return frames


def _apart(text: str) -> list[_Found]:
    """Return what the forms match, in order, the first of those that overlap."""
    found: list[_Found] = []
    forms = _FORMS if _DIGIT.search(text) else ()  # each has the number of a line
    for language, pattern in forms:
        for at, match in enumerate(pattern.finditer(text)):
            if at >= _MOST:
                break
            found.append(_Found(match.start(), match.end(), language, match))
    apart: list[_Found] = []
    for one in sorted(found, key=lambda one: one[:2]):
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
    return apart[:_MOST]


def _numbered(text: str, found: list[_Found]) -> Iterator[tuple[int, _Found]]:
    """Give each frame the number of its traceback."""
    trace, before = -1, None
    for one in found:
        if before is None or not _continues(text, before, one):
            trace += 1
        before = one
        yield trace, one


def _continues(text: str, before: _Found, one: _Found) -> bool:
    gap = _WIDE_GAP if one.language == "ipython" else _GAP
    if one.language != before.language or one.language == "compiler" or one.start - before.end > gap:
        return False
    return _BEGINS.search(text, before.end, one.start + 12) is None


def _written(match: re.Match[str]) -> tuple[int, str]:
    """Return where the frame begins and how it is written, without the white space around it."""
    return match.end() - len(match[0].lstrip()), match[0].strip()


def _path(match: re.Match[str]) -> str:
    path = match["path"].strip().strip("'\"")
    owner = match.groupdict().get("owner")
    if owner is None:
        return path
    packages = owner.rpartition("/")[2].split(".")[:-2]
    return "/".join([*(name for name in packages if name[:1].islower()), path])
