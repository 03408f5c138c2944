"""Writing the term index: files become documents, their words postings, the terms of words pointers."""

from __future__ import annotations

import re
import sqlite3
import sys
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from satchel.errors import Problem, WorkspaceError
from satchel.redaction.searching import sieve
from satchel.redaction.sieve import Sieve
from satchel.scanning import NO_SCANNERS, Scanners
from satchel.workspace.contents import Kind, is_credentials, kind_of, largest_read, text_of
from satchel.workspace.files import FileEntry
from satchel.workspace.index import (
    BODY,
    LAST,
    NAME,
    PATH,
    SWEPT,
    Progress,
    Read,
    content_hash,
    is_full,
    last_document,
    storable,
)
from satchel.workspace.store import Store
from satchel.workspace.terms import count_all_words, count_words, split_words, without_overlong

_DEFINERS = {
    **{word: word for word in ("class", "def", "enum", "fn", "func", "function", "interface", "module")},
    **{word: word for word in ("namespace", "struct", "trait", "type")},
    "define": "#define",
    "macro_rules": "macro_rules!",
}
"""What introduces a name, by the word in it."""
_BEFORE = frozenset(";{}(")
_DEFINED = re.compile(r"\s+(?:\([^)\n]{0,80}\)\s*)?([^\W\d]\w*)")
"""What follows: in Go a receiver, then the name."""
_SETTLE_NS = 2_000_000_000
"""A file that changed this shortly before it was read may change again within its time stamp."""
_FLUSH_WORDS = 1_000_000
"""Postings held in memory before they are written."""
_MOST = 255
"""A word counts at most so often in a file: its count has eight bits."""
_ROWS = 900
"""Rows asked for at once: sqlite takes no more values in one question."""
_READABLE = frozenset({Kind.TEXT, Kind.LOCKFILE, Kind.GENERATED})


_INSERT = "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class _Facts(NamedTuple):
    """What is found in a file when it is read."""

    content: str
    kind: str
    length: int = 0
    secrets: int = 0
    words: Mapping[str, int] = {}
    names: Iterable[str] = ()


def make_room(
    connection: sqlite3.Connection, *, dead: Sequence[int] = (), coming: int = 0, everything: bool = False
) -> int:
    """Forget documents, or all of them, and return the first of the numbers kept for those that come."""
    last = last_document(connection)
    if everything:
        for table in ("documents", "words", "terms"):
            connection.execute(f"DELETE FROM {table}")  # noqa: S608
        last = 0 if is_full(connection, coming) else last
        _note(connection, SWEPT, last)
    connection.executemany("DELETE FROM documents WHERE id = ?", [(number,) for number in dead])
    _note(connection, LAST, last + coming)
    return last + 1


def _note(connection: sqlite3.Connection, fact: str, number: int) -> None:
    connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (fact, number))


class Writer:
    """Adds files to the tables, numbered from `first`; each flush is a transaction of its own."""

    def __init__(self, store: Store, first: int, scanners: Scanners = NO_SCANNERS) -> None:
        self.store = store
        self._scanners = scanners
        self.last = first - 1
        self._sieve = sieve()
        self._rows: list[tuple[object, ...]] = []
        self._once: dict[str, int] = {}
        self._often: dict[str, array[int]] = {}
        self._held = 0

    def add_all(self, entries: Sequence[FileEntry], read: Read, progress: Progress | None) -> list[Problem]:
        """Add files; return what could not be read. What was read is kept when somebody interrupts."""
        problems: list[Problem] = []
        try:
            for done, entry in enumerate(entries):
                if progress is not None:
                    progress("index", done, len(entries))
                try:
                    self._add(entry, _facts(entry, read, self._sieve, self._scanners))
                except (OSError, WorkspaceError) as error:
                    problems.append(Problem(entry.path, "read", str(error)))
                if self._held > _FLUSH_WORDS:
                    self._flush()
        except KeyboardInterrupt:
            self._flush()
            raise
        self._flush()
        return problems

    def _add(self, entry: FileEntry, facts: _Facts) -> None:
        self.last += 1
        self._post(facts.words)
        named = [PATH + word for word in count_words(entry.path.replace("/", " "))]
        named += [NAME + name for name in facts.names]
        self._post(dict.fromkeys(named, 1))
        settled = time.time_ns() - entry.mtime_ns > _SETTLE_NS
        self._rows.append(
            (
                self.last, storable(entry.path), entry.size, facts.content, facts.kind, facts.length,
                facts.secrets, entry.mtime_ns, entry.ctime_ns, entry.inode, entry.blob, settled,
            )
        )  # fmt: skip

    def _post(self, words: Mapping[str, int]) -> None:
        """Note how often each word stands in the last document; most words stand in one document alone."""
        once, often, base = self._once, self._often, self.last << 8
        for word, count in words.items():
            packed = base + (count if count < _MOST else _MOST)
            listed = often.get(word)
            if listed is not None:
                listed.append(packed)
            elif word in once:
                often[word] = array("I", (once.pop(word), packed))
            else:
                once[word] = packed
        self._held += len(words)

    def _flush(self) -> None:
        rows, once, often = self._rows, self._once, self._often
        self._rows, self._once, self._often, self._held = [], {}, {}, 0
        postings = {word: packed.to_bytes(4, sys.byteorder) for word, packed in once.items()}
        postings.update((word, listed.tobytes()) for word, listed in often.items())
        with self.store.transaction() as connection:
            connection.executemany(_INSERT, rows)
            _write_words(connection, postings)


def _write_words(connection: sqlite3.Connection, postings: Mapping[str, bytes]) -> None:
    stored = _stored_words(connection, postings)
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM words").fetchone()
    fresh = sorted(postings.keys() - stored.keys())
    rows = zip(range(last + 1, last + 1 + len(fresh)), fresh, map(postings.__getitem__, fresh), strict=True)
    connection.executemany("INSERT INTO words VALUES (?, ?, ?)", rows)
    grown = ((blob + postings[word], id_) for word, (id_, blob) in stored.items())
    connection.executemany("UPDATE words SET documents = ? WHERE id = ?", grown)
    _point_terms(connection, fresh, last + 1)


def _stored_words(connection: sqlite3.Connection, words: Iterable[str]) -> dict[str, tuple[int, bytes]]:
    """Return those of the words at hand that the table has."""
    if connection.execute("SELECT 1 FROM words LIMIT 1").fetchone() is None:
        return {}
    found: dict[str, tuple[int, bytes]] = {}
    for some in _batches(words):
        marks = ",".join("?" * len(some))
        query = f"SELECT word, id, documents FROM words WHERE word IN ({marks})"  # noqa: S608
        found.update({word: (id_, blob) for word, id_, blob in connection.execute(query, some)})
    return found


def _point_terms(connection: sqlite3.Connection, words: Sequence[str], first: int) -> None:
    """Let the terms of new words, numbered from `first`, point at them."""
    bare = [word[1:] if word[0] in "/=" else word for word in words]
    pointed: dict[str, list[int]] = {}
    for number, (word, terms) in enumerate(zip(words, split_words(bare), strict=True), first):
        field = word[0] if word[0] in "/=" else BODY
        for term in terms:
            key = field + term
            listed = pointed.get(key)
            if listed is None:
                pointed[key] = [number]
            else:
                listed.append(number)
    rows = ((term, array("I", pointed[term]).tobytes()) for term in sorted(pointed))
    connection.executemany(
        "INSERT INTO terms VALUES (?, ?) ON CONFLICT(term) DO UPDATE"
        " SET words = CAST(words || excluded.words AS BLOB)",
        rows,
    )


def _facts(entry: FileEntry, read: Read, sieve_: Sieve, scanners: Scanners) -> _Facts:
    """Read a file and return what is in it; of what is not read, its kind."""
    if entry.kind != "file":
        return _Facts("", str(entry.kind))
    if entry.size > largest_read(entry.path):
        return _Facts("", str(Kind.CREDENTIALS if is_credentials(entry.path) else Kind.HUGE))
    data = read(entry.path)
    content, kind = content_hash(data), kind_of(entry.path, data)
    if kind not in _READABLE:
        return _Facts(content, str(kind))
    text = text_of(entry.path, data)
    words = count_all_words(text)
    clean = scanners.redact(text, path=entry.path, looks=sieve_.looks(text, words))
    words = without_overlong(words) if clean.text is text else count_words(clean.text)
    names = set(_defined(clean.text, _DEFINERS.keys() & words.keys()))
    return _Facts(content, str(kind), sum(words.values()), len(clean.found), words, names)


def _defined(text: str, definers: Iterable[str]) -> Iterator[str]:
    """Yield the names that stand after one of these words; no name counts as such a word itself."""
    ended = 0
    for at, length in sorted(_places(text, [_DEFINERS[word] for word in definers])):
        if at > ended or not at:
            found = _DEFINED.match(text, at + length)
            if found:
                ended = found.end()
                yield found[1]


def _places(text: str, introductions: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield where each introduction stands by itself, and its length; `find` is faster than an expression."""
    for introduction in introductions:
        at = text.find(introduction)
        while at >= 0:
            if not at or text[at - 1] in _BEFORE or text[at - 1].isspace():
                yield at, len(introduction)
            at = text.find(introduction, at + 1)


def _batches(words: Iterable[str]) -> Iterator[list[str]]:
    listed = list(words)
    return (listed[start : start + _ROWS] for start in range(0, len(listed), _ROWS))
