"""Shapes of parts: how often their code branches, and how much of them comments make up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from satchel.parts import Lines

_BRANCHES = re.compile(
    r"(?<![A-Za-z0-9_])(?:if|for|while|ca(?:se|tch)|switch|match|elif|except|r(?:eturn|aise)|throw|loop)\b|&&|\|\||\?"
)
_DOCSTRING = re.compile(r"[rRbBuUfF]{0,2}(\"\"\"|''')")
_HASHED = frozenset("py pyi rb sh bash pl r jl ex exs yml yaml toml cmake tf nix".split())  # noqa: SIM905
"""Suffixes of languages whose comments begin with a hash, and whose long strings with three quotes."""
_DIRECTIVES = frozenset("c h cc cpp cxx hh hpp hxx m mm cs rs".split())  # noqa: SIM905
"""Suffixes of languages in which a hash begins a directive or an attribute."""


class Shape(NamedTuple):
    """What a run of lines is made of."""

    branches: int
    """Words and marks in its code where the course may part or end: `if`, `case`, `return`, `&&`, `?`."""
    comments: float
    """Share of its text that comments and docstrings make up, 0..1."""


def shapes(lines: Sequence[str], ranges: Sequence[Lines], path: str) -> list[Shape]:
    """Return the shape of each range of a text's lines; the path's suffix tells what a comment is."""
    said = _comments(lines, path.rpartition(".")[2].lower())
    return [_shape(lines[first - 1 : last], said[first - 1 : last]) for first, last in ranges]


def _shape(lines: Sequence[str], said: Sequence[bool]) -> Shape:
    code = "\n".join([line for line, is_said in zip(lines, said, strict=True) if not is_said])
    comments = sum([len(line) + 4 for line, is_said in zip(lines, said, strict=True) if is_said])
    everything = sum([len(line) + 4 for line in lines if line])
    return Shape(len(_BRANCHES.findall(code)), round(comments / everything, 2) if everything else 0.0)


def _comments(lines: Sequence[str], suffix: str) -> list[bool]:
    """Tell of each line whether it belongs to a comment or a docstring; blank lines do not."""
    opened = _docstring if suffix in _HASHED else _block
    hashed = suffix not in _DIRECTIVES
    said: list[bool] = []
    end = ""
    for line in lines:
        text = line.strip()
        if end:
            said.append(bool(text))
            end = "" if end in text else end
            continue
        end, is_said = opened(text)
        said.append(is_said or (hashed and text.startswith("#")))
    return said


def _docstring(text: str) -> tuple[str, bool]:
    """Return what ends the docstring that a line opens, "" for none, and whether it opens one."""
    match = _DOCSTRING.match(text)
    if match is None:
        return "", False
    return "" if match[1] in text[match.end() :] else match[1], True


def _block(text: str) -> tuple[str, bool]:
    """Return what ends the comment that a line opens, "" for none, and whether it is one."""
    if text.startswith("/*"):
        return "" if "*/" in text[2:] else "*/", True
    return "", text.startswith("//")
