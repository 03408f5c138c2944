"""The sqlite store: its connection, its transactions, and the lock that its threads share."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from satchel.private_files import make_database_file, new_name
from satchel.session.sqlite.failing import StoreError, told
from satchel.session.sqlite.reading import SqliteReading
from satchel.session.sqlite.witness import count
from satchel.session.sqlite.writing import SqliteWriting


class SqliteStore:
    """One file; threads take turns, processes wait for each other, a forked child opens it anew."""

    def __init__(
        self, path: Path, connect: Callable[[], sqlite3.Connection], *, read_only: bool = False
    ) -> None:
        self.path = path
        self._connect, self._read_only = connect, read_only
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._connection: sqlite3.Connection | None = connect()

    @property
    def place(self) -> str:
        """Name the file."""
        return str(self.path)

    @contextlib.contextmanager
    def reading(self) -> Iterator[SqliteReading]:
        """Look at one moment of the store."""
        with self._lock, told(self.path):
            connection = self._open()
            connection.execute("BEGIN")
            try:
                yield SqliteReading(connection, self.place)
            finally:
                _end(connection)

    @contextlib.contextmanager
    def writing(self) -> Iterator[SqliteWriting]:
        """Write; what was put is durable when this ends without an error, and gone when with one."""
        with self.transaction() as connection:
            yield SqliteWriting(connection, self.place)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run statements as one transaction, and count it."""
        if self._read_only:
            raise StoreError(
                self.path, "can't be written: it or its folder is read-only; name another --store"
            )
        with self._lock, told(self.path):
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

    def number(self, query: str) -> int:
        """Return the number that a query answers."""
        with self._lock, told(self.path):
            row = self._open().execute(query).fetchone()
        if row is None or not isinstance(row[0], int):
            raise sqlite3.DatabaseError(f"no answer to {query}")
        return row[0]

    def texts(self, query: str) -> list[str]:
        """Return the texts that a query answers."""
        with self._lock, told(self.path):
            return [str(row[0]) for row in self._open().execute(query)]

    def back_up(self, path: Path) -> None:
        """Copy the whole store to a file for the owner alone; an older copy of that name is replaced."""
        new = new_name(path.parent)
        make_database_file(new)
        with self._lock, contextlib.closing(sqlite3.connect(new)) as copy:
            self._open().backup(copy)
        with new.open("r+b") as file:
            os.fsync(file.fileno())
        new.replace(path)

    def close(self) -> None:
        """Close the file; sqlite folds its log into it."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None and self._process == os.getpid():
                connection.close()

    def _open(self) -> sqlite3.Connection:
        if self._process != os.getpid():
            # sqlite's connections must not cross a fork; the parent's is left alone
            self._connection, self._process = self._connect(), os.getpid()
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
