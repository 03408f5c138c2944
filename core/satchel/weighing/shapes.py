"""Shapes of parts: how often their code branches and calls, and how much of them comments make up."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from satchel.parts import Lines
from satchel.patterns import lazily
from satchel.workspace.terms import runs_of

_WORDS = frozenset(
    "if for while case catch switch match elif except return raise throw loop".split()  # noqa: SIM905
)
_MARKS = ("&&", "||", "?")
_BRANCHES = lazily(rf"(?<![A-Za-z0-9_])(?:{'|'.join(sorted(_WORDS))})\b|{'|'.join(map(re.escape, _MARKS))}")
_DOCSTRING = lazily(r"[rRbBuUfF]{0,2}(\"\"\"|''')")
_HASHED = frozenset("py pyi rb sh bash pl r jl ex exs yml yaml toml cmake tf nix".split())  # noqa: SIM905
"""Suffixes of languages whose comments begin with a hash, and whose long strings with three quotes."""
_DIRECTIVES = frozenset("c h cc cpp cxx hh hpp hxx m mm cs rs".split())  # noqa: SIM905
"""Suffixes of languages in which a hash begins a directive or an attribute."""
_PER_LINE = 4
"""What a line that is not empty counts beside its characters."""


class Shape(NamedTuple):
    """What a run of lines is made of."""

    branches: int
    """Words and marks in its code where the course may part or end: `if`, `case`, `return`, `&&`, `?`."""
    comments: float
    """Share of its text that comments and docstrings make up, 0..1."""
    calls: int
    """Opening parentheses in its text: about how often it calls something."""


class Run(NamedTuple):
    """Some lines of a text, and what they hold."""

    lines: Lines
    text: str
    words: Sequence[str]
    """The runs of letters, digits and "_" in it; asked where the text is ASCII."""


def shapes(lines: Sequence[str], runs: Sequence[Run], path: str) -> list[Shape]:
    """Return the shape of each run of a text's lines; the path's suffix tells what a comment is."""
    said = _comments(lines, path.rpartition(".")[2].lower())
    places = [(bisect_left(said, run.lines[0] - 1), bisect_left(said, run.lines[1])) for run in runs]
    return [_shape(run, lines, said[first:last]) for run, (first, last) in zip(runs, places, strict=True)]


def _shape(run: Run, lines: Sequence[str], said: Sequence[int]) -> Shape:
    """Return the shape of a run in which these lines are comments."""
    branches, calls = _branches(run.text, run.words), run.text.count("(")
    if not said:
        return Shape(branches, 0.0, calls)
    told = [lines[at] for at in said]
    text = "\n".join(told)
    if branches:
        branches -= _branches(text, runs_of(text))
    mine = lines[run.lines[0] - 1 : run.lines[1]]
    size = sum(map(len, mine)) + _PER_LINE * (len(mine) - mine.count(""))
    return Shape(branches, round((len(text) + 3 * len(told) + 1) / size, 2), calls)


def _branches(text: str, words: Sequence[str]) -> int:
    """Count what `_BRANCHES` finds in a text, by its words where these tell enough: several times as fast."""
    if not text.isascii():
        return len(_BRANCHES.findall(text))
    return sum(map(text.count, _MARKS)) + sum(map(_WORDS.__contains__, words))


def _comments(lines: Sequence[str], suffix: str) -> list[int]:
    """Return the lines, counted from 0, that belong to a comment or a docstring; no blank one does."""
    marks = ("#",) if suffix in _HASHED else ("//",) if suffix in _DIRECTIVES else ("//", "#")
    said = {
        at
        for mark in marks
        for at, line in enumerate(lines)
        if mark in line and line.lstrip().startswith(mark)
    }
    opened = _docstring if suffix in _HASHED else _block
    begin, end = 0, ""
    for at in _marked(lines, suffix):
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


def _marked(lines: Sequence[str], suffix: str) -> list[int]:
    """Return the lines in which a comment or docstring of several lines can begin or end."""
    if suffix in _HASHED:
        return [at for at, line in enumerate(lines) if '"""' in line or "'''" in line]
    return [at for at, line in enumerate(lines) if "/*" in line or "*/" in line]


def _docstring(text: str) -> tuple[str, bool]:
    """Return what ends the docstring that a line opens, "" for none, and whether it opens one."""
    match = _DOCSTRING.match(text)
    if match is None:
        return "", False
    return "" if match[1] in text[match.end() :] else match[1], True


def _block(text: str) -> tuple[str, bool]:
    """Return what ends the comment that a line opens, "" for none, and whether it is one."""
    if not text.startswith("/*"):
        return "", False
    return "" if "*/" in text[2:] else "*/", True
