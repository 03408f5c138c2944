"""Find the newest session file that an agent wrote for a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

_HEAD = 65_536
"""Bytes of a file in which its folder is looked for."""
_MOST = 400
"""Newest files whose beginning is read."""


def find_latest(folder: Path, home: Path | None = None) -> Path | None:
    """Return the session file that was changed last and belongs to a folder or one inside it; None for none.

    Args:
        folder: the folder that an agent worked in.
        home: the person's home, where agents keep their sessions.
    """
    home = home or Path.home()
    root = folder.resolve()
    files = sorted(_list_files(home, root), key=lambda one: -one[0])[:_MOST]
    return next((path for _, path, is_known in files if is_known or _belongs(path, root)), None)


def _list_files(home: Path, root: Path) -> Iterator[tuple[float, Path, bool]]:
    """Yield time and path of session files, and whether their place tells that they belong to the folder."""
    claude = home / ".claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(root))
    pi = home / ".pi/agent/sessions" / f"--{str(root).strip('/').replace('/', '-')}--"
    for pattern, place, is_known in (
        ("*.jsonl", claude, True),
        ("*.jsonl", pi, True),
        ("**/rollout-*.jsonl", home / ".codex/sessions", False),
        ("*/chats/session-*.json", home / ".gemini/tmp", False),
    ):
        try:
            found = list(place.glob(pattern))
        except OSError:
            continue
        for path in found:
            try:
                yield path.stat().st_mtime, path, is_known
            except OSError:
                continue


def _belongs(path: Path, root: Path) -> bool:
    """Tell whether a session file names the folder as the one that it was written in."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD).decode("utf-8", "replace")
    except OSError:
        return False
    return json.dumps(str(root))[1:-1] in head
