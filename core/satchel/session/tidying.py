"""Housekeeping: sizes of sessions, stale ones, and deletion for good."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.errors import PointerError, UsageError
from satchel.private_files import make_private_folder
from satchel.session.nodes import SessionError
from satchel.session.pools import is_pool
from satchel.session.shared_snapshots import delete_shared
from satchel.session.snapshots import folder_of
from satchel.session.store import SessionSize, Store, StoreError, Tidying
from satchel.spelling import nearest

if TYPE_CHECKING:
    from satchel.archive import Archive
    from satchel.interfaces import Blobs

_DAY_SECONDS = 86_400.0
_PRUNED = ".pruned"
"""The file in the folder of a store with the time of the last daily tidying."""


@attrs.frozen
class RetentionLimits:
    """Limits on the content of a store; 0 is no limit."""

    days: float = 0
    """Age of the newest node from which a session is deleted."""
    count: int = 0
    bytes: int = 0

    def __bool__(self) -> bool:
        """Return whether there is any limit."""
        return bool(self.days or self.count or self.bytes)


class Deleted(NamedTuple):
    """A deleted session."""

    session: str
    nodes: int
    bytes: int
    snapshots: int
    texts: int
    """Archived texts that were deleted with it, because no other session points to them."""


def tidy(store: Store) -> Tidying:
    """Return a store that can measure and delete; StoreError if it can't."""
    if isinstance(store, Tidying):
        return store
    raise StoreError(store.place, "can't measure and delete sessions: what its plugin opens is not a Tidying")


def measure_sessions(store: Store) -> list[SessionSize]:
    """Return the size of each session, by name; pools are not sessions."""
    return [one for one in tidy(store).sizes() if not is_pool(one.name)]


def choose_stale(sizes: Sequence[SessionSize], limits: RetentionLimits, *, now: float) -> list[SessionSize]:
    """Return the sessions to delete: the too old ones, then the oldest until number and bytes fit."""
    newest = sorted(sizes, key=lambda one: (-one.used, one.name))
    kept: list[SessionSize] = []
    gone: list[SessionSize] = []
    total = 0
    for one in newest:
        old = limits.days and now - one.used > limits.days * _DAY_SECONDS
        full = (limits.count and len(kept) >= limits.count) or (
            limits.bytes and total + one.bytes > limits.bytes
        )
        if old or full:
            gone.append(one)
        else:
            kept.append(one)
            total += one.bytes
    return gone


def delete_sessions(
    store: Store, names: Sequence[str], *, folder: Path, archive: Archive | None, shared: Blobs | None = None
) -> list[Deleted]:
    """Delete sessions for good: their rows, their snapshots, and archived texts that no other session needs.

    Args:
        store: the store.
        names: their names.
        folder: the store's snapshots.
        archive: the texts that sessions point to; None leaves them.
        shared: the place of shared snapshots; None leaves them.

    Raises:
        SessionError: a name is unknown; nothing was deleted.
        StoreError: the store can't delete.
    """
    tidying = tidy(store)
    sizes = {one.name: one for one in tidying.sizes()}
    for name in names:
        if name not in sizes:
            near = nearest(name, sizes)
            hint = f", did you mean {near!r}?" if near else ""
            raise SessionError(name, f"is not in {store.place}{hint}")
    gone = []
    for name in names:
        needed = tidying.list_needed() if archive else set()
        with store.reading() as moment:
            known = moment.session(name)
        if known is None:
            continue  # another process was quicker
        snapshots = (
            delete_shared(shared, known) if shared else 0
        )  # where that fails, the session is still there
        tidying.delete(known)
        snapshots += _remove_snapshots(folder_of(folder, name))
        texts = _remove_texts(archive, needed - tidying.list_needed()) if archive else 0
        gone.append(Deleted(name, sizes[name].nodes, sizes[name].bytes, snapshots, texts))
    return gone


def prune_daily(
    store: Store, limits: RetentionLimits, *, folder: Path, archive: str | Path | None, now: float
) -> list[Deleted]:
    """Delete the sessions beyond the limits, at most once a day; return them.

    Args:
        store: the store.
        limits: the configured limits; without any, nothing is deleted.
        folder: the store's snapshots, and the time of the last tidying.
        archive: place of the texts that sessions point to.
        now: seconds since the epoch.
    """
    stamp = folder / _PRUNED
    with contextlib.suppress(FileNotFoundError):
        if not limits or 0 <= now - stamp.stat().st_mtime < _DAY_SECONDS:
            return []
    make_private_folder(folder)
    stamp.touch(mode=0o600)
    os.utime(stamp, (now, now))
    stale = [one.name for one in choose_stale(measure_sessions(store), limits, now=now)]
    if not stale:
        return []
    from satchel.shared_archive import open_archive

    return delete_sessions(store, stale, folder=folder, archive=open_archive(archive))


def check_limits(limits: RetentionLimits) -> RetentionLimits:
    """Return limits; UsageError if there are none, because nothing would be deleted."""
    if not limits:
        raise UsageError(
            "say what to keep: --days N, --count N or --bytes SIZE, "
            "or days, count and bytes in [session] of your configuration"
        )
    return limits


def _remove_snapshots(folder: Path) -> int:
    if not folder.is_dir():
        return 0
    found = len(list(folder.glob("*.jsonl.gz")))
    shutil.rmtree(folder)
    return found


def _remove_texts(archive: Archive, hashes: set[str]) -> int:
    """Remove texts that no session of the user needs any more; return their number."""
    whole: set[str] = set()
    for hash_ in hashes:
        with contextlib.suppress(PointerError):
            whole.add(archive.find(hash_))
    whole -= archive.find_needs() if whole else set()
    archive.remove(sorted(whole))
    return len(whole)
