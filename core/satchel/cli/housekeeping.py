"""What `satchel doctor` says of stores: what is large, what is stale, what is broken."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from satchel.session.store import Store

_LARGE_BYTES = 1 << 30
_STALE_DAYS = 365.0
_NEWEST = 500
"""Messages of each session that are compared with their seals."""
_MOST_NAMED = 3


class DoctorFinding(NamedTuple):
    """The result of one check."""

    state: str
    """`ok`, `note` (works, but look at it) or `bad`."""
    subject: str
    text: str


def find_stores(root: Path) -> Iterator[DoctorFinding]:
    """Yield what there is to say of the store of sessions and of the archive."""
    yield from _try_check("sessions", lambda: _sessions(root))
    yield from _try_check("sessions", _waiting)
    yield from _try_check("archive", _archive)


def _try_check(subject: str, check: object) -> Iterator[DoctorFinding]:
    from satchel.errors import SatchelError

    try:
        yield from check()  # type: ignore[operator]
    except (SatchelError, OSError) as error:
        yield DoctorFinding("bad", subject, " ".join(str(error).split()))


def _sessions(root: Path) -> Iterator[DoctorFinding]:
    from satchel.session.places import find_store, name_place

    store = find_store(None, root)
    place = name_place(None, root)
    if store is None:
        yield DoctorFinding("ok", "sessions", f"none was kept yet; they would be in {place}")
        return
    with closing(store):
        yield from _sizes(store, place)
        yield from _damage(store)
    left = sorted(Path(place).parent.glob("*.damaged-*")) if Path(place).is_file() else []
    if left:
        yield DoctorFinding(
            "note", "sessions", f"{left[0]}: was set aside as damaged; remove it if nothing misses it"
        )


def _sizes(store: Store, place: str) -> Iterator[DoctorFinding]:
    from satchel.session.store import Tidying
    from satchel.sizing.devices import format_bytes

    if not isinstance(store, Tidying):
        yield DoctorFinding("ok", "sessions", f"in {place}, which does not tell their sizes")
        return
    sizes = sorted(store.sizes(), key=lambda one: -one.bytes)
    total = sum(one.bytes for one in sizes)
    largest = ", ".join(f"{one.name} {format_bytes(one.bytes)}" for one in sizes[:_MOST_NAMED])
    text = f"{len(sizes)} of {format_bytes(total)} in {place}"
    text += f"; the largest: {largest}" if sizes else ""
    step = "; satchel session prune removes what is old" if total > _LARGE_BYTES else ""
    yield DoctorFinding("note" if step else "ok", "sessions", f"{text}{step}")
    stale = [one for one in sizes if time.time() - one.used > _STALE_DAYS * 86_400]
    if stale:
        held = format_bytes(sum(one.bytes for one in stale))
        days = f"{_STALE_DAYS:.0f}"
        text = f"{len(stale)} of {held} were not used for a year; satchel session prune --days {days}"
        yield DoctorFinding("note", "sessions", text)


def _damage(store: Store) -> Iterator[DoctorFinding]:
    """Yield what is not as it was written: of each session the newest messages of the branch it is on."""
    from satchel.session.line import Line
    from satchel.session.nodes import DamageError
    from satchel.session.opening import sessions_of

    for known in sessions_of(store):
        try:
            Line(store, known).messages(last=_NEWEST)
        except DamageError as error:
            text = f"{known.name}: {error}"
            yield DoctorFinding("bad", "sessions", " ".join(text.split()))


def _waiting() -> Iterator[DoctorFinding]:
    """Yield what waits on this machine for a server that could not be reached."""
    from satchel.session.spooling import list_spools

    waiting = [(spool, len(spool.waiting())) for spool in list_spools()]
    for spool, count in waiting:
        if count:
            step = "satchel session replay sends them, as does the next session add --spool"
            yield DoctorFinding("note", "sessions", f"{count} messages wait in {spool.path}; {step}")


def _archive() -> Iterator[DoctorFinding]:
    from satchel.archive import MOST_BYTES
    from satchel.shared_archive import open_archive
    from satchel.sizing.devices import format_bytes

    archive = open_archive()
    found = archive.show()
    total = sum(one.stored_bytes for one in found)
    step = "; satchel archive prune removes what is old" if total > MOST_BYTES else ""
    text = f"{len(found)} texts of {format_bytes(total)} in {archive.place_name}{step}"
    yield DoctorFinding("note" if step else "ok", "archive", text)
