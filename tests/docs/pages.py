"""The pages of the documentation, and the blocks of code in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / "examples").glob("*/README.md")])

_FENCED = re.compile(
    r"(?:^<!-- file: (?P<file>\S+) -->\n)?^(?P<fence>`{3,})(?P<language>\w*)\n(?P<code>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_INDENTED = re.compile(r"(?:^ {4}.*\n)+", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block; `file` is the name in a `<!-- file: ... -->` line above it, "" where there is none."""

    language: str
    code: str
    file: str = ""


def name_of(page: Path) -> str:
    """Return the page's path below the repository, for test ids."""
    return page.relative_to(ROOT).as_posix()


def read(name: str) -> str:
    """Return the text of a page below `docs`."""
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def blocks(text: str, language: str = "") -> list[Block]:
    """Return the fenced blocks of a page, those of one language where it is given."""
    found = [Block(m["language"], m["code"], m["file"] or "") for m in _FENCED.finditer(text)]
    return [block for block in found if not language or block.language == language]


def shell_lines(text: str) -> Iterator[str]:
    """Yield the lines of code that a person could type: indented ones, and fenced ones without a language."""
    bare = _FENCED.sub("", text)
    code = [m[0] for m in _INDENTED.finditer(bare)]
    code += [block.code for block in blocks(text) if block.language in ("", "sh", "bash", "shell", "console")]
    joined = "\n".join(code).replace("\\\n", " ")
    yield from (line.strip().removeprefix("$ ") for line in joined.splitlines())


def section(text: str, heading: str) -> str:
    """Return what stands under a heading of level 2 or 3, up to the next one of its level or above."""
    found = re.search(rf"^(##+) {re.escape(heading)}$", text, re.M)
    assert found, f"the page has no heading {heading!r}: what it names must be described under one"
    level, rest = found[1], text[found.end() :]
    return re.split(rf"^#{{2,{len(level)}}} ", rest, maxsplit=1, flags=re.M)[0]


def table(text: str) -> dict[str, list[str]]:
    """Return the rows of the tables in a text: the name in backquotes that begins each -> the other cells."""
    rows = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in text.splitlines()
        if line[:1] == "|"
    ]
    return {
        cells[0].strip("` "): [cell.strip(" |") for cell in cells[1:]] for cells in rows if "`" in cells[0]
    }
