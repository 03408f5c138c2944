"""Opens the file of a store: made for its owner alone, brought up to date, refused where it is newer."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path

from satchel.private_files import (
    ForeignFileError,
    check_database,
    expanded,
    make_database_file,
    make_private_folder,
    why_foreign,
    why_unusable,
)
from satchel.session.sqlite.failing import BUSY_SECONDS, StoreError, told
from satchel.session.sqlite.store import SqliteStore
from satchel.session.sqlite.tables import APPLICATION, SCHEMA, STEPS, VERSION
from satchel.session.sqlite.witness import counted, witness_file
from satchel.workspace.paths import absolute

_OURS = ("sessions", "snapshots", "archive", "trust.json", ".new-", ".sessions")
"""How the names begin of what satchel keeps in such a folder."""
_PAUSE_SECONDS = 0.02
_FOREIGN = "is no store of sessions; name another folder with --store"
_PRAGMAS = ("synchronous=FULL", "fullfsync=ON", "cell_size_check=ON", "trusted_schema=OFF")


def store_file(store: str | Path | None, root: str | Path) -> Path:
    """Return the file of a store: in the folder `store`, or one per project in the user's state folder."""
    if store is not None:
        return expanded(store, "--store") / "sessions.sqlite"
    from satchel.workspace.places import state_folder

    name = hashlib.blake2b(os.fsencode(os.path.realpath(absolute(root))), digest_size=12).hexdigest()
    return state_folder() / "sessions" / name / "sessions.sqlite"


def is_there(path: Path) -> bool:
    """Tell whether a store was made in a file.

    Raises:
        StoreError: what stands there is not to be believed.
    """
    with told(path):
        missing = [place for place in path.parents if not os.path.lexists(place)]
        place = missing[-1].parent if missing else path
        if reason := why_unusable(place) if missing else why_foreign(place):
            raise ForeignFileError(place, reason)
        return path.exists()


def open_store(path: Path, *, create: bool = False, steps: Mapping[int, str] = STEPS) -> SqliteStore:
    """Open the store in a file.

    Args:
        path: the file.
        create: whether a missing one is made.
        steps: the way from older versions.

    Raises:
        StoreError: it is missing, newer than this satchel, not a store, or can't be opened.
        DamageError: it is damaged, or commits are missing from it.
    """
    with told(path):
        _settle_folder(path.parent, create=create)
        check_database(path)
        expected = counted(path)
        if create and not expected and not path.exists():
            make_database_file(path)
            _sync_folder(path.parent)
        if not path.is_file():
            raise StoreError(path, _missing(path, expected))
        read_only = not _may_write(path)
        store = SqliteStore(path, lambda: _connected(path, read_only=read_only), read_only=read_only)
        try:
            _settle_version(store, expected, steps)
            _check_commits(store, expected)
        except BaseException:
            store.close()
            raise
        return store


def _missing(path: Path, expected: int) -> str:
    if path.exists():
        return "is no file; name another folder with --store"
    if expected:
        return f"is gone, but {witness_file(path).name} beside it tells of {expected} commits; put it back"
    return "no session was kept here yet; satchel session add makes the store, --store names another folder"


def _settle_folder(folder: Path, *, create: bool) -> None:
    """Make the folder of a store, or close it to others where it holds nothing but what satchel keeps."""
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    if missing and not create:
        return
    if missing or _holds_nothing_else(folder):
        make_private_folder(folder)
    elif reason := why_foreign(folder):
        raise ForeignFileError(folder, reason)
    for place in missing:
        _sync_folder(place.parent)


def _holds_nothing_else(folder: Path) -> bool:
    return folder.is_dir() and all(name.startswith(_OURS) for name in os.listdir(folder))


def _sync_folder(folder: Path) -> None:
    """Have a folder's new names reach the disk."""
    if os.name == "nt":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _connected(path: Path, *, read_only: bool) -> sqlite3.Connection:
    mode = _read_only_mode(path) if read_only else "rw"
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    if not read_only:
        _write_ahead(connection, path)
    return connection


def _read_only_mode(path: Path) -> str:
    """Return how a store is read where nothing may be written, not even the shared index of its log."""
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        return "ro"
    return "ro&immutable=1"


def _refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError where a database is another program's; tables first: ours come with the mark."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise StoreError(path, _FOREIGN)


def _write_ahead(connection: sqlite3.Connection, path: Path) -> None:
    """Switch to the write-ahead log; sqlite does not wait by itself where others do the same."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                _refuse_foreign(connection, path)
                connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(_PAUSE_SECONDS)


def _settle_version(store: SqliteStore, expected: int, steps: Mapping[int, str]) -> None:
    version = store.number("PRAGMA user_version")
    target = max(steps, default=0) + 1 if steps else VERSION
    if version == target and store.number("PRAGMA application_id") == APPLICATION:
        return
    if version > target:
        raise StoreError(
            store.path,
            f"was written by a newer satchel (store version {version}, this one reads up to {target}); "
            "update satchel, or name another folder with --store",
        )
    if version:
        _updated(store, version, target, steps)
    elif expected:
        raise StoreError(store.path, _lost(store.path, 0, expected))
    else:
        _filled(store)


def _filled(store: SqliteStore) -> None:
    with store.transaction() as connection:
        if connection.execute("PRAGMA user_version").fetchone()[0]:
            return  # another process was quicker
        for statement in filter(str.strip, SCHEMA.split(";")):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id={APPLICATION}")
        connection.execute(f"PRAGMA user_version={VERSION}")


def _updated(store: SqliteStore, version: int, target: int, steps: Mapping[int, str]) -> None:
    if store.number("PRAGMA application_id") != APPLICATION or any(
        at not in steps for at in range(version, target)
    ):
        raise StoreError(store.path, _FOREIGN)
    store.back_up(store.path.with_name(f"{store.path.name}.version-{version}"))
    with store.transaction() as connection:
        for at in range(connection.execute("PRAGMA user_version").fetchone()[0], target):
            for statement in filter(str.strip, steps[at].split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version={target}")


def _check_commits(store: SqliteStore, expected: int) -> None:
    found = store.number("SELECT value FROM facts WHERE name = 'commits'")
    if found < expected:
        raise StoreError(store.path, _lost(store.path, found, expected))


def _lost(path: Path, found: int, expected: int) -> str:
    return (
        f"holds {found} of {expected} commits: it or its log was cut short or damaged; put it back from a "
        f"copy, or remove {witness_file(path).name} to go on with what is left"
    )
