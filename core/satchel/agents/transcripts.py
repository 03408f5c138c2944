"""Claude Code's file of a session as a text that can be archived and read again by lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

_MOST_BYTES = 64 << 20
"""Of a longer file, the end is read."""
_LONGEST_RESULT = 200_000
_NEAR_END = 2 << 20
"""Bytes at the end of a file in which the newest prompt is looked for."""


class HookTranscript(NamedTuple):
    """A conversation as text."""

    text: str
    prompts: tuple[tuple[int, str], ...]
    """What the person wrote: the line of the text where it begins, and its first line."""

    @property
    def lines(self) -> int:
        """Number of lines."""
        return self.text.count("\n")


def read_transcript(path: Path) -> HookTranscript:
    """Return a session as text; lines of the file that can't be read are left out.

    Raises:
        OSError: the file can't be read.
    """
    pieces: list[str] = []
    prompts: list[tuple[int, str]] = []
    at = 1
    for role, text in _messages(path):
        piece = f"## {role}\n\n{text.rstrip()}\n\n"
        if role == "user":
            first = next((line for line in text.splitlines() if line.strip()), "")
            prompts.append((at, first.strip()))
        pieces.append(piece)
        at += piece.count("\n")
    return HookTranscript("".join(pieces), tuple(prompts))


def newest_prompt(path: Path) -> str:
    """Return what the person wrote last, "" where that is not near the end of the file.

    Raises:
        OSError: the file can't be read.
    """
    from satchel.conversation import spoken

    said = [spoken(text).strip() for role, text in _messages(path, most=_NEAR_END) if role == "user"]
    return next((text for text in reversed(said) if text), "")


def _messages(path: Path, *, most: int = _MOST_BYTES) -> Iterator[tuple[str, str]]:
    seen = set()
    for row in _rows(path, most):
        message = row.get("message")
        if (
            not isinstance(message, dict)
            or row.get("isSidechain")
            or row.get("type") not in ("user", "assistant")
        ):
            continue
        if row.get("uuid") in seen and row.get("uuid"):
            continue
        seen.add(row.get("uuid"))
        content = message.get("content")
        if isinstance(content, str):
            yield ("note" if row.get("isMeta") else str(message.get("role"))), content
            continue
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and (told := _block(block, row)):
                yield told


def _block(block: dict[str, Any], row: dict[str, Any]) -> tuple[str, str] | None:
    kind = block.get("type")
    if kind == "text":
        role = "note" if row.get("isMeta") else str(row.get("type"))
        return role, str(block.get("text", ""))
    if kind == "tool_use":
        asked = block.get("input")
        rows = asked.items() if isinstance(asked, dict) else [("input", asked)]
        written = (f"{key}: {value if isinstance(value, str) else json.dumps(value)}" for key, value in rows)
        return f"tool {block.get('name')}", "\n".join(written)
    if kind == "tool_result":
        return "result", _text_of(block.get("content"))[:_LONGEST_RESULT]
    return None


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else ()
    return "\n".join(str(one.get("text", f"[{one.get('type')}]")) for one in blocks if isinstance(one, dict))


def _rows(path: Path, most: int) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - most))
        for line in file:
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(row, dict):
                yield row
