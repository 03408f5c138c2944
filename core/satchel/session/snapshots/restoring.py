"""Goes back to a snapshot, the newest that is whole, and mends the store from it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from satchel.errors import SatchelError
from satchel.session.moving import BrokenExportError, Reader, bring, session_of
from satchel.session.nodes import DamageError, Row
from satchel.session.snapshots.files import Snapshot, described, folder_of, lines_of, numbered, verify
from satchel.session.sqlite import open_store
from satchel.session.sqlite.witness import witness_file
from satchel.session.storing import BRANCH, Head, Known, Move, Segment, Writing
from satchel.spelling import nearest

if TYPE_CHECKING:
    from satchel.session.sessions import Session


class Restored(NamedTuple):
    """What a restore did."""

    snapshot: Snapshot
    before: str
    """The head that stood there; redo goes back to it."""
    mended: int
    """Nodes that were missing or damaged in the store and are there again."""
    skipped: tuple[str, ...]
    """Newer snapshots that are damaged, each with what is wrong."""


def restore(session: Session, id: str = "") -> Restored:  # noqa: A002 (as `Session.restore` has it)
    """Set the branch that a snapshot was taken on back to it.

    Raises:
        SatchelError: there is no snapshot, or none is whole; nothing was changed.
    """
    skipped: list[str] = []
    for path in _candidates(session, id):
        try:
            verify(path)
        except BrokenExportError as error:
            skipped.append(str(error))
            continue
        snapshot = described(path, session.id)
        if snapshot.damage:
            skipped.append(f"{path.name}: {snapshot.damage}")
            continue
        before, mended = _brought_back(session, snapshot)
        _tell(session, snapshot, tuple(skipped))
        return Restored(snapshot, before, mended, tuple(skipped))
    raise SatchelError(f"session {session.id!r}: no snapshot is whole: {'; '.join(skipped)}")


def _candidates(session: Session, wanted: str) -> list[Path]:
    """Return the files to try: the one that is wanted, then those before it."""
    folder = folder_of(session.folder, session.id)
    found = numbered(folder)
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


def _brought_back(session: Session, snapshot: Snapshot) -> tuple[str, int]:
    path = Path(snapshot.path)
    with session.store.writing() as moment:
        reader = Reader(lines_of(path), path.name)
        told = iter(reader)
        first = next(told, {})
        known = moment.session(session.id)
        if known is None or known.origin != session_of(reader, first).origin:
            raise SatchelError(
                f"session {session.id!r} in {session.store.place} is another one than that of snapshot "
                f"{snapshot.id}; satchel session import brings a snapshot in under another name"
            )
        mended = 0
        for value in told:
            if "id" in value:
                mended += _mended(moment, known, reader.row(value, known.origin))
            elif "run" in value:
                _mend_segment(moment, known, reader.segment(value))
            else:
                _mend_head(moment, known, reader.head(value))
        before = _set_back(session, moment, known, snapshot)
    return before, mended


def _mended(moment: Writing, known: Known, row: Row) -> bool:
    try:
        held = moment.row(known, row.place, content=True)
    except DamageError:
        held = None
    if held is not None and held.id == row.id:
        return False
    moment.put_row(known, row, mend=True)
    return True


def _mend_segment(moment: Writing, known: Known, segment: Segment) -> None:
    try:
        moment.segment(known.number, segment.number)
    except DamageError:
        moment.put_segment(known.number, segment)


def _mend_head(moment: Writing, known: Known, head: Head) -> None:
    try:
        held = moment.head(known.number, head.role, head.name)
    except DamageError:
        held = None
    if held is None:
        moment.put_head(known.number, head)


def _set_back(session: Session, moment: Writing, known: Known, snapshot: Snapshot) -> str:
    """Move the head to the snapshot's, and the session to its branch."""
    now = float(session.now())
    held = moment.head(known.number, BRANCH, snapshot.branch) or Head(BRANCH, snapshot.branch, "", now)
    redo = held.redo if held.node == snapshot.head else (*held.redo, held.node)
    moment.put_head(known.number, held._replace(node=snapshot.head, redo=redo))
    moment.put_session(known._replace(branch=snapshot.branch))
    moment.put_move(known.number, Move(0, now, "restore", snapshot.branch, held.node, snapshot.head))
    session.branch_name = snapshot.branch
    return held.node


def rebuild(store: Path) -> list[tuple[str, Snapshot | None]]:
    """Set a damaged store aside and make a new one of the newest whole snapshot of each session.

    Returns:
        The sessions that have snapshots, each with the one that was used, None where none is whole.

    Raises:
        SatchelError: there is no snapshot at all; nothing was changed.
    """
    folders = sorted(path for path in (store.parent / "snapshots").glob("*") if numbered(path))
    if not folders:
        raise SatchelError(f"{store.parent}: there are no snapshots to make the store anew from")
    chosen = [(folder, next(_whole(folder), None)) for folder in folders]
    if not any(snapshot for _, snapshot in chosen):
        raise SatchelError(f"{store.parent}: no snapshot is whole, the store was left as it is")
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


def _whole(folder: Path) -> Iterator[Snapshot]:
    for _, path in numbered(folder):
        snapshot = described(path, verified=True)
        if not snapshot.damage:
            yield snapshot


def _set_aside(store: Path) -> None:
    """Rename the files of a store; they stay for whoever wants to look into them."""
    at = 1
    while any(store.parent.glob(f"{store.name}.damaged-{at}*")):
        at += 1
    names = (store.name, f"{store.name}-wal", f"{store.name}-shm", witness_file(store).name)
    for name in names:
        path = store.with_name(name)
        if path.exists():
            os.replace(path, store.with_name(name.replace(store.name, f"{store.name}.damaged-{at}", 1)))


def _tell(session: Session, snapshot: Snapshot, skipped: tuple[str, ...]) -> None:
    if session.observed:
        from satchel.events import SnapshotRestored

        session.emit(SnapshotRestored(session.id, snapshot.id, skipped))
