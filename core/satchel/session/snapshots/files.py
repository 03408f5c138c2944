"""The files of snapshots: one folder for each session beside its store, one compressed export for each."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from satchel.patterns import lazily
from satchel.private_files import open_private
from satchel.session.moving import BrokenExportError, Reader, session_of

_NAME = lazily(r"(\d{6,12})\.jsonl\.gz", re.ASCII)
_LONGEST_HEAD = 1 << 20


class Snapshot(NamedTuple):
    """A session as it was."""

    id: str
    session: str
    reason: str
    at: float
    branch: str
    head: str
    messages: int
    used: int
    """Tokens of the window that it was taken for, 0 where that was not told."""
    bytes: int
    path: str
    damage: str = ""
    """What is wrong with the file, "" where nothing is known to be."""


def folder_of(store_folder: Path, session: str) -> Path:
    """Return the folder of a session's snapshots."""
    name = hashlib.blake2b(session.encode("utf-8"), digest_size=12).hexdigest()
    return store_folder / "snapshots" / name


def numbered(folder: Path) -> list[tuple[int, Path]]:
    """Return the files of snapshots with their numbers, newest first."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    found = [(int(match[1]), folder / name) for name in names if (match := _NAME.fullmatch(name))]
    return sorted(found, reverse=True)


def file_name(number: int) -> str:
    """Return the name of the file of a snapshot."""
    return f"{number:06d}.jsonl.gz"


def listed(store_folder: Path, session: str, *, verified: bool = False) -> list[Snapshot]:
    """Return the snapshots of a session, newest first; `verified` reads each to its end."""
    return [
        described(path, session, verified=verified) for _, path in numbered(folder_of(store_folder, session))
    ]


def described(path: Path, session: str = "", *, verified: bool = False) -> Snapshot:
    """Return what a file says of itself; a damaged one says what is wrong."""
    number = path.name.partition(".")[0]
    try:
        head = first_line(path)
        if verified:
            verify(path)
        if session and head["session"] != session:
            raise BrokenExportError("it is of another session")
        return Snapshot(
            number,
            str(head["session"]),
            str(head["snapshot"]),
            float(head["at"]),
            str(head["branch"]),
            str(head["head"]),
            int(head["messages"]),
            int(head["used"]),
            path.stat().st_size,
            str(path),
        )
    except (BrokenExportError, OSError, KeyError, TypeError, ValueError, OverflowError) as error:
        reason = str(error) if isinstance(error, BrokenExportError) else "its beginning is damaged"
        return Snapshot(number, session, "", 0.0, "", "", 0, 0, 0, str(path), reason)


def first_line(path: Path) -> Mapping[str, Any]:
    """Return what stands in the first line of a snapshot."""
    with _readable(path), open_private(path) as packed, gzip.GzipFile(fileobj=packed) as file:
        held = json.loads(file.readline(_LONGEST_HEAD))
    if not isinstance(held, dict) or "snapshot" not in held:
        raise BrokenExportError("it is no snapshot")
    return held


def verify(path: Path) -> int:
    """Read a snapshot to its end and compare every node with its seal; return how many there are.

    Raises:
        BrokenExportError: it is not what was written.
    """
    reader = Reader(lines_of(path), path.name)
    told = iter(reader)
    known = session_of(reader, next(told, {}))
    return sum(bool(reader.row(value, known.origin)) for value in told if "id" in value)


def lines_of(path: Path) -> Iterator[bytes]:
    """Yield the lines of a snapshot."""
    with _readable(path), open_private(path) as packed, gzip.GzipFile(fileobj=packed) as file:
        yield from file


class _readable:  # noqa: N801 (a context manager, used like a function)
    """Turn what a damaged or unreadable file raises into a BrokenExportError."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, EOFError | zlib.error | OSError | ValueError | RecursionError):
            reason = getattr(error, "strerror", None) or "it is damaged"
            raise BrokenExportError(f"{self._path.name}: {reason}") from error
