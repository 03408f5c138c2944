"""Takes snapshots: written beside, read back, named, and only then do older ones make room."""

from __future__ import annotations

import gzip
import io
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satchel.errors import SatchelError
from satchel.private_files import create_private, make_private_folder, new_name
from satchel.session.chains import Chain
from satchel.session.moving import BrokenExportError, exported, known_again
from satchel.session.nodes import MESSAGE
from satchel.session.snapshots.files import (
    Snapshot,
    described,
    file_name,
    folder_of,
    listed,
    numbered,
    verify,
)
from satchel.session.storing import BRANCH

if TYPE_CHECKING:
    from satchel.session.sessions import Session

KEPT = 5
THRESHOLD = 0.8
"""Share of the window from which a snapshot is taken; behaviours.md 3.26 has .85, its defaults .8."""
_CHANGE = 0.02
"""Share of the window that must have changed since the last one (behaviours.md 3.26)."""
_LEVEL = 5
_ABANDONED_SECONDS = 86_400.0
EMERGENCY, AUTOMATIC = "emergency", "threshold"


def take(session: Session, reason: str = "by hand", *, keep: int = KEPT, used: int = 0) -> Snapshot:
    """Save a session to a file of its own, read it back, and let the oldest beyond `keep` go.

    Raises:
        SatchelError: it can't be written, or what was written does not read back; nothing was removed.
    """
    folder = folder_of(session.folder, session.id)
    with _told(folder):
        make_private_folder(folder.parent)
        make_private_folder(folder)
        new = new_name(folder)
        try:
            _write(session, new, {"snapshot": reason, "used": used})
            nodes = verify(new)
            path = _named(new, folder)
        finally:
            new.unlink(missing_ok=True)
        _sync(folder)
        _make_room(folder, max(1, keep))
    taken = described(path, session.id)
    _tell(session, taken, nodes)
    return taken


def at_threshold(
    session: Session, *, used: int, window: int, threshold: float = THRESHOLD, keep: int = KEPT
) -> Snapshot | None:
    """Take a snapshot where a window is nearly full and has changed since the last one; else None.

    Args:
        session: what to save.
        used: tokens of the window that are used.
        window: tokens that it has.
        threshold: share from which one is taken, 0 for never.
        keep: how many stay.
    """
    if not threshold or window < 1 or used < threshold * window:
        return None
    last = next((one for one in listed(session.folder, session.id) if not one.damage), None)
    if last is not None and (
        last.head == session.head or (last.used and abs(used - last.used) <= _CHANGE * window)
    ):
        return None
    return take(session, AUTOMATIC, keep=keep, used=used)


def before_emergency(session: Session, *, keep: int = KEPT) -> Callable[[], bool]:
    """Return what a guard calls before it clears anything: it saves the session, verified, or raises."""

    def saved() -> bool:
        newest = next(iter(listed(session.folder, session.id, verified=True)), None)
        if newest is not None and not newest.damage and newest.head == session.head:
            return True
        return not take(session, EMERGENCY, keep=keep).damage

    return saved


def _write(session: Session, path: Path, about: Mapping[str, Any]) -> None:
    with create_private(path) as raw, session.store.reading() as moment:
        known = known_again(moment, session)
        head = moment.head(known.number, BRANCH, known.branch)
        node = head.node if head else ""
        messages = Chain(moment, known, node).last_of(MESSAGE)[0]
        more = {"at": float(session.now()), "head": node, "messages": messages, **about}
        packed = gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0)
        with io.TextIOWrapper(packed, "ascii", newline="\n") as text:
            text.writelines(exported(moment, known, more=more))
        raw.flush()
        os.fsync(raw.fileno())


def _named(new: Path, folder: Path) -> Path:
    """Give a file the next number; two that do so at once get two numbers."""
    while True:
        number = next((at for at, _ in numbered(folder)), 0) + 1
        path = folder / file_name(number)
        try:
            path.hardlink_to(new)
        except FileExistsError:
            continue
        except (OSError, NotImplementedError):
            new.replace(path)  # a file system without hard links
        return path


def _make_room(folder: Path, keep: int) -> None:
    left = [path for path in folder.glob(".new-*") if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS]
    for path in [*left, *(path for _, path in numbered(folder)[keep:])]:
        with suppress(FileNotFoundError):  # another process made room too
            path.unlink()


def _sync(folder: Path) -> None:
    if os.name != "nt":
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _tell(session: Session, taken: Snapshot, nodes: int) -> None:
    if session.observed:
        from satchel.events import SnapshotTaken

        session.emit(SnapshotTaken(session.id, taken.id, taken.reason, nodes))


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    try:
        yield
    except BrokenExportError as error:
        raise SatchelError(f"{folder}: the snapshot does not read back as it was written: {error}") from error
    except OSError as error:
        raise SatchelError(
            f"{folder}: the snapshot can't be written: {error.strerror or error}; nothing was removed"
        ) from error
