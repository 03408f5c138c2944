"""Cut a text to about so many tokens before it is counted."""

from __future__ import annotations

from satchel.plugin_api import format_count

BYTES_PER_TOKEN = 3
"""As the host estimates where it enforces caps."""


def within(text: str, max_tokens: int) -> str:
    """Return the leading whole lines that fit, and say how many do not."""
    room = max_tokens * BYTES_PER_TOKEN
    if len(text.encode("utf-8", "replace")) <= room:
        return text
    lines, kept, spent = text.splitlines(keepends=True), 0, len("... 10000 more lines\n")
    for line in lines:
        spent += len(line.encode("utf-8", "replace"))
        if spent > room:
            break
        kept += 1
    return "".join(lines[:kept]) + f"... {format_count(len(lines) - kept, 'more line')}\n" if kept else ""
