"""The term index of a workspace: which words stand in which file, refreshed by what changed.

Each word that is written has a number, and its postings: the files that hold it; terms (parts of
identifiers, plurals folded) point at words. A word that is written again later gets another number: what
stands in the index is never changed, only added to. The postings of `WORDS_A_ROW` words with numbers in a
row share a row. A file's path and the names it defines are fields of their own.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from sys import intern
from typing import NamedTuple

from satchel.errors import Problem
from satchel.scanning import NO_SCANNERS, Scanners
from satchel.workspace.dictionary import numbers, words_with
from satchel.workspace.files import FileEntry
from satchel.workspace.store import DamagedIndexError, Store

Progress = Callable[[str, int, int], None]
Read = Callable[[str], bytes]

NOT_SCANNED = -1
"""In the place of a number of secrets: nobody has looked for any, so the text may hold some."""
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
WORDS_A_ROW = 64
_ROWS = 900
"""Rows asked for at once: sqlite takes no more values in one question."""
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
    secrets: int = NOT_SCANNED
    """Secrets that were found in it, and stand nowhere in the index; NOT_SCANNED where nobody has looked."""


class Numbered(NamedTuple):
    """The documents of an index by their numbers."""

    by_id: dict[int, Document]
    readable: int
    """Those that hold any word."""
    words: int
    """Words in all of them."""


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
        self._is_known = False
        self._numbered: tuple[Mapping[str, Document], Numbered] = ({}, Numbered({}, 0, 0))

    def refresh(
        self,
        entries: Collection[FileEntry],
        read: Read,
        progress: Progress | None = None,
        *,
        touched: Sequence[FileEntry] | None = None,
    ) -> list[Problem]:
        """Read files that are new or changed, forget those that are gone; return what could not be read.

        What was read is written in batches: after an interruption only the rest is read. `touched` are
        the only entries that can have changed since the last refresh; None where that is not known.
        """
        lives_on, self._is_known = self._is_known, True
        try:
            return self._refreshed(entries, read, progress, touched)
        finally:
            if not lives_on:  # most processes look once: what is stored of 28,000 files is 10 MB
                self._rows, self._version = {}, -1

    def _refreshed(
        self,
        entries: Collection[FileEntry],
        read: Read,
        progress: Progress | None,
        touched: Sequence[FileEntry] | None,
    ) -> list[Problem]:
        """Refresh whatever happens to the file of the index."""
        try:
            return self._refresh(entries, read, progress, touched)
        except DamagedIndexError:
            self.store, self._version = Store.open(self.store.path), -1
            problem = Problem("index", "read", "the index was damaged; it was made anew")
            return [problem, *self._refresh(entries, read, progress)]
        except sqlite3.OperationalError as error:
            self.store, self._version = Store.open(None), -1
            problem = Problem("index", "write", f"{error}; this run keeps its index in memory")
            return [problem, *self._refresh(entries, read, progress)]

    def _refresh(
        self,
        entries: Collection[FileEntry],
        read: Read,
        progress: Progress | None,
        touched: Sequence[FileEntry] | None = None,
    ) -> list[Problem]:
        few = touched if touched is not None and self._knows(touched) else None
        version, known = self._version, self._stored()
        few = few if self._version == version else None
        stale = [entry for entry in _or(few, entries) if not _is_fresh(entry, known.get(entry.path))]
        gone = () if few is not None else _gone(known, entries, len(stale))
        problems: list[Problem] = []
        if stale or gone:
            before = self.store.foreign_version()
            problems, fresh = self._rewritten(stale, gone, entries, read=read, progress=progress)
            alone = self._reread([*gone, *(entry.path for entry in fresh)], before)
            few = few if alone and fresh is stale else None
        self._document(entries, few)
        return problems

    def _rewritten(
        self,
        stale: Sequence[FileEntry],
        gone: Sequence[str],
        entries: Collection[FileEntry],
        *,
        read: Read,
        progress: Progress | None,
    ) -> tuple[list[Problem], Sequence[FileEntry]]:
        """Write what changed, or everything where too much is dead; return what was written anew."""
        from satchel.workspace.writing import Writer, make_room

        known = self._rows
        dead = [known[path][0] for path in (*gone, *(entry.path for entry in stale)) if path in known]
        with self.store.transaction() as connection:
            anew = _has_too_many_dead(connection, len(known), len(dead)) or is_full(connection, len(stale))
            fresh = list(entries) if anew else stale
            first = make_room(connection, dead=dead, coming=len(fresh), everything=anew)
        return Writer(self.store, first, self._scanners).add_all(fresh, read, progress), fresh

    def _knows(self, entries: Sequence[FileEntry]) -> bool:
        """Tell whether these files are a few that are known, and nobody else wrote since."""
        few = len(entries) <= _FEW and all(entry.path in self.documents for entry in entries)
        return few and self.store.foreign_version() == self._version

    def _document(self, entries: Collection[FileEntry], few: Sequence[FileEntry] | None) -> None:
        """Make the documents of the rows, those of `few` alone where no other row was made anew."""
        found = {
            entry.path: Document(row[0], entry.path, row[2], row[3], intern(row[4]), row[5], row[6])
            for entry in _or(few, entries)
            if (row := self._rows.get(entry.path))
        }
        if few is None:
            self.documents = found
            return
        # Another dictionary: somebody may go through the old one, and the order of paths stays.
        documents = {**self.documents, **found}
        for entry in few:
            if entry.path not in found:
                del documents[entry.path]
        self._renumber(documents, [entry.path for entry in few])
        self.documents = documents

    def _renumber(self, documents: Mapping[str, Document], paths: Sequence[str]) -> None:
        """Number documents of which those of some paths may be others, as long as all were numbered."""
        known, numbered = self._numbered
        if known is not self.documents:
            return
        by_id, (readable, words) = numbered.by_id, numbered[1:]
        gone = [known[path] for path in paths if path in known]
        come = [documents[path] for path in paths if path in documents]
        for document in gone:
            del by_id[document.id]
        by_id.update((document.id, document) for document in come)
        readable += sum(bool(one.length) for one in come) - sum(bool(one.length) for one in gone)
        words += sum(one.length for one in come) - sum(one.length for one in gone)
        self._numbered = (documents, Numbered(by_id, readable, words))

    def _reread(self, paths: Sequence[str], before: int) -> bool:
        """Read rows again after a refresh; tell whether those of `paths` alone, because nobody else wrote."""
        if len(paths) > _FEW or self.store.foreign_version() != before:
            self._version = -1
            self._stored()
            return False
        marks = ",".join("?" * len(paths))
        query = f"SELECT {_COLUMNS} FROM documents WHERE path IN ({marks})"  # noqa: S608
        found = self.store.rows(query, tuple(map(storable, paths)))
        for path in paths:
            self._rows.pop(path, None)
        self._rows.update((_path_of(row[1]), row) for row in found)  # type: ignore[misc]
        return True

    def _stored(self) -> dict[str, _Row]:
        """Return the rows of all documents by path, as they were read before where nobody wrote since."""
        version = self.store.foreign_version()
        if version != self._version:
            rows = self.store.rows(f"SELECT {_COLUMNS} FROM documents")  # noqa: S608
            self._rows = {_path_of(row[1]): row for row in rows}  # type: ignore[misc]
            self._version = version
        return self._rows

    @property
    def numbered(self) -> Numbered:
        """All documents by their numbers, and what they hold together."""
        documents = self.documents
        if self._numbered[0] is not documents:
            lengths = [document.length for document in documents.values()]
            by_id = {document.id: document for document in documents.values()}
            self._numbered = (documents, Numbered(by_id, sum(map(bool, lengths)), sum(lengths)))
        return self._numbered[1]

    def postings(self, term: str, field: str = BODY) -> dict[int, int]:
        """Return how often each document, by id, holds a folded term in a field."""
        counts: dict[int, int] = {}
        for packed in self._packed(words_with(self.store, field + term)):
            document = packed >> 8
            counts[document] = counts.get(document, 0) + (packed & 255)
        return counts

    def _packed(self, words: Collection[int]) -> array[int]:
        """Return the postings of words, each a document's number and in its last eight bits how often."""
        packed = array("I")
        places: dict[int, list[int]] = {}
        for word in sorted(words):
            places.setdefault(word // WORDS_A_ROW, []).append(word % WORDS_A_ROW)
        for some in _batches(list(places)):
            marks = ",".join("?" * len(some))
            query = f"SELECT id, ends, documents FROM postings WHERE id IN ({marks})"  # noqa: S608
            for row, ends_blob, documents_blob in self.store.rows(query, tuple(some)):
                ends, documents = numbers(ends_blob), numbers(documents_blob)
                for place in places[int(str(row))]:
                    packed += documents[ends[place - 1] if place else 0 : ends[place]]
        return packed


def _batches(rows: Sequence[int]) -> Iterator[Sequence[int]]:
    return (rows[start : start + _ROWS] for start in range(0, len(rows), _ROWS))


def _gone(known: Mapping[str, _Row], entries: Collection[FileEntry], fresh: int) -> Sequence[str]:
    """Return the known paths that are listed no more; `fresh` bounds how many entries are not known."""
    if len(known) + fresh <= len(entries):
        return ()
    return tuple(known.keys() - {entry.path for entry in entries})


def _or(few: Sequence[FileEntry] | None, entries: Collection[FileEntry]) -> Collection[FileEntry]:
    return entries if few is None else few


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
