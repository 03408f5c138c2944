"""The built-in session store: one sqlite file, every commit durable."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from satchel.errors import SatchelError, UsageError
from satchel.open_flags import BINARY, NON_BLOCKING
from satchel.paths import absolute
from satchel.patterns import lazily
from satchel.private_files import (
    ForeignFileError,
    check_database,
    expand_path,
    make_database_file,
    make_private_folder,
    read_private,
    reason_of,
    state_folder,
    sync_folder,
    why_foreign,
    why_unusable,
)
from satchel.session.nodes import DamageError, NodePlace, Row, digest, seal
from satchel.session.store import Head, Known, Move, NoStoreError, Segment, SessionSize, StoreError

BUSY_SECONDS = 30.0
MENDING = "satchel session restore repairs it from a snapshot"
_ANEW = "satchel session restore --rebuild makes it anew from snapshots"


_REASONS = {
    "SQLITE_BUSY": f"another process has been writing for {BUSY_SECONDS:.0f} seconds; try again",
    "SQLITE_LOCKED": f"another process has been writing for {BUSY_SECONDS:.0f} seconds; try again",
    "SQLITE_FULL": "the disk is full, nothing was kept; free some space or name another folder with --store",
    "SQLITE_READONLY": "can't be written: it or its folder is read-only; name another folder with --store",
    "SQLITE_CANTOPEN": "can't be opened: check the folder's rights or name another one with --store",
    "SQLITE_PERM": "can't be opened: check the folder's rights or name another one with --store",
    "SQLITE_TOOBIG": "the message is larger than a store can hold (1 GB)",
}
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH")


@contextlib.contextmanager
def explain_errors(path: Path | str) -> Iterator[None]:
    """Turn sqlite's errors into a StoreError or a DamageError that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise _name_error(path, error) from error
    except MemoryError as error:
        raise StoreError(path, "there is not enough memory to read it, or it is damaged") from error
    except OverflowError as error:
        raise StoreError(path, _REASONS["SQLITE_TOOBIG"]) from error
    except OSError as error:
        raise StoreError(path, f"can't be used: {reason_of(error, path)}; name another --store") from error


def _name_error(path: Path | str, error: sqlite3.Error) -> SatchelError:
    code = getattr(error, "sqlite_errorname", "") or ""
    if code == "SQLITE_NOTADB":
        return DamageError(str(path), f"is not a store of sessions, or its beginning is damaged; {_ANEW}")
    if code.startswith(_DAMAGED) or not code:
        return DamageError(str(path), f"is damaged ({error}); {_ANEW}")
    reason = next((why for name, why in _REASONS.items() if code.startswith(name)), "")
    return StoreError(path, reason or f"can't be read or written: {error} ({code}); nothing was kept")


VERSION = 1
APPLICATION = 0x53415443
"""The number that marks the file as ours: "SATC"."""


_LENGTH = 64
_WRITE = os.O_WRONLY | os.O_CREAT | BINARY | NON_BLOCKING


def witness_file(path: Path) -> Path:
    """Return the file of a store's commit count."""
    return path.with_name(f"{path.name}-count")


def read_commit_count(path: Path) -> int:
    """Return how many commits are known to be in a store; 0 if unknown."""
    try:
        words = read_private(witness_file(path), most_bytes=_LENGTH).decode("ascii", "replace").split()
    except OSError:
        return 0
    if len(words) != 3 or words[0] != "commits" or not words[1].isdecimal():
        return 0
    number = int(words[1])
    return number if words[2] == seal(number) else 0


def count(path: Path, commits: int) -> None:
    """Write the commit count; a failure costs the check, never the commit."""
    line = f"commits {commits} {seal(commits)}".ljust(_LENGTH - 1) + "\n"
    with contextlib.suppress(OSError):
        number = os.open(witness_file(path), _WRITE, 0o600)
        try:
            os.write(number, line.encode("ascii"))
        finally:
            os.close(number)


_COLUMNS = (
    "n.segment, n.position, n.parent, n.kind, n.at, n.digest, n.meta, n.flags, n.nth, n.prior, n.other, "
    "n.tally, n.seal"
)
_BODIES = {"": ("NULL", ""), "*": ("b.content", "LEFT JOIN bodies b ON b.id = n.body")}
_ONE_KIND = ("b.content", "LEFT JOIN bodies b ON b.id = n.body AND n.kind = :kind")

AT_START = "-"
"""The start in a list of nodes, because its id is empty."""


class _Reading:
    """One moment of the store, as `StoreReader` says."""

    def __init__(self, connection: sqlite3.Connection, place: str) -> None:
        self._connection, self._place = connection, place

    def sessions(self) -> list[Known]:
        rows = self._all("SELECT number, name, origin, created, branch, seal FROM sessions ORDER BY name")
        return [Known(*self._check_seal(row, f"session {row[1]!r}")) for row in rows]

    def session(self, name: str) -> Known | None:
        rows = self._all(
            "SELECT number, name, origin, created, branch, seal FROM sessions WHERE name = ?", (name,)
        )
        return Known(*self._check_seal(rows[0], f"session {name!r}")) if rows else None

    def segment(self, session: int, number: int) -> Segment:
        rows = self._all(
            "SELECT session, number, parent, fork, seal FROM segments WHERE session = ? AND number = ?",
            (session, number),
        )
        if not rows:
            raise self._damage(f"run {number} of nodes is missing")
        return Segment(*self._check_seal(rows[0], f"run {number} of nodes")[1:])

    def last_segment(self, session: int) -> int:
        rows = self._all("SELECT max(number) FROM segments WHERE session = ?", (session,))
        return int(rows[0][0] or 0)

    def row(self, known: Known, place: NodePlace, *, content: bool = False) -> Row | None:
        found = self.rows(known, place, place.position, content="*" if content else "", newest=False)
        return next(found, None)

    def rows(self, known: Known, first: NodePlace, last: int, *, content: str, newest: bool) -> Iterator[Row]:
        column, join = _BODIES.get(content, _ONE_KIND)
        cursor = self._connection.execute(
            f"SELECT {_COLUMNS}, {column} FROM nodes n {join} WHERE n.session = :session "  # noqa: S608
            "AND n.segment = :segment AND n.position BETWEEN :first AND :last "
            f"ORDER BY n.position {'DESC' if newest else 'ASC'}",
            {
                "session": known.number,
                "segment": first.segment,
                "first": first.position,
                "last": last,
                "kind": content,
            },
        )
        for fields in cursor:
            row = Row(*fields)
            self._check(known, row, with_body=content in ("*", row.kind))
            yield row

    def heads(self, session: int, role: str) -> list[Head]:
        return self._heads("session = ? AND role = ? ORDER BY at, name", (session, role))

    def head(self, session: int, role: str, name: str) -> Head | None:
        found = self._heads("session = ? AND role = ? AND name = ?", (session, role, name))
        return found[0] if found else None

    def moves(self, session: int, last: int) -> list[Move]:
        rows = self._all(
            "SELECT session, number, at, what, branch, before, after, seal FROM moves "
            "WHERE session = ? ORDER BY number DESC LIMIT ?",
            (session, last),
        )
        return [Move(*self._check_seal(row, f"move {row[1]}")[1:]) for row in reversed(rows)]

    def _heads(self, where: str, values: Sequence[object]) -> list[Head]:
        rows = self._all(
            "SELECT session, role, name, node, at, home, since, redo, seal FROM heads "  # noqa: S608
            f"WHERE {where}",
            values,
        )
        checked = [self._check_seal(row, f"{row[1]} {row[2]!r}")[1:] for row in rows]
        return [Head._make([*row[:6], _nodes(row[6])]) for row in checked]

    def _all(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, values).fetchall()

    def _check_seal(self, row: tuple[Any, ...], name: str) -> tuple[Any, ...]:
        """Check a row against its seal, and return it without the seal."""
        if row[-1] != seal(*row[:-1]):
            raise self._damage(f"{name} is not as it was written")
        return row[:-1]

    def _check(self, known: Known, row: Row, *, with_body: bool) -> None:
        whole = row.check == seal(known.origin, *row[:12])
        if whole and with_body:
            whole = isinstance(row.content, bytes) and digest(row.content) == row.digest
        if not whole:
            raise self._damage(f"session {known.name!r}: {row.kind} {row.id} is not as it was written")

    def _damage(self, what: str) -> DamageError:
        return DamageError(self._place, f"{what}: the file is damaged; {MENDING}")


def _nodes(text: str) -> tuple[str, ...]:
    """Return the ids of a list."""
    return tuple("" if node == AT_START else node for node in text.split())


_BLOB = lazily(rb"\bblob[:/]([0-9a-f]{8,32})\b")
"""References to the archive in a text: `blob:HASH` and `satchel://blob/HASH`."""


class _Writing(_Reading):
    """A transaction of the store, as `StoreWriter` says."""

    def put_session(self, known: Known) -> Known:
        if not known.number:
            highest = self._all(
                "SELECT max(coalesce((SELECT max(number) FROM sessions), 0), "
                "coalesce((SELECT value FROM facts WHERE name = 'deleted'), 0))"
            )[0][0]
            known = known._replace(number=highest + 1)
        self._put("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?)", known)
        return known

    def put_segment(self, session: int, segment: Segment) -> None:
        self._put("INSERT OR REPLACE INTO segments VALUES (?, ?, ?, ?, ?)", (session, *segment))

    def put_row(self, known: Known, row: Row, *, mend: bool = False) -> None:
        verb = "INSERT OR REPLACE" if mend else "INSERT"
        self._connection.execute(
            f"{verb} INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (known.number, *row[:13], self._body(row.digest, row.content or b"")),
        )

    def _body(self, address: bytes, content: bytes) -> int:
        """Return the number of a body; write a damaged one again."""
        found = self._all("SELECT id, content FROM bodies WHERE digest = ?", (address,))
        if found and found[0][1] != content:
            self._connection.execute("UPDATE bodies SET content = ? WHERE id = ?", (content, found[0][0]))
        if found:
            return int(found[0][0])
        self._connection.executemany(
            "INSERT OR IGNORE INTO blobs VALUES (?)",
            [(one.decode("ascii"),) for one in _BLOB.findall(content)],
        )
        added = self._connection.execute(
            "INSERT INTO bodies (digest, content) VALUES (?, ?)", (address, content)
        )
        return int(added.lastrowid or 0)

    def put_head(self, session: int, head: Head) -> None:
        fields = (session, *head[:6], " ".join(node or AT_START for node in head.redo))
        self._put("INSERT OR REPLACE INTO heads VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", fields)

    def delete_session(self, session: int) -> None:
        """Remove a session, and bodies that no other session has; its number stays taken."""
        self._connection.execute(
            "INSERT INTO facts VALUES ('deleted', :session) "
            "ON CONFLICT (name) DO UPDATE SET value = max(value, :session)",
            {"session": session},
        )
        own = "SELECT body FROM nodes WHERE session = ?"
        others = "SELECT body FROM nodes WHERE session <> ?"
        alone = f"id IN ({own}) AND id NOT IN ({others})"
        named = self._hashes(f"SELECT content FROM bodies WHERE {alone}", (session, session))  # noqa: S608
        self._connection.execute(f"DELETE FROM bodies WHERE {alone}", (session, session))  # noqa: S608
        for table in ("nodes", "segments", "heads", "moves"):
            self._connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))  # noqa: S608
        self._connection.execute("DELETE FROM sessions WHERE number = ?", (session,))
        if named:
            named -= self._hashes("SELECT content FROM bodies")
        self._connection.executemany("DELETE FROM blobs WHERE hash = ?", [(one,) for one in named])

    def _hashes(self, query: str, values: Sequence[object] = ()) -> set[str]:
        """Return the archive hashes in the bodies of a query."""
        rows = self._connection.execute(query, values)
        return {one.decode("ascii") for (content,) in rows for one in _BLOB.findall(content)}

    def put_move(self, session: int, move: Move) -> None:
        number = (self._all("SELECT max(number) FROM moves")[0][0] or 0) + 1
        at, what, branch, before, after = move[1:]
        sealed = seal(session, number, at, what, branch, before, after)
        self._connection.execute(
            "INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (number, session, at, what, branch, before, after, sealed),
        )

    def _put(self, query: str, fields: tuple[object, ...]) -> None:
        self._connection.execute(query, (*fields, seal(*fields)))


_SIZES = """
SELECT s.number, s.name, count(n.position),
    coalesce(sum(150 + length(n.meta) + length(n.tally) + coalesce(length(b.content), 0)), 0),
    coalesce(max(n.at), s.created)
FROM sessions s LEFT JOIN nodes n ON n.session = s.number LEFT JOIN bodies b ON b.id = n.body
GROUP BY s.number ORDER BY s.name
"""


class SqliteStore:
    """One file; threads take turns, processes wait for each other, a forked child opens it anew."""

    def __init__(
        self, path: Path, connect: Callable[[], sqlite3.Connection], *, read_only: bool = False
    ) -> None:
        self.path = path
        self._connect, self._read_only = connect, read_only
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._connection: sqlite3.Connection | None = self._hold(connect())

    @property
    def place(self) -> str:
        """Name the file."""
        return str(self.path)

    @contextlib.contextmanager
    def reading(self) -> Iterator[_Reading]:
        """Read one moment of the store."""
        with self._lock, explain_errors(self.path):
            connection = self._open()
            connection.execute("BEGIN")
            try:
                yield _Reading(connection, self.place)
            finally:
                _end(connection)

    @contextlib.contextmanager
    def writing(self) -> Iterator[_Writing]:
        """Write; changes are durable when this ends without an error, and discarded otherwise."""
        with self.transaction() as connection:
            yield _Writing(connection, self.place)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run statements as one transaction, and count it."""
        if self._read_only:
            raise StoreError(
                self.path, "can't be written: it or its folder is read-only; name another --store"
            )
        with self._lock, explain_errors(self.path):
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                commits = _one_more(connection)
                connection.execute("COMMIT")
            except BaseException:
                _end(connection)
                raise
        count(self.path, commits)

    def sizes(self) -> list[SessionSize]:
        """Return the size of each session, by name."""
        with self._lock, explain_errors(self.path):
            rows = self._open().execute(_SIZES).fetchall()
        return [SessionSize(*row) for row in rows]

    def delete(self, known: Known) -> None:
        """Remove a session for good: its content is overwritten in the file and its log."""
        with self._lock:
            with explain_errors(self.path):
                self._open().execute("PRAGMA secure_delete=ON")
            with self.writing() as moment:
                moment.delete_session(known.number)
            with explain_errors(self.path):
                self._open().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def list_needed(self) -> set[str]:
        """Return the hashes of archived texts, some shortened, that the sessions name."""
        return set(self.texts("SELECT hash FROM blobs"))

    def number(self, query: str) -> int:
        """Return the number that a query yields."""
        with self._lock, explain_errors(self.path):
            row = self._open().execute(query).fetchone()
        if row is None or not isinstance(row[0], int):
            raise sqlite3.DatabaseError(f"no answer to {query}")
        return row[0]

    def texts(self, query: str) -> list[str]:
        """Return the texts that a query yields."""
        with self._lock, explain_errors(self.path):
            return [str(row[0]) for row in self._open().execute(query)]

    def close(self) -> None:
        """Close the file; sqlite folds its log into it."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None and self._process == os.getpid():
                connection.close()

    def _hold(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """Have a connection closed with its last user: Python 3.13 warns of those that are left open."""
        weakref.finalize(self, _close_at_home, connection, os.getpid()).atexit = False
        return connection

    def _open(self) -> sqlite3.Connection:
        if self._process != os.getpid():
            # sqlite's connections must not cross a fork; the parent's is left alone
            self._connection, self._process = self._hold(self._connect()), os.getpid()
        if self._connection is None:
            raise StoreError(self.path, "was closed")
        return self._connection


def _end(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:  # a full disk has rolled back by itself
        connection.execute("ROLLBACK")


def _one_more(connection: sqlite3.Connection) -> int:
    found = connection.execute(
        "UPDATE facts SET value = value + 1 WHERE name = 'commits' RETURNING value"
    ).fetchone()
    return int(found[0]) if found else 0


_OURS = ("sessions", "snapshots", "archive", "trust.json", ".new-", ".sessions")
"""Prefixes of the names that satchel keeps in such a folder."""
_PAUSE_SECONDS = 0.02
_FOREIGN = "is not a store of sessions; name another folder with --store"
_PRAGMAS = ("synchronous=FULL", "fullfsync=ON", "cell_size_check=ON", "trusted_schema=OFF")


def store_file(store: str | Path | None, root: str | Path) -> Path:
    """Return the file of a store: in the folder `store`, or one per project in the user's state folder.

    Raises:
        UsageError: `store` is a file.
    """
    if store is not None:
        folder = expand_path(store, "--store")
        if folder.is_file():
            raise UsageError(f"--store {store} is a file; name a folder")
        return folder / "sessions.sqlite"
    name = hashlib.blake2b(os.fsencode(os.path.realpath(absolute(root))), digest_size=12).hexdigest()
    return state_folder() / "sessions" / name / "sessions.sqlite"


def is_there(path: Path) -> bool:
    """Return whether a store was made in a file.

    Raises:
        StoreError: the file there can't be trusted.
    """
    with explain_errors(path):
        missing = [place for place in path.parents if not os.path.lexists(place)]
        place = missing[-1].parent if missing else path
        if reason := why_unusable(place) if missing else why_foreign(place):
            raise ForeignFileError(place, reason)
        return path.exists()


def open_store(path: Path, *, create: bool = False) -> SqliteStore:
    """Open the store in a file.

    Args:
        path: the file.
        create: whether to make a missing one.

    Raises:
        StoreError: it is missing, newer than this satchel, not a store, or can't be opened.
        DamageError: it is damaged, or commits are missing from it.
    """
    with explain_errors(path):
        _settle_folder(path.parent, create=create)
        check_database(path)
        expected = read_commit_count(path)
        if create and not expected and not path.exists():
            make_database_file(path)
            sync_folder(path.parent)
        if not path.is_file():
            found = path.exists() or expected
            raise (StoreError if found else NoStoreError)(path, _missing(path, expected))
        read_only = not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
        store = SqliteStore(path, lambda: _connect(path, read_only=read_only), read_only=read_only)
        try:
            _settle_version(store, expected)
            _check_commits(store, expected)
        except BaseException:
            store.close()
            raise
        return store


def _missing(path: Path, expected: int) -> str:
    if path.exists():
        return "is not a file; name another folder with --store"
    if expected:
        return f"is gone, but {witness_file(path).name} beside it tells of {expected} commits; put it back"
    return "no sessions here yet; satchel session add creates the store, --store names another folder"


def _settle_folder(folder: Path, *, create: bool) -> None:
    """Make the folder of a store, or make it private if it holds only satchel's files."""
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    if missing and not create:
        return
    if missing or (folder.is_dir() and all(name.startswith(_OURS) for name in os.listdir(folder))):
        make_private_folder(folder)
    elif reason := why_foreign(folder):
        raise ForeignFileError(folder, reason)
    for place in missing:
        sync_folder(place.parent)


def _connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    mode = _read_only_mode(path) if read_only else "rw"
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        if not read_only:
            _write_ahead(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _close_at_home(connection: sqlite3.Connection, process: int) -> None:
    if os.getpid() == process:  # a forked child leaves the parent's alone
        connection.close()


def _read_only_mode(path: Path) -> str:
    """Return the mode for reading a store if nothing may be written, not even the shared index of its log."""
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        return "ro"
    return "ro&immutable=1"


def _refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError for another program's database; tables first: ours come with the mark."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise StoreError(path, _FOREIGN)


def _write_ahead(connection: sqlite3.Connection, path: Path) -> None:
    """Switch to the write-ahead log; sqlite does not wait by itself if others do the same."""
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


def _settle_version(store: SqliteStore, expected: int) -> None:
    """Make the tables of a new store, and refuse a version that this satchel did not write."""
    version = store.number("PRAGMA user_version")
    if version > VERSION:
        raise StoreError(
            store.path,
            f"was written by a newer satchel (store version {version}, this one reads up to {VERSION}); "
            "update satchel, or name another folder with --store",
        )
    if version and store.number("PRAGMA application_id") != APPLICATION:
        raise StoreError(store.path, _FOREIGN)
    if not version and expected:
        raise StoreError(store.path, _lost(store.path, 0, expected))
    if not version:
        _fill(store)


def _fill(store: SqliteStore) -> None:
    with store.transaction() as connection:
        if connection.execute("PRAGMA user_version").fetchone()[0]:
            return  # another process was quicker
        schema = Path(__file__).with_name("schema.sql").read_text("utf-8")
        for statement in filter(str.strip, schema.split(";")):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id={APPLICATION}")
        connection.execute(f"PRAGMA user_version={VERSION}")


def _check_commits(store: SqliteStore, expected: int) -> None:
    found = store.number("SELECT value FROM facts WHERE name = 'commits'")
    if found < expected:
        raise StoreError(store.path, _lost(store.path, found, expected))


def _lost(path: Path, found: int, expected: int) -> str:
    return (
        f"holds {found} of {expected} commits: it or its log was cut short or damaged; put it back from a "
        f"copy, or remove {witness_file(path).name} to go on with what is left"
    )


def list_needed(folder: Path) -> set[str]:
    """Return the hashes, some shortened, that sessions of the stores in a folder name.

    Raises:
        SatchelError: a store can't be read.
    """
    found: set[str] = set()
    for path in (folder / "sessions.sqlite", *sorted((folder / "sessions").glob("*/sessions.sqlite"))):
        if path.is_file():
            store = open_store(path)
            try:
                found.update(store.list_needed())
            finally:
                store.close()
    return found
