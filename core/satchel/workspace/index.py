"""The term index of a workspace: which words stand in which file, refreshed by what changed.

Words are stored as they are written, with the files that hold them; terms (parts of identifiers,
plurals folded) point at words. A file's path and the names it defines are fields of their own.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import time
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import PurePosixPath

import attrs

from satchel.errors import Problem, WorkspaceError
from satchel.workspace.contents import Kind, classify, decode
from satchel.workspace.files import FileEntry
from satchel.workspace.store import DamagedIndexError, Store
from satchel.workspace.terms import count_words, split_words

Progress = Callable[[str, int, int], None]
Read = Callable[[str], bytes]

BODY, PATH, NAME = "", "/", "="
"""Fields: each is a prefix of the words and terms that it holds."""

_DEFINES = re.compile(
    r"(?:^|[\s;{}(])(?:def|class|func|fn|struct|enum|trait|interface|type|function|module|namespace|macro_rules!|#define)"
    r"\s+(?:\([^)\n]{0,80}\)\s*)?([^\W\d]\w*)"
)
_SETTLE_NS = 2_000_000_000
"""A file that changed this shortly before it was read may change again within its time stamp."""
_FLUSH_WORDS = 3_000_000
"""Postings held in memory before they are written."""
_DEAD_SHARE = 0.25
"""Share of the files that may go or change at once before the index is made anew."""
_FEWEST_DEAD = 100
"""So many files may be gone or changed whatever their share."""


@attrs.frozen
class Document:
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


def content_hash(data: bytes) -> str:
    """Return the name under which parts and counts of these bytes are stored."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class Index:
    """Documents and postings in a store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.documents: dict[str, Document] = {}

    def refresh(
        self, entries: Sequence[FileEntry], read: Read, progress: Progress | None = None
    ) -> list[Problem]:
        """Read files that are new or changed, forget those that are gone; return what could not be read."""
        try:
            return self._refresh(entries, read, progress)
        except DamagedIndexError:
            self.store = Store.open(self.store.path)
            return self._refresh(entries, read, progress)
        except sqlite3.OperationalError as error:
            self.store = Store.open(None)
            problem = Problem("index", "write", f"{error}; this run keeps its index in memory")
            return [problem, *self._refresh(entries, read, progress)]

    def _refresh(self, entries: Sequence[FileEntry], read: Read, progress: Progress | None) -> list[Problem]:
        known = self._stored()
        listed = {entry.path: entry for entry in entries}
        stale = [entry for entry in entries if not _is_fresh(entry, known.get(entry.path))]
        gone = [known[path][0] for path in known.keys() - listed.keys()]
        replaced = [known[entry.path][0] for entry in stale if entry.path in known]
        problems: list[Problem] = []
        if stale or gone:
            with self.store.transaction() as connection:
                if _has_too_many_dead(connection, len(known), len(gone) + len(replaced)):
                    _forget_everything(connection)
                    stale = list(entries)
                else:
                    doomed = [(id_,) for id_ in gone + replaced]
                    connection.executemany("DELETE FROM documents WHERE id = ?", doomed)
                problems = _Writer(connection).add_all(stale, read, progress)
            known = self._stored()
        self.documents = {
            path: Document(row[0], path, row[1], row[5], row[6], row[7], row[9])
            for path, row in sorted(known.items())
        }
        return problems

    def _stored(self) -> dict[str, tuple[int, int, int, int, str, str, str, int, int, int]]:
        columns = "path, id, size, mtime_ns, inode, blob, content, kind, length, settled, secrets"
        query = f"SELECT {columns} FROM documents"  # noqa: S608
        return {os.fsdecode(row[0]): row[1:] for row in self.store.rows(query)}  # type: ignore[arg-type,misc]

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


def _is_fresh(entry: FileEntry, row: Sequence[object] | None) -> bool:
    if row is None or not row[8]:
        return False
    if entry.blob and row[4] and entry.blob != row[4]:
        return False
    return (entry.size, entry.mtime_ns, entry.inode) == tuple(row[1:4])


def _numbers(blob: object) -> array[int]:
    numbers = array("I")
    if isinstance(blob, bytes):
        numbers.frombytes(blob)
    return numbers


def _has_too_many_dead(connection: sqlite3.Connection, known: int, dying: int) -> bool:
    """Tell whether postings of files that are gone should be swept out: many at once, or half of all."""
    dead = _last_document(connection) - known + dying
    return dying > max(_FEWEST_DEAD, _DEAD_SHARE * known) or dead > max(_FEWEST_DEAD, known)


def _last_document(connection: sqlite3.Connection) -> int:
    """Return the largest id that a document has or had."""
    newest = "SELECT max(id) FROM documents UNION SELECT value FROM facts WHERE name = 'last document'"
    return max(int(row[0] or 0) for row in connection.execute(newest))


def _forget_everything(connection: sqlite3.Connection) -> None:
    for table in ("documents", "words", "terms"):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608
    connection.execute("DELETE FROM facts WHERE name = 'last document'")


class _Writer:
    """Adds files to the tables within one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.postings: dict[str, array[int]] = {}
        self.held = 0
        self.last = _last_document(connection)

    def add_all(self, entries: Sequence[FileEntry], read: Read, progress: Progress | None) -> list[Problem]:
        problems: list[Problem] = []
        for done, entry in enumerate(entries):
            if progress is not None:
                progress("index", done, len(entries))
            try:
                self._add(entry, read(entry.path) if entry.kind == "file" else None)
            except (OSError, WorkspaceError) as error:
                problems.append(Problem(entry.path, "read", str(error)))
            if self.held > _FLUSH_WORDS:
                self._flush()
        self._flush()
        self.connection.execute("INSERT OR REPLACE INTO facts VALUES ('last document', ?)", (self.last,))
        return problems

    def _add(self, entry: FileEntry, data: bytes | None) -> None:
        from satchel.redaction import redact

        self.last += 1
        content, kind, length, secrets = "", str(entry.kind), 0, 0
        words: Mapping[str, int] = {}
        if data is not None:
            content, kind = content_hash(data), classify(entry.path, data)
            if kind in (Kind.TEXT, Kind.LOCKFILE, Kind.GENERATED):
                clean = redact(decode(data).text, path=entry.path)
                text, secrets = clean.text, len(clean.found)
                words = count_words(text)
                length = sum(words.values())
                self._post(NAME, set(_DEFINES.findall(text)))
        self._post(PATH, set(count_words(" ".join(PurePosixPath(entry.path).parts))))
        self._post(BODY, words)
        settled = time.time_ns() - entry.mtime_ns > _SETTLE_NS
        row = (self.last, os.fsencode(entry.path), entry.size, entry.mtime_ns, entry.inode, entry.blob)
        self.connection.execute(
            "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, content, str(kind), length, settled, secrets),
        )

    def _post(self, field: str, words: Mapping[str, int] | Iterable[str]) -> None:
        postings, packed = self.postings, self.last << 8
        counts = words.items() if isinstance(words, Mapping) else ((word, 1) for word in words)
        for word, count in counts:
            key = field + word if field else word
            listed = postings.get(key)
            if listed is None:
                postings[key] = array("I", (packed | min(count, 255),))
            else:
                listed.append(packed | min(count, 255))
        self.held += len(words) if isinstance(words, Mapping) else 0

    def _flush(self) -> None:
        stored = self._stored_words()
        (last,) = self.connection.execute("SELECT coalesce(max(id), 0) FROM words").fetchone()
        fresh = [word for word in self.postings if word not in stored]
        ids = dict(zip(fresh, range(last + 1, last + 1 + len(fresh)), strict=True))
        rows = ((ids[word], word, self.postings[word].tobytes()) for word in fresh)
        self.connection.executemany("INSERT INTO words VALUES (?, ?, ?)", rows)
        grown = ((blob + self.postings[word].tobytes(), id_) for word, (id_, blob) in stored.items())
        self.connection.executemany("UPDATE words SET documents = ? WHERE id = ?", grown)
        self._point_terms(ids)
        self.postings, self.held = {}, 0

    def _stored_words(self) -> dict[str, tuple[int, bytes]]:
        """Return those of the words at hand that the table has."""
        if self.connection.execute("SELECT 1 FROM words LIMIT 1").fetchone() is None:
            return {}
        found: dict[str, tuple[int, bytes]] = {}
        words = list(self.postings)
        for start in range(0, len(words), 900):
            some = words[start : start + 900]
            marks = ",".join("?" * len(some))
            query = f"SELECT word, id, documents FROM words WHERE word IN ({marks})"  # noqa: S608
            found.update({word: (id_, blob) for word, id_, blob in self.connection.execute(query, some)})
        return found

    def _point_terms(self, ids: Mapping[str, int]) -> None:
        """Let the terms of new words point at them."""
        pointed: dict[str, array[int]] = {}
        for field in (BODY, PATH, NAME):
            words = [word for word in ids if (word[:1] if word[:1] in (PATH, NAME) else BODY) == field]
            for word, terms in zip(words, split_words(word.lstrip("/=") for word in words), strict=True):
                for term in terms:
                    pointed.setdefault(field + term, array("I")).append(ids[word])
        rows = [(term, words.tobytes()) for term, words in pointed.items()]
        self.connection.executemany(
            "INSERT INTO terms VALUES (?, ?) ON CONFLICT(term) DO UPDATE"
            " SET words = CAST(words || excluded.words AS BLOB)",
            rows,
        )
