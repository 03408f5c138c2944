"""The term index of a workspace: which words stand in which file, refreshed by what changed.

Words are stored as they are written, with the files that hold them; terms (parts of identifiers,
plurals folded) point at words. A file's path and the names it defines are fields of their own.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from array import array
from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

from satchel.errors import Problem
from satchel.scanning import NO_SCANNERS, Scanners
from satchel.workspace.files import FileEntry
from satchel.workspace.store import DamagedIndexError, Store

Progress = Callable[[str, int, int], None]
Read = Callable[[str], bytes]

BODY, PATH, NAME = "", "/", "="
"""Fields: each is a prefix of the words and terms that it holds."""

MOST_DOCUMENTS = (1 << 24) - 1
"""A posting has 24 bits for the number of its document, which is never given twice."""
_DEAD_SHARE = 0.25
"""Share of the files that may go or change at once before the index is made anew."""
_FEWEST_DEAD = 100
"""So many files may be gone or changed whatever their share."""
_FEW = 500
"""Files after whose change only their rows are read again."""
_COLUMNS = "id, path, size, content, kind, length, secrets, mtime_ns, ctime_ns, inode, blob, settled"


class Document(NamedTuple):
    """What the index knows of a file."""

    id: int
    path: str
    size: int
    content: str
    """Hash of the bytes; "" where they were not read."""
    kind: str
    length: int
    """Words in it."""
    secrets: int = 0
    """Secrets that were found in it, and stand nowhere in the index."""


_Row = tuple[int, str, int, str, str, int, int, int, int, int, str, int]


def content_hash(data: bytes) -> str:
    """Return the name under which parts and counts of these bytes are stored."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class Index:
    """Documents and postings in a store."""

    def __init__(self, store: Store, scanners: Scanners = NO_SCANNERS) -> None:
        self.store = store
        self._scanners = scanners
        self.documents: dict[str, Document] = {}
        self._rows: dict[str, _Row] = {}
        self._version = -1

    def refresh(
        self, entries: Sequence[FileEntry], read: Read, progress: Progress | None = None
    ) -> list[Problem]:
        """Read files that are new or changed, forget those that are gone; return what could not be read.

        What was read is written in batches: after an interruption only the rest is read.
        """
        try:
            return self._refresh(entries, read, progress)
        except DamagedIndexError:
            self.store, self._version = Store.open(self.store.path), -1
            problem = Problem("index", "read", "the index was damaged; it was made anew")
            return [problem, *self._refresh(entries, read, progress)]
        except sqlite3.OperationalError as error:
            self.store, self._version = Store.open(None), -1
            problem = Problem("index", "write", f"{error}; this run keeps its index in memory")
            return [problem, *self._refresh(entries, read, progress)]

    def _refresh(self, entries: Sequence[FileEntry], read: Read, progress: Progress | None) -> list[Problem]:
        known = self._stored()
        stale = [entry for entry in entries if not _is_fresh(entry, known.get(entry.path))]
        gone = (
            known.keys() - {entry.path for entry in entries} if len(known) + len(stale) > len(entries) else ()
        )
        problems: list[Problem] = []
        if stale or gone:
            from satchel.workspace.writing import Writer, make_room

            dead = [known[path][0] for path in (*gone, *(entry.path for entry in stale)) if path in known]
            before = self.store.foreign_version()
            with self.store.transaction() as connection:
                anew = _has_too_many_dead(connection, len(known), len(dead)) or is_full(
                    connection, len(stale)
                )
                stale = list(entries) if anew else stale
                first = make_room(connection, dead=dead, coming=len(stale), everything=anew)
            problems = Writer(self.store, first, self._scanners).add_all(stale, read, progress)
            known = self._reread([*gone, *(entry.path for entry in stale)], before)
        self.documents = {
            entry.path: Document._make(row[:7]) for entry in entries if (row := known.get(entry.path))
        }
        return problems

    def _reread(self, paths: Sequence[str], before: int) -> dict[str, _Row]:
        """Return the rows after a refresh; only those of `paths` are asked for where nobody else wrote."""
        if len(paths) > _FEW or self.store.foreign_version() != before:
            self._version = -1
            return self._stored()
        changed = set(paths)
        rows: dict[str, _Row] = {path: row for path, row in self._rows.items() if path not in changed}
        marks = ",".join("?" * len(paths))
        query = f"SELECT {_COLUMNS} FROM documents WHERE path IN ({marks})"  # noqa: S608
        found = self.store.rows(query, tuple(map(storable, paths)))
        rows.update((_path_of(row[1]), row) for row in found)  # type: ignore[misc]
        self._rows = rows
        return self._rows

    def _stored(self) -> dict[str, _Row]:
        """Return the rows of all documents by path, as they were read before where nobody wrote since."""
        version = self.store.foreign_version()
        if version != self._version:
            rows = self.store.rows(f"SELECT {_COLUMNS} FROM documents")  # noqa: S608
            self._rows = {_path_of(row[1]): row for row in rows}  # type: ignore[misc]
            self._version = version
        return self._rows

    def postings(self, term: str, field: str = BODY) -> dict[int, int]:
        """Return how often each document, by id, holds a folded term in a field."""
        found = self.store.rows("SELECT words FROM terms WHERE term = ?", (field + term,))
        if not found:
            return {}
        words = _numbers(found[0][0])
        counts: dict[int, int] = {}
        for start in range(0, len(words), 900):
            some = words[start : start + 900]
            marks = ",".join("?" * len(some))
            rows = self.store.rows(f"SELECT documents FROM words WHERE id IN ({marks})", tuple(some))  # noqa: S608
            for packed in chain.from_iterable(_numbers(row[0]) for row in rows):
                document = packed >> 8
                counts[document] = counts.get(document, 0) + (packed & 255)
        return counts


def _is_fresh(entry: FileEntry, row: _Row | None) -> bool:
    if row is None or not row[11] or entry.size != row[2]:
        return False
    if entry.blob and row[10] and entry.blob != row[10]:
        return False
    return entry.mtime_ns == row[7] and entry.ctime_ns == row[8] and entry.inode == row[9]


def storable(path: str) -> str | bytes:
    """Return a path as sqlite takes it: text is quick to read back, but must be Unicode."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path)
    return path


def _path_of(stored: object) -> str:
    return stored if isinstance(stored, str) else os.fsdecode(stored)  # type: ignore[arg-type]


def _numbers(blob: object) -> array[int]:
    numbers = array("I")
    if isinstance(blob, bytes):
        numbers.frombytes(blob)
    return numbers


def _has_too_many_dead(connection: sqlite3.Connection, known: int, dying: int) -> bool:
    """Tell whether postings of files that are gone should be swept out: many at once, or half of all."""
    dead = last_document(connection) - _fact(connection, SWEPT) - known + dying
    return dying > max(_FEWEST_DEAD, _DEAD_SHARE * known) or dead > max(_FEWEST_DEAD, known)


LAST, SWEPT = "last document", "swept at"
"""Facts: the largest number that a document was given, and the one at which all were forgotten."""


def last_document(connection: sqlite3.Connection) -> int:
    """Return the largest number that was given to a document."""
    return _fact(connection, LAST)


def is_full(connection: sqlite3.Connection, coming: int) -> bool:
    """Tell whether there are not enough numbers left for the documents that come."""
    return last_document(connection) + coming > MOST_DOCUMENTS


def _fact(connection: sqlite3.Connection, name: str) -> int:
    row = connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row else 0
