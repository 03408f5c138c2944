"""A second count of commits beside the database, so that commits that vanish are noticed.

sqlite ends its log at the first frame whose checksum is wrong: after a crash that is right, after damage it
drops commits without a word, as a file cut to nothing does. The count is written after each commit and
without a sync: it may be behind, which tells nothing, and is ahead only where commits are missing.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from satchel.private_files import read_private
from satchel.session.nodes import seal

_LENGTH = 64
_WRITE = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


def witness_file(path: Path) -> Path:
    """Return the file of the count of a store."""
    return path.with_name(f"{path.name}-count")


def counted(path: Path) -> int:
    """Return how many commits are known to be in a store; 0 where that can't be told."""
    try:
        words = read_private(witness_file(path), most_bytes=_LENGTH).decode("ascii", "replace").split()
    except OSError:
        return 0
    if len(words) != 3 or words[0] != "commits" or not words[1].isdecimal():
        return 0
    number = int(words[1])
    return number if words[2] == seal(number) else 0


def count(path: Path, commits: int) -> None:
    """Write the count; a disk that can't take it costs the check, never the commit."""
    line = f"commits {commits} {seal(commits)}".ljust(_LENGTH - 1) + "\n"
    with contextlib.suppress(OSError):
        number = os.open(witness_file(path), _WRITE, 0o600)
        try:
            os.write(number, line.encode("ascii"))
        finally:
            os.close(number)
