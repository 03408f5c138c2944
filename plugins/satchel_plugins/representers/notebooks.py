"""Splits notebooks, as satchel reads them, into their cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from satchel.plugin_api import ContextItem, Part, Symbol, lazily

_CELL = lazily(r"# %% \[(\d+)\] ([\w./+-]+)(.*)")
_NAME = lazily(
    r"(?:(?:async\s+)?def|class|function|struct|fn)\s+([^\W\d]\w*)|([^\W\d]\w*)\s*(?:<-|=)\s*function\b"
)
_HEADING = lazily(r"#{1,6}\s+(\S.{0,79})")


@attrs.frozen(eq=False, repr=False)
class Notebooks:
    """Cells of a Jupyter notebook: code with its definitions, Markdown with its heading, outputs."""

    name, version = "notebooks", "1"

    def claims(self, item: ContextItem) -> float:
        """Return 0.95 for a notebook: it is no longer the JSON that its file holds."""
        return 0.95 if item.path.lower().endswith(".ipynb") else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return one part per cell or output; any other text is cut plainly."""
        from satchel_plugins.representers.outlines import plain_parts

        lines = (item.text or "").split("\n")
        if not _CELL.match(lines[0]):
            return plain_parts(item.text or "")
        count = len(lines) - (not lines[-1])
        opened = [(number, match) for number, line in enumerate(lines, 1) if (match := _CELL.match(line))]
        ends = [*(number - 1 for number, _ in opened[1:]), count]
        return [
            _part(match[1], match[2], (first, last), lines)
            for (first, match), last in zip(opened, ends, strict=True)
        ]


def _part(number: str, kind: str, cell: tuple[int, int], lines: Sequence[str]) -> Part:
    if kind == "output":
        return Part("block", "", cell)
    symbols = tuple(_symbols(kind, cell, lines))
    name = symbols[0].name if symbols else f"cell {number}"
    first, last = cell
    shown = next((at for at in range(first, last) if lines[at].strip()), first - 1)
    head = (first, shown + 1) if shown + 1 - first < 3 and len(lines[shown]) < 400 else (0, 0)
    return Part("section" if kind == "markdown" else "cell", name, cell, head, symbols=symbols)


def _symbols(cell_kind: str, cell: tuple[int, int], lines: Sequence[str]) -> Iterator[Symbol]:
    """Yield the definitions at the left edge of a cell, or its headings."""
    pattern, kind = (_HEADING, "section") if cell_kind == "markdown" else (_NAME, "function")
    for number in range(cell[0] + 1, cell[1] + 1):
        match = pattern.match(lines[number - 1][:400]) if cell_kind in ("markdown", "code") else None
        if match:
            name = next(group for group in match.groups() if group)
            yield Symbol(name.strip(), kind, (number, number), (number, number))
