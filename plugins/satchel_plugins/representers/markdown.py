"""Splits prose with headings: Markdown, reStructuredText and AsciiDoc."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import attrs

from satchel import ContextItem, Part
from satchel.patterns import lazily
from satchel_plugins.representers.definitions import Definition, Outline, lines_of, tidy

_SUFFIXES = {
    "md": "markdown", "markdown": "markdown", "mdx": "markdown", "mdc": "markdown", "qmd": "markdown",
    "rmd": "markdown", "rst": "restructured", "rest": "restructured",
    "adoc": "asciidoc", "asciidoc": "asciidoc", "asc": "asciidoc",
}  # fmt: skip
_NAMES = frozenset({"README", "CHANGELOG", "CONTRIBUTING", "CHANGES", "NEWS", "HISTORY"})
_ATX = lazily(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_FENCE = lazily(r" {0,3}(`{3,}|~{3,})(.*)$")
_SETEXT = lazily(r" {0,3}(=+|-{2,})[ \t]*$")
_NOT_PARAGRAPH = lazily(r"\s*([-*+>|#]|\d+[.)]\s|    |\t|```|~~~|$)")
_ADORNMENT = lazily(r"([!-/:-@\[-`{-~])\1{2,}$")
_ASCIIDOC = lazily(r"(={1,6})\s+(\S.*?)\s*$")
_ASCIIDOC_FENCE = lazily(r"(-{4,}|={4,}|\.{4,}|\+{4,}|\*{4,}|_{4,}|/{4,}|```)\s*$")


class _Heading(NamedTuple):
    first: int
    last: int
    level: int
    title: str


@attrs.frozen(eq=False, repr=False)
class Prose:
    """Sections of Markdown, reStructuredText and AsciiDoc: a part runs to the next heading."""

    name: ClassVar[str] = "markdown"
    version: ClassVar[str] = "1"

    def claims(self, item: ContextItem) -> float:
        """Return 0.9 for a file whose suffix is known, 0.3 for a README without one."""
        file_name = item.path.rpartition("/")[2]
        if file_name.rpartition(".")[2].lower() in _SUFFIXES and "." in file_name:
            return 0.9
        return 0.3 if file_name.upper() in _NAMES else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return one part per heading; long sections are cut at paragraphs."""
        from satchel_plugins.representers.partition import Sizes, partition

        text = item.text or ""
        lines = [line.rstrip("\r") for line in lines_of(text)]
        language = _SUFFIXES.get(item.path.rpartition(".")[2].lower(), "markdown")
        headings = list(_FINDERS[language](lines))
        return partition(
            text, Outline(tuple(_sections(headings, len(lines)))), Sizes(small=0, whole=60, block=60)
        )


def _sections(headings: Sequence[_Heading], count: int) -> Iterator[Definition]:
    """Yield a section per heading: it ends before the next heading of its level or above."""
    open_sections: list[int] = []
    ends = [count] * len(headings)
    for at, heading in enumerate(headings):
        while open_sections and headings[open_sections[-1]].level >= heading.level:
            ends[open_sections.pop()] = heading.first - 1
        open_sections.append(at)
    for at, heading in enumerate(headings):
        head = (heading.first, heading.last)
        yield Definition(tidy(heading.title), "section", heading.first, ends[at], head)


def _markdown(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield the ATX and setext headings that stand outside front matter, fences and comments."""
    start = _after_front_matter(lines)
    fence = ""
    paragraph = 0
    for number, line in enumerate(lines[start:], start + 1):
        if fence:
            fence = "" if _closes(line, fence) else fence
        elif opened := _opened_fence(line):
            fence, paragraph = opened, 0
        elif heading := _heading(lines, number, paragraph):
            yield heading
            paragraph = 0
        else:
            paragraph = 0 if _NOT_PARAGRAPH.match(line) else paragraph or number


def _opened_fence(line: str) -> str:
    """Return the marks that open a fence, "" where none is opened: backticks stand before inline code too."""
    fence = _FENCE.match(line)
    return "" if fence is None or (fence[1][0] == "`" and "`" in fence[2]) else fence[1]


def _closes(line: str, opened: str) -> bool:
    """Return whether a line closes a fence: as many of its marks at least, and nothing after them."""
    fence = _FENCE.match(line)
    return fence is not None and fence[1].startswith(opened) and not fence[2].strip()


def _heading(lines: Sequence[str], number: int, paragraph: int) -> _Heading | None:
    """Return the heading that ends on a line; `paragraph` is where the text above begins, 0 for none."""
    line = lines[number - 1]
    if atx := _ATX.match(line):
        return _Heading(number, number, len(atx[1]), atx[2] or "")
    if paragraph and (under := _SETEXT.match(line)):
        return _Heading(paragraph, number, 1 if under[1][0] == "=" else 2, lines[number - 2].strip())
    return None


def _after_front_matter(lines: Sequence[str]) -> int:
    """Return how many lines the YAML or TOML front matter takes, 0 where there is none."""
    if not lines or lines[0].rstrip() not in ("---", "+++"):
        return 0
    closing = (lines[0].rstrip(), "...") if lines[0].startswith("-") else (lines[0].rstrip(),)
    ends = (number for number, line in enumerate(lines[1:200], 2) if line.rstrip() in closing)
    return next(ends, 0)


def _restructured(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield titles with a line under them, and perhaps over them, of one repeated mark."""
    levels: dict[str, int] = {}
    for number in range(2, len(lines) + 1):
        line, title = lines[number - 1].rstrip(), lines[number - 2].strip()
        if not _ADORNMENT.match(line) or not title or _ADORNMENT.match(title):
            continue
        over = number > 2 and lines[number - 3].rstrip() == line
        indented = lines[number - 2][:1].isspace() and not over
        before = lines[number - 3].strip() if number > 2 else ""
        if indented or len(line) < len(title) - 3 or (before and not over):
            continue
        level = levels.setdefault(line[0] + "o" * over, len(levels) + 1)
        yield _Heading(number - 1 - over, number, level, title)


def _asciidoc(lines: Sequence[str]) -> Iterator[_Heading]:
    """Yield the headings that stand outside delimited blocks."""
    fence = ""
    for number, line in enumerate(lines, 1):
        delimiter = _ASCIIDOC_FENCE.match(line)
        if fence:
            fence = "" if line.rstrip() == fence else fence
        elif delimiter:
            fence = line.rstrip()
        elif heading := _ASCIIDOC.match(line):
            yield _Heading(number, number, len(heading[1]), heading[2])


_FINDERS = {"markdown": _markdown, "restructured": _restructured, "asciidoc": _asciidoc}
