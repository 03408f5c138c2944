"""Pieces: the lines of a text that can stand alone in a window, with the references that they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

LONGEST = 240
"""Characters of a line that stand together; a longer line is cut into pieces of about this length."""
GAP = "…"
GAP_TOKENS = 2
ESCAPED = 1.15
"""How much longer a text is inside of a call's arguments."""
_RUN = re.compile(r"[\w@~./+-]{4,}|\d{3}")
_NAME = re.compile(r"[A-Za-z_]\w{3,}")
_QUOTED = re.compile(r"""(["'`])([^"'`\n]{12,100})\1""")
_EXTENSION = re.compile(r"[\w@~+-][\w.@~+/-]*\.[A-Za-z][A-Za-z0-9]{0,4}")
_DIGITS = re.compile(r"\d{3,}(?:\.\d+)?")
_HUMP = re.compile(r"[a-z][A-Z]|[A-Za-z]\d")
_NUMBERED = re.compile(r"\s{0,8}(\d{1,7})(?:→|\t|:\s|-\s|\s?\|)")
"""The number of a line in a listing."""
LINE = "#"
"""What stands before the number of a line, as a reference."""
_WORDLESS = re.compile(r"[\W\d_]+\Z")
_ENDS = ".,:-+"
_SPACE = re.compile(r"\s")


class Piece(NamedTuple):
    """A line of a text, or a stretch of a long one."""

    start: int
    end: int
    refs: tuple[str, ...]
    tokens: int = 0
    """As it counts with a line feed after it."""


class Reader:
    """Cuts texts into pieces, and remembers which words are references."""

    def __init__(self) -> None:
        self._of_run: dict[str, tuple[str, ...]] = {}
        self._of_line: dict[str, tuple[str, ...]] = {}
        self._of_listed: dict[str, tuple[str, ...]] = {}

    def pieces(self, text: str, tokens: int) -> tuple[Piece, ...]:
        """Return the pieces of a text of so many tokens, in order; blank lines are none.

        Each has the share of the tokens that it has of the characters.
        """
        rate = tokens / max(1, len(text))
        return tuple(
            [
                Piece(start, end, self._listed(text[start:end]), int((end - start) * rate) + 1)
                for start, end in _spans(text)
            ]
        )

    def _listed(self, line: str) -> tuple[str, ...]:
        """Return the references in a line of a text; where it has a number in front, `#` and that last."""
        refs = self._of_listed.get(line)
        if refs is None:
            number = _NUMBERED.match(line)
            refs = self._of_listed[line] = self.refs(line) if number is None else self._numbered(line, number)
        return refs

    def _numbered(self, line: str, number: re.Match[str]) -> tuple[str, ...]:
        refs = self.refs(line[number.end() :])
        return (*refs, f"{LINE}{number[1]}") if len(number[1]) > 2 else refs

    def refs(self, line: str) -> tuple[str, ...]:
        """Return the references in a line, each once: paths, names of code, numbers, quoted words."""
        refs = self._of_line.get(line)
        if refs is None:
            refs = self._of_line[line] = self._found(line)
        return refs

    def _found(self, line: str) -> tuple[str, ...]:
        found: list[str] = []
        known = self._of_run
        for run in _RUN.findall(line):
            refs = known.get(run)
            if refs is None:
                refs = known[run] = _refs_of(run)
            found += refs
        if len(line) > 14 and ("'" in line or '"' in line or "`" in line):
            found += [words for _, words in _QUOTED.findall(line) if " " in words.strip()]
        return tuple(dict.fromkeys(found))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if line and not line.isspace():
            if len(line) <= LONGEST:
                yield start, end
            else:
                yield from _stretches(text, start, end)
        start = end + 1


def _stretches(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield stretches of a long line, cut at white space where there is some."""
    while end - start > LONGEST + LONGEST // 4:
        space = _SPACE.search(text, start + LONGEST * 3 // 4, start + LONGEST)
        cut = space.start() if space else start + LONGEST
        yield start, cut
        start = cut
    if not text[start:end].isspace():
        yield start, end


def _refs_of(run: str) -> tuple[str, ...]:
    """Return the references in a run of letters, digits and the marks of paths."""
    core = run.rstrip(_ENDS)
    if core.isalpha():
        return (core,) if not core.islower() and is_code(core) else ()
    found = [core] if _is_path(core) else []
    found += [name for name in _NAME.findall(core) if is_code(name)]
    found += [number for number in _DIGITS.findall(core) if len(core) <= len(number) + 8]
    if 7 <= len(core) <= 40 and core.isalnum() and not core.isdigit():
        found.append(core)
    return tuple(dict.fromkeys(found))


def _is_path(run: str) -> bool:
    return len(run) > 4 and ("/" in run or _EXTENSION.fullmatch(run) is not None) and not _WORDLESS.match(run)


def is_code(name: str) -> bool:
    """Whether a word is written as names in code are: with underscores, humps or digits."""
    core = name.strip("_")
    if len(core) < 4:
        return False
    return "_" in core or _HUMP.search(core) is not None or core.endswith(("Error", "Exception", "Warning"))


def joined(text: str, pieces: Sequence[Piece], chosen: Iterable[int]) -> str:
    """Return the chosen pieces of a text in order, with a mark where something is left out between."""
    said: list[str] = []
    before = -1
    for at in sorted(chosen):
        if said or at > 0:
            near = at == before + 1
            said.append(text[pieces[before].end : pieces[at].start] if near and said else f"\n{GAP}\n")
        said.append(text[pieces[at].start : pieces[at].end])
        before = at
    if before < len(pieces) - 1 and said:
        said.append(f"\n{GAP}")
    return "".join(said).lstrip("\n")
