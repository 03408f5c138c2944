"""Git's index file, read as it stands: which files git tracks, and what they looked like to it.

Only the plain forms are read here. Whoever gets None asks git itself.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from satchel.patterns import lazily

_NS = 1_000_000_000
_LOW_BITS = 0xFFFF_FFFF
"""The index keeps no more of a size or an inode's number."""
_ENTRY = struct.Struct(">10I20sH")
"""Times, device, inode, mode, owner, group, size, blob, flags."""
_HEADER = struct.Struct(">4sII")
_EXTENSION = struct.Struct(">4sI")
_CHECKSUM = 20
_LONG_NAME = 0xFFF
_EXTENDED = 0x4000
_PLAIN_VERSIONS = (2, 3)
_LARGEST = 256_000_000
_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)
_SHA = lazily(r"[0-9a-f]{40}\Z")
_BRANCH = lazily(r"ref: (refs/heads/(?!.*\.\.)[\w./+@#=-]{1,200})\Z")
_LONGEST_REF = 1_000


class TrackedFile(NamedTuple):
    """A file of git's index, with the stat data that it had when `blob` was known to be its content."""

    mode: str
    blob: str
    """"" for a path in conflict."""
    stage: str
    path: str
    ctime_ns: int = -1
    mtime_ns: int = -1
    inode: int = -1
    """The lowest 32 bits, as of `size`."""
    size: int = -1

    def is_unchanged(self, facts: os.stat_result) -> bool:
        """Compare with the file's stat data now, as git does before it looks into a file."""
        return (
            self.mtime_ns == facts.st_mtime_ns
            and self.size == facts.st_size & _LOW_BITS
            and self.ctime_ns == facts.st_ctime_ns
            and self.inode == facts.st_ino & _LOW_BITS
        )


def read_index(git_dir: Path, prefix: str) -> list[TrackedFile] | None:
    """Return the index's files below `prefix`, every stage of a path in conflict; None for strange forms.

    Strange is what git itself must judge: split, sparse, compressed or damaged, or other than SHA-1.
    """
    data = _whole(git_dir / "index", _LARGEST)
    if len(data) < _HEADER.size + _CHECKSUM or hashlib.sha1(data[:-_CHECKSUM]).digest() != data[-_CHECKSUM:]:  # noqa: S324  git's own
        return None
    kind, version, count = _HEADER.unpack_from(data)
    if kind != b"DIRC" or version not in _PLAIN_VERSIONS:
        return None
    try:
        files, end = _files(data, count, os.fsencode(prefix))
        return None if any(_is_needed(name) for name in _extensions(data, end)) else files
    except (struct.error, ValueError):
        return None


def _files(data: bytes, count: int, prefix: bytes) -> tuple[list[TrackedFile], int]:
    files: list[TrackedFile] = []
    at, skipped, unpack = _HEADER.size, len(prefix), _ENTRY.unpack_from
    modes: dict[int, str] = {}
    for _ in range(count):
        changed, changed_ns, modified, modified_ns, _, inode, mode, _, _, size, blob, flags = unpack(data, at)
        start = at + _ENTRY.size + (2 if flags & _EXTENDED else 0)
        length = flags & _LONG_NAME
        end = start + length if length < _LONG_NAME else data.index(b"\0", start)
        path = data[start:end]
        at = end + 8 - (end - at) % 8
        if skipped and not path.startswith(prefix):
            continue
        written = modes.get(mode) or modes.setdefault(mode, f"{mode:06o}")
        times = changed * _NS + changed_ns, modified * _NS + modified_ns
        name = os.fsdecode(path[skipped:])
        files.append(TrackedFile(written, blob.hex(), str(flags >> 12 & 3), name, *times, inode, size))
    return files, at


def _extensions(data: bytes, at: int) -> Iterator[bytes]:
    while at < len(data) - _CHECKSUM:
        name, size = _EXTENSION.unpack_from(data, at)
        yield name
        at += _EXTENSION.size + size


def _is_needed(extension: bytes) -> bool:
    """Tell whether the index means nothing to a reader that does not know an extension, as git has it."""
    return not extension[:1].isupper()


def without_stages(files: Iterable[TrackedFile]) -> list[TrackedFile]:
    """Return one entry for each path, one without content for a path in conflict."""
    found: dict[str, TrackedFile] = {}
    for file in files:
        found[file.path] = file if file.stage == "0" else TrackedFile(file.mode, "", "0", file.path)
    return list(found.values())


def named_head(git_dir: Path, common: Path) -> str:
    """Return the id that HEAD names, "" where that is not plain to see. It may be that of no commit."""
    head = os.fsdecode(_whole(git_dir / "HEAD", _LONGEST_REF)).rstrip("\n")
    if _SHA.match(head):
        return head
    branch = _BRANCH.match(head)
    if branch is None:
        return ""
    told = os.fsdecode(_whole(common / branch[1], _LONGEST_REF)).rstrip("\n")
    return told if _SHA.match(told) else ""


def _whole(path: Path, most: int) -> bytes:
    """Return what a regular file holds, b"" where there is none or it has more."""
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        try:
            data = file.read(most + 1)
        except OSError:
            return b""
    return data if len(data) <= most else b""
