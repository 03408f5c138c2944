"""Let one process at a time write the files of a workspace into its index."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

_PATIENCE_SECONDS = 30.0
"""A process that writes nothing for so long is not waited for: it was stopped, or it hangs."""
_PAUSE_SECONDS = 0.02


@contextlib.contextmanager
def build_alone(path: Path | None, count_written: Callable[[], int]) -> Iterator[None]:
    """Run a block while no other process builds the index at `path`, after any that does.

    The system frees the lock of a process that ends, in whatever way. On a system or a disk without locks,
    and beside a process that is stuck, the block runs all the same: then both read the files, and both are
    right.

    Args:
        path: the file of the index; None for one in memory, which no other process has.
        count_written: returns a number that grows while the other process writes.
    """
    lock = _open_lock(path) if path is not None else None
    if lock is None:
        yield
        return
    try:
        _wait_for(lock, count_written)
        yield
    finally:
        _free(lock)


def _open_lock(path: Path) -> int | None:
    """Open the file of the lock, which is never removed; None where there are no locks."""
    try:
        import fcntl  # noqa: F401  not on Windows

        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(path.with_suffix(".lock"), flags, 0o600)
    except (ImportError, OSError):
        return None


def _wait_for(lock: int, count_written: Callable[[], int]) -> None:
    """Wait until the lock is held, or the process that holds it has written nothing for too long."""
    written, deadline = -1, time.monotonic() + _PATIENCE_SECONDS
    while not _take(lock):
        count = count_written()
        if count != written:
            written, deadline = count, time.monotonic() + _PATIENCE_SECONDS
        if time.monotonic() > deadline:
            return
        time.sleep(_PAUSE_SECONDS)


def _free(lock: int) -> None:
    """Free the lock, even if a forked process has the file open too."""
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_UN)
    except OSError:  # the disk has no locks
        return
    finally:
        os.close(lock)


def _take(lock: int) -> bool:
    """Take the lock if it is free; tell whether there is nothing to wait for."""
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # the disk has no locks
        return True
    return True
