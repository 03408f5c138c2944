"""Splits notebooks, as satchel reads them, into their cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import attrs

from satchel.plugin_api import ContextItem, Part, Symbol, lazily

_CELL = lazily(r"# %% \[(\d+)\] ([\w./+-]+)(.*)")
_NAME = lazily(
    r"(?:(?:async\s+)?def|class|function|struct|fn)\s+([^\W\d]\w*)|([^\W\d]\w*)\s*(?:<-|=)\s*function\b"
)
_HEADING = lazily(r"#{1,6}\s+(\S.{0,79})")


class _Cell(NamedTuple):
    number: str
    kind: str
    first: int
    last: int


@attrs.frozen(eq=False, repr=False)
class Notebooks:
    """Cells of a Jupyter notebook: code with what it defines, Markdown with its heading, outputs."""

    name, version = "notebooks", "1"

    def claims(self, item: ContextItem) -> float:
        """Return 0.95 for a notebook: it is no longer the JSON that its file holds."""
        return 0.95 if item.path.lower().endswith(".ipynb") else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return one part per cell or output; what is not a notebook is cut plainly."""
        from satchel_plugins.representers.plain import plain_parts

        lines = (item.text or "").split("\n")
        if not _CELL.match(lines[0]):
            return plain_parts(item.text or "")
        return [_part(cell, lines) for cell in _cells(lines)]


def _cells(lines: Sequence[str]) -> Iterator[_Cell]:
    count = len(lines) - (not lines[-1])
    opened = [(number, match) for number, line in enumerate(lines, 1) if (match := _CELL.match(line))]
    ends = [number - 1 for number, _ in opened[1:]]
    for (first, match), last in zip(opened, [*ends, count], strict=True):
        yield _Cell(match[1], match[2], first, last)


def _part(cell: _Cell, lines: Sequence[str]) -> Part:
    symbols = tuple(_symbols(cell, lines))
    name = symbols[0].name if symbols else f"cell {cell.number}"
    if cell.kind == "output":
        return Part("block", "", (cell.first, cell.last))
    shown = next((at for at in range(cell.first, cell.last) if lines[at].strip()), cell.first - 1)
    head = (cell.first, shown + 1) if shown + 1 - cell.first < 3 and len(lines[shown]) < 400 else (0, 0)
    return Part(
        "section" if cell.kind == "markdown" else "cell", name, (cell.first, cell.last), head, symbols=symbols
    )


def _symbols(cell: _Cell, lines: Sequence[str]) -> Iterator[Symbol]:
    """Yield what the cell defines at its left edge, or its headings."""
    pattern, kind = (_HEADING, "section") if cell.kind == "markdown" else (_NAME, "function")
    for number in range(cell.first + 1, cell.last + 1):
        match = pattern.match(lines[number - 1][:400]) if cell.kind in ("markdown", "code") else None
        if match:
            name = next(group for group in match.groups() if group)
            yield Symbol(name.strip(), kind, (number, number), (number, number))
