r"""Read a Jupyter notebook as text: its cells' sources and short outputs, with a line above each.

Pictures and long outputs are named with their size. `# %% [3] code` begins a cell or an output, and
no line of a cell looks so: one that does is shown as `\u{23} %% [3]`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from satchel.patterns import lazily

LARGEST_NOTEBOOK = 64 * 1024 * 1024
"""Bytes; a larger one is named and not read."""
_MOST_LINES = 30
_MOST_LETTERS = 2_000
_CELL_LINE = lazily(r"^#(?= %% \[\d)", re.MULTILINE)
_COLOURS = lazily(r"\x1b\[[\d;]{0,40}m")
_WORD = lazily(r"[\w./+-]{1,60}")


def is_notebook(path: str) -> bool:
    """Tell from its path whether a file should be a notebook."""
    return path.lower().endswith(".ipynb")


def notebook_text(text: str) -> str | None:
    """Return the cells of a notebook as text, None where the text is no notebook."""
    try:
        notebook: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    cells = _cells(notebook)
    if cells is None:
        return None
    lines = [line for number, cell in enumerate(cells, start=1) for line in _shown(cell, number)]
    return "\n".join([*lines, ""])


def _cells(notebook: object) -> list[Mapping[str, object]] | None:
    """Return the cells: version 4 has them at the top, version 3 in worksheets."""
    if not isinstance(notebook, dict):
        return None
    sheets = notebook.get("worksheets")
    places = [notebook, *(sheets if isinstance(sheets, list) else [])]
    lists = [
        place["cells"] for place in places if isinstance(place, dict) and isinstance(place.get("cells"), list)
    ]
    return [cell for cells in lists for cell in cells if isinstance(cell, dict)] if lists else None


def _shown(cell: Mapping[str, object], number: int) -> Iterator[str]:
    yield f"# %% [{number}] {_word(cell.get('cell_type'))}"
    yield from _lines(_text(cell.get("source", cell.get("input"))))
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        if isinstance(output, dict):
            yield from _output(output, f"# %% [{number}] output")


def _output(output: Mapping[str, object], title: str) -> Iterator[str]:
    data = output.get("data")
    media = data if isinstance(data, dict) else {}
    text = _text(output.get("text") or media.get("text/plain") or output.get("traceback"))
    if text.strip():
        yield from _short(_COLOURS.sub("", text), title)
    for kind, body in media.items():
        if kind != "text/plain" and not (kind == "text/html" and text.strip()):
            yield f"{title} {_word(kind)}, {_size(kind, _text(body)):,} bytes, not shown"


def _short(text: str, title: str) -> Iterator[str]:
    lines = _lines(text[:_MOST_LETTERS])[:_MOST_LINES]
    left = len(text) - sum(len(line) + 1 for line in lines)
    yield title
    yield from lines
    if left > 1:
        yield f"{title} goes on, {left:,} characters not shown"


def _lines(text: str) -> list[str]:
    return _CELL_LINE.sub(r"\\u{23}", text).rstrip("\n").split("\n") if text else []


def _text(value: object) -> str:
    """Return what the format writes as a string or as a list of lines."""
    if isinstance(value, str):
        return value.replace("\r\n", "\n")
    return _text("".join(_strings(value))) if isinstance(value, list) else ""


def _strings(values: Iterable[object]) -> list[str]:
    return [value for value in values if isinstance(value, str)]


def _size(kind: str, body: str) -> int:
    """Return the bytes of a picture; base64 writes three as four letters."""
    return len(body) * 3 // 4 if kind.startswith("image/") and not kind.endswith("svg+xml") else len(body)


def _word(value: object) -> str:
    return value if isinstance(value, str) and _WORD.fullmatch(value) else "cell"
