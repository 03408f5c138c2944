"""Colour a text for a terminal with rich; anywhere else it stays as it is."""

from __future__ import annotations

import os

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
"""What is coloured, and how."""


def color(text: str, *, is_seen: bool) -> str:
    """Return a text with colours where it is seen on a terminal that shows them, and NO_COLOR is not set."""
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
