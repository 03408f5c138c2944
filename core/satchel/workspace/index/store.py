"""Open the index database of a workspace, and store facts and texts in it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import threading
import time
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from sqlite3 import Connection
from typing import Any, NoReturn, TypeVar, cast

from satchel.errors import Problem, SatchelError, WorkspaceError
from satchel.private_files import make_database_file, make_private_folder, reason_of, why_foreign
from satchel.redaction.scanning import rules_version
from satchel.spelling import join_reason

SCHEMA_VERSION = 22
_RULES_BITS = 24
_BUSY_SECONDS = 20.0
_DAY_SECONDS = 86_400.0
KEPT_DAYS = 90
"""Days without use after which an index is removed when another one is made."""
KEPT_BYTES = 4 << 30
"""Bytes of all indexes of a cache folder from which those go that were used least recently."""
_TRIES, _PAUSE_SECONDS = 50, 0.05


def index_file(cache_dir: Path, root: Path, scanners: str = "") -> Path:
    """Return the index file of a workspace: one per real path of its root and key of its scanners.

    A text that one set of scanners has passed is never used with another set.
    """
    digest = hashlib.blake2b(os.fsencode(os.path.realpath(root)), digest_size=12).hexdigest()
    return cache_dir / "index" / f"{digest}{scanners and f'-{scanners}'}.sqlite"


def index_version() -> int:
    """Return the version of an index, made of the versions of its tables and of the redaction rules."""
    return SCHEMA_VERSION << _RULES_BITS | rules_version()


MOST_ASKED = 900
"""Most names in one query."""
_LONGEST_REASON = 200
_SIGNS_OF_TERMS = ("vtable constructor", "fts5 file format", "SQL logic error")
"""FTS5's messages if its own tables are damaged."""
_SIGNS_OF_DAMAGE = ("malformed", "no such table", "no such column", "Could not decode", *_SIGNS_OF_TERMS)
_DAMAGED = "the index is damaged; it was removed, run the command again"


class DamagedIndexError(WorkspaceError):
    """The index was damaged; it has been removed, so that the next run rebuilds it."""


_watching: list[list[Path]] = []
"""For each `report_damage` in progress, the index files that already existed when they were opened."""


@contextlib.contextmanager
def report_damage() -> Iterator[None]:
    """Turn an error that damage explains into a DamagedIndexError, and remove the index.

    sqlite does not check rows: a flipped bit shows only when something reads the row. If this run created the
    index, damage is not an explanation, and the error passes unchanged.
    """
    opened: list[Path] = []
    _watching.append(opened)
    try:
        yield
    except (SatchelError, OSError):
        raise
    except Exception as error:
        if not opened:
            raise
        for path in opened:
            _remove(path)
        what = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST_REASON]
        raise DamagedIndexError(str(opened[-1]), f"{_DAMAGED} ({what})") from error
    finally:
        _watching.remove(opened)


class IndexStore:
    """A connection that threads may share, one transaction at a time; `path` is None in memory.

    It is closed with its last user, too: Python 3.13 warns of databases that are left open.
    """

    def __init__(
        self, connection: sqlite3.Connection, *, path: Path | None = None, problems: tuple[Problem, ...] = ()
    ) -> None:
        self.connection = connection
        self.path = path
        self.problems = problems
        self.lock = threading.RLock()
        self.closed_to_writing = False
        self.is_damaged = False
        weakref.finalize(self, connection.close).atexit = False

    @classmethod
    def open(cls, path: Path | None) -> IndexStore:
        """Open the index at `path`; None, a full disk or a read-only folder give one in memory."""
        if path is None:
            return cls(_prepare(sqlite3.connect(":memory:", check_same_thread=False)))
        try:
            was_there = os.path.isfile(path)
            opened = cls(_open_file(path), path=path)
            for paths in _watching if was_there else ():
                paths.append(path)
            return opened
        except (OSError, sqlite3.Error) as error:
            reason = reason_of(error, path) if isinstance(error, OSError) else str(error)
            problem = Problem(
                "index", "open", f"{join_reason(str(path), reason)}; this run keeps its index in memory"
            )
            return cls(_prepare(sqlite3.connect(":memory:", check_same_thread=False)), problems=(problem,))

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run a block as one transaction: all of it or, after any exception, nothing."""
        with self.lock:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException as error:
                if self.connection.in_transaction:  # a full disk has rolled back by itself
                    self.connection.execute("ROLLBACK")
                self._raise_if_damaged(error)
                raise

    def remember(self, write: Callable[[sqlite3.Connection], object]) -> None:
        """Write to the cache; a full disk or a lock is a problem and not an error."""
        if self.closed_to_writing:
            return
        try:
            with self.transaction() as connection:
                write(connection)
        except sqlite3.OperationalError as error:
            self.closed_to_writing = True
            self.problems += (Problem("index", "write", f"{error}; this run remembers nothing more"),)

    def rows(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        """Return all rows of a query."""
        with self.lock:
            try:
                return self.connection.execute(query, values).fetchall()
            except sqlite3.DatabaseError as error:
                self._raise_if_damaged(error)
                raise

    def decode(self, value: object) -> Any:
        """Decode stored JSON; raise DamagedIndexError if it is not valid."""
        try:
            return json.loads(str(value))
        except (ValueError, RecursionError) as error:
            self._give_up(error)

    def recall(self, given: Mapping[str, str]) -> dict[str, Any]:
        """Return the facts of these names for these inputs; others are left out."""
        known, names = {}, list(given)
        for start in range(0, len(names), MOST_ASKED):
            some = names[start : start + MOST_ASKED]
            marks = ",".join("?" * len(some))
            query = f"SELECT name, value, given FROM facts WHERE name IN ({marks})"  # noqa: S608
            for name, value, made_from in self.rows(query, tuple(some)):
                if made_from == given[str(name)]:
                    known[str(name)] = self.decode(value)
        return known

    def keep(self, given: Mapping[str, str], made: Mapping[str, object]) -> None:
        """Store facts as JSON, each with its input, in place of earlier ones of its name."""
        rows = [(name, json.dumps(value), given[name]) for name, value in made.items()]
        insert = "INSERT OR REPLACE INTO facts VALUES (?, ?, ?)"
        self.remember(lambda connection: connection.executemany(insert, rows))

    def again(self, name: str, given: str, make: Callable[[], object]) -> Any:
        """Return a fact for an input, or make and store it; tuples become lists."""
        known = self.recall({name: given})
        if name not in known:
            known[name] = json.loads(json.dumps(make()))
            self.keep({name: given}, known)
        return known[name]

    def _raise_if_damaged(self, error: BaseException) -> None:
        if self.path is not None and isinstance(error, sqlite3.DatabaseError) and _is_damage(error):
            self._give_up(error)

    def _give_up(self, error: BaseException) -> NoReturn:
        self.is_damaged = True
        if self.path is None:
            raise error
        _remove(self.path)
        raise DamagedIndexError(str(self.path), _DAMAGED) from error

    def raise_if_damaged(self) -> None:
        """Raise DamagedIndexError if any reader, perhaps in a plugin that ignored it, met damage."""
        if self.is_damaged:
            raise DamagedIndexError(str(self.path), _DAMAGED)

    def close(self) -> None:
        """Close the connection."""
        with self.lock:
            self.connection.close()


def remove_stale(
    folder: Path, *, now: float, days: float = KEPT_DAYS, most_bytes: int = KEPT_BYTES
) -> list[Path]:
    """Remove the indexes of a folder that were not used for `days`, then the oldest until the rest fits.

    Indexes used within a day stay in any case: a run may be reading them.

    Returns:
        the removed indexes; one that can't be removed is left out.
    """
    used: list[tuple[float, int, Path]] = []
    for path in folder.glob("*.sqlite"):
        with contextlib.suppress(OSError):  # another process was quicker
            status = path.lstat()
            used.append((status.st_mtime, status.st_size, path))
    gone, total = [], 0
    for moment, size, path in sorted(used, reverse=True):
        age = (now - moment) / _DAY_SECONDS
        total += size
        if age > days or (age > 1 and total > most_bytes):
            with contextlib.suppress(OSError):
                _remove(path)
                gone.append(path)
                total -= size
    return gone


def _open_file(path: Path) -> sqlite3.Connection:
    make_private_folder(path.parent)
    for name in _files_of_database(path):
        if name.is_symlink() or why_foreign(name):  # not made by satchel: recreate it
            name.unlink()
    if path.exists():
        os.utime(path)  # sqlite writes nothing when it only reads
    else:
        remove_stale(path.parent, now=time.time())
    try:
        return _connect_patiently(path)
    except sqlite3.DatabaseError as error:
        if not _is_damage(error):
            raise
        _remove(path)
        return _connect_patiently(path)


def _connect_patiently(path: Path) -> sqlite3.Connection:
    """Connect, with retries: if several processes create the index, sqlite reports "locked" at once."""
    for _ in range(_TRIES):
        try:
            return _connect(path)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            time.sleep(_PAUSE_SECONDS)
    return _connect(path)


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    return type(error) is sqlite3.DatabaseError or any(sign in str(error) for sign in _SIGNS_OF_DAMAGE)


def _remove(path: Path) -> None:
    for name in _files_of_database(path):
        name.unlink(missing_ok=True)


def _files_of_database(path: Path) -> list[Path]:
    """Return the files of a database."""
    return [path.with_name(f"{path.name}{ending}") for ending in ("", "-wal", "-shm", "-journal")]


def _connect(path: Path) -> sqlite3.Connection:
    make_database_file(path)
    if os.name != "nt" and path.stat().st_mode & 0o077:
        path.chmod(0o600)
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        return _prepare(connection)
    except BaseException:
        connection.close()
        raise


def _prepare(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Bring the schema up to date: an index of another version is dropped and rebuilt."""
    connection.isolation_level = None
    wanted = index_version()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == wanted:
        return connection
    connection.execute("BEGIN IMMEDIATE")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != wanted:
        for kind in ("CREATE VIRTUAL", "CREATE TABLE"):  # a virtual table drops its own
            tables = "SELECT name FROM sqlite_master WHERE sql LIKE ? AND substr(name, 1, 7) != 'sqlite_'"
            for (name,) in connection.execute(tables, (f"{kind}%",)).fetchall():
                connection.execute(f'DROP TABLE "{name}"')
        schema = Path(__file__).with_name("schema.sql").read_text("utf-8")
        for statement in filter(str.strip, schema.split(";")):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {wanted}")
    connection.execute("COMMIT")
    return connection


MOST = 2_000
"""Most texts that are stored; the oldest are removed first."""


def keep_blobs(store: IndexStore, texts: Mapping[str, str]) -> None:
    """Store texts by hash; those already stored become the newest."""

    def write(connection: Connection) -> None:
        (last,) = connection.execute("SELECT coalesce(max(age), 0) FROM blobs").fetchone()
        rows = [(hash_, text, last + place) for place, (hash_, text) in enumerate(texts.items(), start=1)]
        connection.executemany("INSERT OR REPLACE INTO blobs VALUES (?, ?, ?)", rows)
        connection.execute("DELETE FROM blobs WHERE age <= ?", (last + len(texts) - MOST,))

    if texts:
        store.remember(write)


def key_of_name(name: str) -> str:
    """Return the key under which the hash of a text is stored by the name that a pack gave it."""
    return f"name:{name}"


def find_blob(store: IndexStore, hash_: str) -> str | None:
    """Return the text of a hash, None if it is no longer stored."""
    rows = store.rows("SELECT text FROM blobs WHERE hash = ?", (hash_,))
    return str(rows[0][0]) if rows else None


def find_parts(store: IndexStore, key: str, contents: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the parts and the terms that are stored under a key, by content."""
    known: dict[str, tuple[str, str]] = {}
    for start in range(0, len(contents), MOST_ASKED):
        some = contents[start : start + MOST_ASKED]
        marks = ",".join("?" * len(some))
        query = f"SELECT content, parts, terms FROM parts WHERE key = ? AND content IN ({marks})"  # noqa: S608
        for content, parts, terms in cast("Iterable[tuple[str, str, str]]", store.rows(query, (key, *some))):
            known[content] = parts, terms
    return known


T = TypeVar("T")

_MOST = 4
"""Results kept under one name: a pack asks for some twice, and the task may alternate."""


class Memo:
    """Results by name, each with the input it was made from.

    The caller passes everything that the result depends on, and must not change the result. If an
    intermediate result equals an earlier one, everything made from it is reused.
    """

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[object, object]]] = {}
        self._locks = defaultdict[str, threading.RLock](threading.RLock)

    def again(self, name: str, given: object, make: Callable[[], T]) -> T:
        """Return the result for an equal input, or make it; of several threads, one does."""
        with self._locks[name]:
            known = self.recall(name, given)
            return self.keep(name, given, make()) if known is None else cast("T", known)

    def recall(self, name: str, given: object) -> object:
        """Return the result for an equal input, None if there is none."""
        return next((made for had, made in self._known.get(name, ()) if had == given), None)

    def keep(self, name: str, given: object, made: T) -> T:
        """Keep a result with its input."""
        self._known[name] = [(given, made), *self._known.get(name, ())][:_MOST]
        return made

    def forget(self) -> None:
        """Forget everything."""
        self._known.clear()
