"""Measure the shape of runs of lines: branches, comments and calls."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from satchel.parts import Lines
from satchel.patterns import lazily
from satchel.workspace.index.terms import runs_of

_WORDS = frozenset(
    "if for while case catch switch match elif except return raise throw loop".split()  # noqa: SIM905
)
_MARKS = ("&&", "||", "?")
_BRANCHES = lazily(rf"(?<![A-Za-z0-9_])(?:{'|'.join(sorted(_WORDS))})\b|{'|'.join(map(re.escape, _MARKS))}")
_DOCSTRING = lazily(r"[rRbBuUfF]{0,2}(\"\"\"|''')")
_HASHED = frozenset("py pyi rb sh bash pl r jl ex exs yml yaml toml cmake tf nix".split())  # noqa: SIM905
"""Suffixes of languages with hash comments and triple-quoted strings."""
_DIRECTIVES = frozenset("c h cc cpp cxx hh hpp hxx m mm cs rs".split())  # noqa: SIM905
"""Suffixes of languages in which a hash starts a directive or an attribute."""
_PER_LINE = 4
"""Weight of a nonempty line in addition to its characters."""


class Shape(NamedTuple):
    """The shape of a run of lines."""

    branches: int
    """Words and marks in its code where control flow branches or ends: `if`, `case`, `return`, `&&`, `?`."""
    comments: float
    """Share of comments and docstrings in its text, 0..1."""
    calls: int
    """Opening parentheses in its text: roughly its number of calls."""


class LineRun(NamedTuple):
    """A run of lines of a text, with its words."""

    lines: Lines
    text: str
    words: Sequence[str]
    """Its runs of letters, digits and "_"; used only for ASCII text."""


def shapes(lines: Sequence[str], runs: Sequence[LineRun], path: str) -> list[Shape]:
    """Return the shape of each run of a text's lines; the path's suffix determines the comment syntax."""
    said = _find_comments(lines, path.rpartition(".")[2].lower())
    places = [(bisect_left(said, run.lines[0] - 1), bisect_left(said, run.lines[1])) for run in runs]
    return [
        _measure_shape(run, lines, said[first:last]) for run, (first, last) in zip(runs, places, strict=True)
    ]


def _measure_shape(run: LineRun, lines: Sequence[str], said: Sequence[int]) -> Shape:
    """Return the shape of a run, given which of its lines are comments."""
    branches, calls = _count_branches(run.text, run.words), run.text.count("(")
    if not said:
        return Shape(branches, 0.0, calls)
    told = [lines[at] for at in said]
    text = "\n".join(told)
    if branches:
        branches -= _count_branches(text, runs_of(text))
    mine = lines[run.lines[0] - 1 : run.lines[1]]
    size = sum(map(len, mine)) + _PER_LINE * (len(mine) - mine.count(""))
    return Shape(branches, round((len(text) + 3 * len(told) + 1) / size, 2), calls)


def _count_branches(text: str, words: Sequence[str]) -> int:
    """Count the matches of `_BRANCHES` in a text, by its words if ASCII, which is several times as fast."""
    if not text.isascii():
        return len(_BRANCHES.findall(text))
    return sum(map(text.count, _MARKS)) + sum(map(_WORDS.__contains__, words))


def _find_comments(lines: Sequence[str], suffix: str) -> list[int]:
    """Return the lines, counted from 0, of comments and docstrings, without blank lines."""
    marks = ("#",) if suffix in _HASHED else ("//",) if suffix in _DIRECTIVES else ("//", "#")
    said = {
        at
        for mark in marks
        for at, line in enumerate(lines)
        if mark in line and line.lstrip().startswith(mark)
    }
    opened = _docstring if suffix in _HASHED else _block
    begin, end = 0, ""
    for at in _find_delimiters(lines, suffix):
        text = lines[at].strip()
        if not end:
            end, opens = opened(text)
            said.update([at] if opens else ())
            begin = at + 1
        elif end in text:
            said.update(_not_blank(lines, begin, at + 1))
            end = ""
    if end:
        said.update(_not_blank(lines, begin, len(lines)))
    return sorted(said)


def _not_blank(lines: Sequence[str], begin: int, end: int) -> Iterator[int]:
    return (at for at in range(begin, end) if lines[at] and not lines[at].isspace())


def _find_delimiters(lines: Sequence[str], suffix: str) -> list[int]:
    """Return the lines in which a multi-line comment or docstring can begin or end."""
    if suffix in _HASHED:
        return [at for at, line in enumerate(lines) if '"""' in line or "'''" in line]
    return [at for at, line in enumerate(lines) if "/*" in line or "*/" in line]


def _docstring(text: str) -> tuple[str, bool]:
    """Return the end of the docstring that a line leaves open, "" for none, and whether it opens one."""
    match = _DOCSTRING.match(text)
    if match is None:
        return "", False
    return "" if match[1] in text[match.end() :] else match[1], True


def _block(text: str) -> tuple[str, bool]:
    """Return the end of the comment that a line leaves open, "" for none, and whether it opens one."""
    if not text.startswith("/*"):
        return "", False
    return "" if "*/" in text[2:] else "*/", True
