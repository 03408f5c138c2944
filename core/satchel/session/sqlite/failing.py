"""What sqlite's errors mean to a person."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from satchel.errors import SatchelError
from satchel.private_files import reason_of
from satchel.session.nodes import DamageError

BUSY_SECONDS = 30.0
MENDING = "satchel session restore puts back what a snapshot has"
_ANEW = "satchel session restore --rebuild makes it anew of what snapshots have"


class StoreError(SatchelError):
    """A store can't be opened, read or written; what was kept is as it was."""

    def __init__(self, path: Path | str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"{path}: {reason}")


_REASONS = {
    "SQLITE_BUSY": f"another process has been writing for {BUSY_SECONDS:.0f} seconds; try again",
    "SQLITE_LOCKED": f"another process has been writing for {BUSY_SECONDS:.0f} seconds; try again",
    "SQLITE_FULL": "the disk is full, nothing was kept; make room or name another folder with --store",
    "SQLITE_READONLY": "can't be written: it or its folder is read-only; name another folder with --store",
    "SQLITE_CANTOPEN": "can't be opened: check the folder's rights or name another one with --store",
    "SQLITE_PERM": "can't be opened: check the folder's rights or name another one with --store",
    "SQLITE_TOOBIG": "the message is larger than a store can hold (1 GB)",
}
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH")


@contextlib.contextmanager
def told(path: Path | str) -> Iterator[None]:
    """Turn sqlite's errors into a StoreError or a DamageError that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise _named(path, error) from error
    except MemoryError as error:
        raise StoreError(path, "there is not enough memory to read it, or it is damaged") from error
    except OverflowError as error:
        raise StoreError(path, _REASONS["SQLITE_TOOBIG"]) from error
    except OSError as error:
        raise StoreError(path, f"can't be used: {reason_of(error, path)}; name another --store") from error


def _named(path: Path | str, error: sqlite3.Error) -> SatchelError:
    code = getattr(error, "sqlite_errorname", "") or ""
    if code == "SQLITE_NOTADB":
        return DamageError(str(path), f"is no store of sessions, or its beginning is damaged; {_ANEW}")
    if code.startswith(_DAMAGED) or not code:
        return DamageError(str(path), f"is damaged ({error}); {_ANEW}")
    reason = next((why for name, why in _REASONS.items() if code.startswith(name)), "")
    return StoreError(path, reason or f"can't be read or written: {error} ({code}); nothing was kept")
