"""Read what Claude Code tells the command of its status line: the session file, its model, its window."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from satchel.showing.line_memo import LineCount, format_line

_MOST_BYTES = 1 << 18
"""Of what Claude Code tells, which is a few thousand; more is messages."""
_ASSUMED = 200_000


class StatusLine(NamedTuple):
    """What a status line is asked for."""

    words: list[str]
    """The command line of `show`, with what was told."""
    line: str = ""
    """The line of a session that has no file yet."""


def read_status(words: Sequence[str]) -> StatusLine:
    """Return the words of `show --line` with what Claude Code tells on stdin; anything else stays there."""
    given = StatusLine(list(words))
    if not _reads_stdin(words) or os.isatty(0):
        return given
    told = _read_told()
    path = told.get("transcript_path")
    if not isinstance(path, str) or not os.path.isabs(path):
        return given
    model, around = told.get("model"), told.get("context_window")
    name = model.get("id") if isinstance(model, dict) else None
    size = around.get("context_window_size") if isinstance(around, dict) else None
    window = size if isinstance(size, int) and size > 0 else 0
    more = [path]
    if isinstance(name, str) and name and "--model" not in words:
        more += ["--model", name]
    if window and "--window" not in words:
        more += ["--window", str(window)]
    try:
        is_begun = os.path.getsize(path) > 0
    except OSError:
        is_begun = False
    line = "" if is_begun else format_line(LineCount(0, window or _ASSUMED, ()))
    return StatusLine([*words, *more], line)


def _reads_stdin(words: Sequence[str]) -> bool:
    """Tell whether a command line names no file."""
    waiting = iter(words)
    for word in waiting:
        if word in ("--model", "--window"):
            next(waiting, "")
        elif word not in ("--line", "--exact", "-"):
            return False
    return True


def _read_told() -> dict[str, Any]:
    """Return the object that stands on stdin, {} for anything else, which can be read there once more."""
    pieces: list[bytes] = []
    try:
        while sum(map(len, pieces)) <= _MOST_BYTES and (piece := os.read(0, _MOST_BYTES)):
            pieces.append(piece)
        data = b"".join(pieces)
        told = json.loads(data) if data[:1] == b"{" and b'"transcript_path"' in data else None
    except (OSError, ValueError, RecursionError):
        told = None
    if isinstance(told, dict):
        return told
    _put_back(b"".join(pieces))
    return {}


def _put_back(data: bytes) -> None:
    """Make stdin begin with what was read of it."""
    import shutil  # a prompt has no time for it
    import tempfile

    with tempfile.TemporaryFile() as spool, open(0, "rb", closefd=False) as rest:
        spool.write(data)
        if len(data) > _MOST_BYTES:
            shutil.copyfileobj(rest, spool)
        spool.seek(0)
        os.dup2(spool.fileno(), 0)
