"""Blobs: bytes under a key, wherever they are kept; what the archive of a team is made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol, runtime_checkable

INDEX_PREFIX = "index/"
"""What the keys of segments of shared indexes begin with. Other blobs have other prefixes."""
SNAPSHOT_PREFIX = "snapshots/"
"""What the keys of shared snapshots of sessions begin with."""


class Blob(NamedTuple):
    """A blob that is kept, without its bytes."""

    key: str
    """Its name: up to 200 letters, digits, `-`, `_`, `.` and `/` in between."""
    bytes: int
    used: float
    """Seconds since the epoch when it was last put or touched."""


@runtime_checkable
class Blobs(Protocol):
    """A place of blobs.

    Whoever writes one keeps three promises: `put` is all or nothing, also where two put the same key at
    once; what was put is there when it returns; and every method raises `StoreError`, in one line that says
    what to do, where the place can't be reached. What `get` returns is verified by whoever asked.
    """

    @property
    def place(self) -> str:
        """Name the place, for messages, without a password."""
        ...

    def put(self, key: str, content: bytes) -> None:
        """Keep the bytes under a key, in place of those that were there."""
        ...

    def get(self, key: str) -> bytes | None:
        """Return the bytes of a key, None where there are none."""
        ...

    def touch(self, key: str) -> bool:
        """Make a blob the newest; return whether it is there."""
        ...

    def list(self, prefix: str = "") -> Iterator[Blob]:
        """Yield the blobs whose keys begin with a text, in any order."""
        ...

    def delete(self, key: str) -> None:
        """Remove a blob, where it is there."""
        ...

    def close(self) -> None:
        """Let go of what is held open."""
        ...
