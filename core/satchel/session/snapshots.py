"""Snapshots: a session in a file of its own, verified after writing and again before use."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from satchel.errors import SatchelError
from satchel.events import SnapshotRestored, SnapshotTaken
from satchel.patterns import lazily
from satchel.private_files import (
    create_private,
    make_private_folder,
    name_for,
    new_name,
    open_private,
    sync_folder,
)
from satchel.session.chains import Chain
from satchel.session.nodes import MESSAGE, DamageError, Row
from satchel.session.sqlite import open_store, witness_file
from satchel.session.store import BRANCH, Head, Known, Move, Segment, StoreWriter
from satchel.session.transfer import BrokenExportError, Reader, bring, export_lines, reload, session_of
from satchel.spelling import nearest

if TYPE_CHECKING:
    from satchel.session.session import Session


_NAME = lazily(r"(\d{6,12})\.jsonl\.gz", re.ASCII)
_LONGEST_HEAD = 1 << 20


class SessionSnapshot(NamedTuple):
    """A session as it was."""

    id: str
    session: str
    reason: str
    at: float
    branch: str
    head: str
    messages: int
    used: int
    """Tokens of the window that it was taken for, 0 if not given."""
    bytes: int
    path: str
    damage: str = ""
    """The damage of the file, "" if none is known."""


def folder_of(store_folder: Path, session: str) -> Path:
    """Return the folder of a session's snapshots."""
    return store_folder / "snapshots" / name_for(session)


def list_files(folder: Path) -> list[tuple[int, Path]]:
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


def list_snapshots(store_folder: Path, session: str, *, verified: bool = False) -> list[SessionSnapshot]:
    """Return the snapshots of a session, newest first; `verified` reads each to its end."""
    return [
        describe_file(path, session, verified=verified)
        for _, path in list_files(folder_of(store_folder, session))
    ]


def describe_file(path: Path, session: str = "", *, verified: bool = False) -> SessionSnapshot:
    """Return the snapshot of a file, by its first line; a damaged one names its damage."""
    number = path.name.partition(".")[0]
    try:
        head = first_line(path)
        if verified:
            verify(path)
        if session and head["session"] != session:
            raise BrokenExportError("it is of another session")
        return SessionSnapshot(
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
        return SessionSnapshot(number, session, "", 0.0, "", "", 0, 0, 0, str(path), reason)


def first_line(path: Path) -> Mapping[str, Any]:
    """Return the values in the first line of a snapshot."""
    with _readable(path), open_private(path) as packed, gzip.GzipFile(fileobj=packed) as file:
        held = json.loads(file.readline(_LONGEST_HEAD))
    if not isinstance(held, dict) or "snapshot" not in held:
        raise BrokenExportError("it is not a snapshot")
    return held


def verify(path: Path) -> int:
    """Read a snapshot to its end and compare every node with its seal; return the number of nodes.

    Raises:
        BrokenExportError: it differs from what was written.
    """
    reader = Reader(lines_of(path), path.name)
    told = iter(reader)
    known = session_of(reader, next(told, {}))
    return sum(bool(reader.row(value, known.origin)) for value in told if "id" in value)


def lines_of(path: Path) -> Iterator[bytes]:
    """Yield the lines of a snapshot."""
    with _readable(path), open_private(path) as packed, gzip.GzipFile(fileobj=packed) as file:
        yield from file


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn the errors of a damaged or unreadable file into a BrokenExportError."""
    try:
        yield
    except (EOFError, zlib.error, OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or "it is damaged"
        raise BrokenExportError(f"{path.name}: {reason}") from error


KEPT = 5
THRESHOLD = 0.8
"""Share of the window from which a snapshot is taken."""
_CHANGE = 0.02
"""Share of the window that must have changed since the last one."""
_LEVEL = 5
_ABANDONED_SECONDS = 86_400.0
EMERGENCY, AUTOMATIC = "emergency", "threshold"


def take(session: Session, reason: str = "by hand", *, keep: int = KEPT, used: int = 0) -> SessionSnapshot:
    """Save a session to a file of its own, read it back, and delete the oldest beyond `keep`.

    Raises:
        SatchelError: it can't be written, or does not read back as it should; nothing was removed.
    """
    folder = folder_of(session.folder, session.id)
    with _explain_errors(folder):
        make_private_folder(folder.parent)
        make_private_folder(folder)
        new = new_name(folder)
        try:
            _write(session, new, {"snapshot": reason, "used": used})
            nodes = verify(new)
            path = _give_number(new, folder)
        finally:
            new.unlink(missing_ok=True)
        sync_folder(folder)
        _make_room(folder, max(1, keep))
    taken = describe_file(path, session.id)
    session.emit(SnapshotTaken(session.id, taken.id, taken.reason, nodes))
    return taken


def take_at_threshold(
    session: Session, *, used: int, window: int, threshold: float = THRESHOLD, keep: int = KEPT
) -> SessionSnapshot | None:
    """Take a snapshot if a window is nearly full and has changed since the last one; else return None.

    Args:
        session: the session to save.
        used: tokens of the window that are used.
        window: tokens that it has.
        threshold: share from which to take a snapshot, 0 for never.
        keep: how many stay.
    """
    if not threshold or window < 1 or used < threshold * window:
        return None
    last = next((one for one in list_snapshots(session.folder, session.id) if not one.damage), None)
    if last is not None and (
        last.head == session.head or (last.used and abs(used - last.used) <= _CHANGE * window)
    ):
        return None
    return take(session, AUTOMATIC, keep=keep, used=used)


def before_emergency(session: Session, *, keep: int = KEPT) -> Callable[[], bool]:
    """Return the function that a guard calls before it clears anything: it saves the session, or raises."""

    def saved() -> bool:
        newest = next(iter(list_snapshots(session.folder, session.id, verified=True)), None)
        if newest is not None and not newest.damage and newest.head == session.head:
            return True
        return not take(session, EMERGENCY, keep=keep).damage

    return saved


def _write(session: Session, path: Path, about: Mapping[str, Any]) -> None:
    with create_private(path) as raw, session.store.reading() as moment:
        known = reload(moment, session)
        head = moment.head(known.number, BRANCH, known.branch)
        node = head.node if head else ""
        messages = Chain(moment, known, node).last_of(MESSAGE)[0]
        more = {"at": float(session.now()), "head": node, "messages": messages, **about}
        packed = gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0)
        with io.TextIOWrapper(packed, "ascii", newline="\n") as text:
            text.writelines(export_lines(moment, known, more=more))
        raw.flush()
        os.fsync(raw.fileno())


def _give_number(new: Path, folder: Path) -> Path:
    """Give a file the next number; two processes that do so at once get two numbers."""
    while True:
        number = next((at for at, _ in list_files(folder)), 0) + 1
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
    for path in [*left, *(path for _, path in list_files(folder)[keep:])]:
        with suppress(FileNotFoundError):  # another process made room too
            path.unlink()


@contextmanager
def _explain_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except BrokenExportError as error:
        raise SatchelError(f"{folder}: the snapshot does not read back as it was written: {error}") from error
    except OSError as error:
        raise SatchelError(
            f"{folder}: the snapshot can't be written: {error.strerror or error}; nothing was removed"
        ) from error


class Restored(NamedTuple):
    """The result of a restore."""

    snapshot: SessionSnapshot
    before: str
    """The previous head; redo goes back to it."""
    mended: int
    """Nodes that were missing or damaged in the store and are restored."""
    skipped: tuple[str, ...]
    """Newer snapshots that are damaged, each with its damage."""


def restore(session: Session, id: str = "") -> Restored:  # noqa: A002 (as `Session.restore` has it)
    """Set the branch of a snapshot back to it.

    Raises:
        SatchelError: there is no snapshot, or no intact one; nothing was changed.
    """
    skipped: list[str] = []
    for path in _candidates(session, id):
        try:
            verify(path)
        except BrokenExportError as error:
            skipped.append(str(error))
            continue
        snapshot = describe_file(path, session.id)
        if snapshot.damage:
            skipped.append(f"{path.name}: {snapshot.damage}")
            continue
        before, mended = _bring_back(session, snapshot)
        session.emit(SnapshotRestored(session.id, snapshot.id, tuple(skipped)))
        return Restored(snapshot, before, mended, tuple(skipped))
    raise SatchelError(f"session {session.id!r}: no snapshot is intact: {'; '.join(skipped)}")


def _candidates(session: Session, wanted: str) -> list[Path]:
    """Return the files to try: the requested one, then earlier ones."""
    folder = folder_of(session.folder, session.id)
    found = list_files(folder)
    if not found:
        raise SatchelError(
            f"session {session.id!r} has no snapshot in {folder}; satchel session snapshot takes one"
        )
    if not wanted:
        return [path for _, path in found]
    if not wanted.isdecimal() or int(wanted) not in [number for number, _ in found]:
        names = [path.name.partition(".")[0] for _, path in found]
        near = nearest(wanted, names)
        hint = f", did you mean {near}?" if near else f"; there are {', '.join(names)}"
        raise SatchelError(f"session {session.id!r}: no snapshot is called {wanted!r}{hint}")
    return [path for number, path in found if number <= int(wanted)]


def _bring_back(session: Session, snapshot: SessionSnapshot) -> tuple[str, int]:
    path = Path(snapshot.path)
    with session.store.writing() as moment:
        reader = Reader(lines_of(path), path.name)
        told = iter(reader)
        first = next(told, {})
        known = moment.session(session.id)
        if known is None or known.origin != session_of(reader, first).origin:
            raise SatchelError(
                f"session {session.id!r} in {session.store.place} is not the one of snapshot "
                f"{snapshot.id}; satchel session import brings a snapshot in under another name"
            )
        mended = mend(moment, known, reader, told)
        before = set_back(moment, known, snapshot, float(session.now()))
    session.branch_name = snapshot.branch
    return before, mended


def mend(moment: StoreWriter, known: Known, reader: Reader, told: Iterator[dict[str, Any]]) -> int:
    """Restore a store's missing parts from the lines of a snapshot; return how many nodes were missing."""
    mended = 0
    for value in told:
        if "id" in value:
            mended += _mend_row(moment, known, reader.row(value, known.origin))
        elif "run" in value:
            _mend_segment(moment, known, reader.segment(value))
        else:
            _mend_head(moment, known, reader.head(value))
    return mended


def _mend_row(moment: StoreWriter, known: Known, row: Row) -> bool:
    try:
        held = moment.row(known, row.place, content=True)
    except DamageError:
        held = None
    if held is not None and held.id == row.id:
        return False
    moment.put_row(known, row, mend=True)
    return True


def _mend_segment(moment: StoreWriter, known: Known, segment: Segment) -> None:
    try:
        moment.segment(known.number, segment.number)
    except DamageError:
        moment.put_segment(known.number, segment)


def _mend_head(moment: StoreWriter, known: Known, head: Head) -> None:
    try:
        held = moment.head(known.number, head.role, head.name)
    except DamageError:
        held = None
    if held is None:
        moment.put_head(known.number, head)


def set_back(moment: StoreWriter, known: Known, snapshot: SessionSnapshot, now: float) -> str:
    """Move the head to the snapshot's, and the session to its branch; return the previous head."""
    held = moment.head(known.number, BRANCH, snapshot.branch) or Head(BRANCH, snapshot.branch, "", now)
    redo = held.redo if held.node == snapshot.head else (*held.redo, held.node)
    moment.put_head(known.number, held._replace(node=snapshot.head, redo=redo))
    moment.put_session(known._replace(branch=snapshot.branch))
    moment.put_move(known.number, Move(0, now, "restore", snapshot.branch, held.node, snapshot.head))
    return held.node


def rebuild(store: Path) -> list[tuple[str, SessionSnapshot | None]]:
    """Set a damaged store aside and make a new one from the newest intact snapshot of each session.

    Returns:
        The sessions that have snapshots, each with the one that was used, None if no snapshot is intact.

    Raises:
        SatchelError: there is no snapshot at all, or the store can be read; nothing was changed.
    """
    folders = sorted(path for path in (store.parent / "snapshots").glob("*") if list_files(path))
    if not folders:
        raise SatchelError(f"{store.parent}: there are no snapshots to make the store anew from")
    chosen = [(folder, next(_whole(folder), None)) for folder in folders]
    if not any(snapshot for _, snapshot in chosen):
        raise SatchelError(f"{store.parent}: no snapshot is intact, the store was left as it is")
    if _can_be_read(store):
        advice = "satchel session restore --session ID goes back to a snapshot"
        raise SatchelError(f"{store}: can be read, so it was left as it is; {advice}")
    _set_aside(store)
    fresh = open_store(store, create=True)
    try:
        for _, snapshot in chosen:
            if snapshot is not None:
                path = Path(snapshot.path)
                bring(fresh, lines_of(path), source=path.name)
    finally:
        fresh.close()
    return [(snapshot.session if snapshot else folder.name, snapshot) for folder, snapshot in chosen]


def _can_be_read(store: Path) -> bool:
    """Return whether the file of a store is intact; losses of a session show when it is read."""
    try:
        with closing(open_store(store)) as opened:
            with opened.reading() as moment:
                moment.sessions()
            return opened.texts("PRAGMA quick_check") == ["ok"]
    except SatchelError:
        return False


def _whole(folder: Path) -> Iterator[SessionSnapshot]:
    for _, path in list_files(folder):
        snapshot = describe_file(path, verified=True)
        if not snapshot.damage:
            yield snapshot


def _set_aside(store: Path) -> None:
    """Rename the files of a store; they stay for later inspection."""
    at = 1
    while any(store.parent.glob(f"{store.name}.damaged-{at}*")):
        at += 1
    names = (store.name, f"{store.name}-wal", f"{store.name}-shm", witness_file(store).name)
    for name in names:
        path = store.with_name(name)
        if path.exists():
            os.replace(path, store.with_name(name.replace(store.name, f"{store.name}.damaged-{at}", 1)))
