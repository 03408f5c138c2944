"""Format plain text for a terminal: tables, bars, colour."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence

from satchel.escaping import escape_for_json


def json_text(value: object) -> str:
    """Return indented JSON with a line end; keys keep their order, hidden characters are escaped."""
    return escape_for_json(json.dumps(value, ensure_ascii=False, indent=2, default=str)) + "\n"


def terminal_width(*, is_seen: bool) -> int:
    """Return the columns of the terminal, 0 for a text that is not shown on one."""
    if not is_seen:
        return 0
    import shutil

    return shutil.get_terminal_size((80, 24)).columns


def table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """Return the rows in aligned columns; columns whose index is in `right` are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(_cells(row, widths, right)).rstrip() for row in rows)
    return "\n".join(lines)


def _cells(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> list[str]:
    return [
        cell.rjust(width) if index in right else cell.ljust(width)
        for index, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]


_WIDTH = 10
"""Characters of a bar."""


def bar(share: float) -> str:
    """Return a bar for a share from 0 to 1; anything above 0 shows."""
    filled = min(_WIDTH, max(round(share * _WIDTH), int(share > 0)))
    return _block() * filled


def _block() -> str:
    encoding = getattr(sys.stderr, "encoding", None) or "ascii"
    return "█" if encoding.lower().replace("-", "") == "utf8" else "#"


def clip_text(text: str, most: int) -> str:
    """Return a text on one line of at most `most` characters."""
    flat = " ".join(text[: 8 * most].split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def clip_path(text: str, width: int) -> str:
    """Shorten a long path to its end, which has the file's name."""
    return text if len(text) <= width else f"...{text[3 - width :]}"


_RULES = (
    (r"`[^`\n]+`", "cyan"),
    (r"(?<![\w*])\*[^*\n]+\*(?![\w*])", "yellow"),
    (r"[█#]{2,}", "blue"),
    (r"(?m)^satchel://\S+(?=:)", "bold"),
    (r"(?m)(?<=: )kept as \w+", "green"),
    (r"(?m)(?<=: )left out\b", "red"),
    (r"(?m)^(?:scorer|item|level|change) .*$", "dim"),
    (r"(?m)^ +lines  part .*$", "dim"),
    (r"(?m)^\+ ", "green"),
    (r"(?m)^- ", "red"),
)
"""Coloured text, and its colours."""


def color(text: str, *, is_seen: bool) -> str:
    """Return a text with colours if it is shown on a terminal with them, and NO_COLOR is not set."""
    if not is_seen or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    import io

    from rich.console import Console
    from rich.text import Text

    drawn = Text(text)
    for rule, style in _RULES:
        drawn.highlight_regex(rule, style)
    target = io.StringIO()
    console = Console(file=target, force_terminal=True, color_system="standard", width=10**6)
    console.print(drawn, end="", soft_wrap=True)
    return target.getvalue()
