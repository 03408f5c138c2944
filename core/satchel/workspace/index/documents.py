"""The term index of a workspace: which words occur in which file, updated with what changed.

Each word has a number and postings: the files that hold it; terms (parts of identifiers, plurals folded)
point at words. A word that is written again later gets another number: the index is only appended to. The
postings of `WORDS_A_ROW` consecutive words share a row. A file's path and the names it defines are fields of
their own.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from operator import add
from sys import intern
from typing import NamedTuple

from satchel.errors import Problem, WorkspaceError
from satchel.garbage import pause_gc
from satchel.patterns import lazily
from satchel.redaction.prefilter import NOTHING, Looks
from satchel.redaction.scanning import NO_SCANNERS, Scanners
from satchel.redaction.searching import sieve
from satchel.workspace.files.contents import Kind, is_credentials, kind_of, size_limit_of, text_of
from satchel.workspace.files.listing import FileEntry
from satchel.workspace.index.postings import TABLES, numbers, pack_lists, words_with, write_terms
from satchel.workspace.index.store import DamagedIndexError, IndexStore
from satchel.workspace.index.terms import (
    LONGEST_WORD,
    WORD,
    count_runs,
    count_words,
    odd_runs,
    point,
    words_of,
)

Progress = Callable[[str, int, int], None]
Read = Callable[[str], bytes]

NOT_SCANNED = -1
"""Instead of a number of secrets: the text was not scanned, so it may hold some."""
BODY, PATH, NAME = "", "/", "="
"""Fields: each is a prefix of the words and terms that it holds."""

MOST_DOCUMENTS = (1 << 24) - 1
"""A posting has 24 bits for the number of its document, which is never reused."""
_DEAD_SHARE = 0.25
"""Share of the files that may go or change at once before the index is rebuilt."""
_FEWEST_DEAD = 100
"""This many files may be gone or changed whatever their share."""
_FEW = 500
"""Most changed files for which only their rows are read again."""
WORDS_A_ROW = 64
_ROWS = 900
"""Rows per query: sqlite takes no more values in one."""
_COLUMNS = "id, path, size, content, kind, length, secrets, mtime_ns, ctime_ns, inode, blob, settled"


class Document(NamedTuple):
    """A file in the index."""

    id: int
    path: str
    size: int
    content: str
    """Hash of the bytes; "" if they were not read."""
    kind: str
    length: int
    """Words in it."""
    secrets: int = NOT_SCANNED
    """Secrets found in it, none of which is in the index; NOT_SCANNED if it was not scanned."""


class Numbered(NamedTuple):
    """The documents of an index by their numbers."""

    by_id: dict[int, Document]
    readable: int
    """Documents with any word."""
    words: int
    """Words in all of them."""


_Row = tuple[int, str, int, str, str, int, int, int, int, int, str, int]


def content_hash(data: bytes) -> str:
    """Return the hash under which parts and counts of these bytes are stored."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class Index:
    """Documents and postings in a store."""

    def __init__(self, store: IndexStore, scanners: Scanners = NO_SCANNERS) -> None:
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
        the only entries that can have changed since the last refresh; None if that is not known.
        """
        lives_on, self._is_known = self._is_known, True
        try:
            return self._refresh_or_rebuild(entries, read, progress, touched)
        finally:
            if not lives_on:  # most processes refresh once, and the rows of 28,000 files take 10 MB
                self._rows, self._version = {}, -1

    def _refresh_or_rebuild(
        self,
        entries: Collection[FileEntry],
        read: Read,
        progress: Progress | None,
        touched: Sequence[FileEntry] | None,
    ) -> list[Problem]:
        """Refresh; if the index file is damaged or can't be written, use a new one."""
        try:
            return self._refresh(entries, read, progress, touched)
        except DamagedIndexError:
            self.store, self._version = IndexStore.open(self.store.path), -1
            problem = Problem("index", "read", "the index was damaged; it was made anew")
            return [problem, *self._refresh(entries, read, progress)]
        except sqlite3.OperationalError as error:
            self.store, self._version = IndexStore.open(None), -1
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
        version, known = self._version, self._load_rows()
        few = few if self._version == version else None
        stale = [entry for entry in _few_or_all(few, entries) if not _is_fresh(entry, known.get(entry.path))]
        gone = () if few is not None else _gone(known, entries, len(stale))
        problems: list[Problem] = []
        if stale or gone:
            before = self.store.foreign_version()
            problems, fresh = self._rewrite(stale, gone, entries, read=read, progress=progress)
            alone = self._read_again([*gone, *(entry.path for entry in fresh)], before)
            few = few if alone and fresh is stale else None
        self._document(entries, few)
        return problems

    def _rewrite(
        self,
        stale: Sequence[FileEntry],
        gone: Sequence[str],
        entries: Collection[FileEntry],
        *,
        read: Read,
        progress: Progress | None,
    ) -> tuple[list[Problem], Sequence[FileEntry]]:
        """Write changed files, or all if too many are dead; return problems and the files written."""
        known = self._rows
        dead = [known[path][0] for path in (*gone, *(entry.path for entry in stale)) if path in known]
        with self.store.transaction() as connection:
            anew = _has_too_many_dead(connection, len(known), len(dead)) or is_full(connection, len(stale))
            fresh = list(entries) if anew else stale
            first = make_room(connection, dead=dead, coming=len(fresh), everything=anew)
        return Writer(self.store, first, self._scanners).add_all(fresh, read, progress), fresh

    def _knows(self, entries: Sequence[FileEntry]) -> bool:
        """Tell whether these files are few and known, and no other connection wrote since."""
        few = len(entries) <= _FEW and all(entry.path in self.documents for entry in entries)
        return few and self.store.foreign_version() == self._version

    def _document(self, entries: Collection[FileEntry], few: Sequence[FileEntry] | None) -> None:
        """Make documents of the rows; with `few` only of those, because no other row changed."""
        found = {
            entry.path: Document(row[0], entry.path, row[2], row[3], intern(row[4]), row[5], row[6])
            for entry in _few_or_all(few, entries)
            if (row := self._rows.get(entry.path))
        }
        if few is None:
            self.documents = found
            return
        # A new dictionary, because the old one may be in use; the order of paths stays.
        documents = {**self.documents, **found}
        for entry in few:
            if entry.path not in found:
                del documents[entry.path]
        self._renumber(documents, [entry.path for entry in few])
        self.documents = documents

    def _renumber(self, documents: Mapping[str, Document], paths: Sequence[str]) -> None:
        """Update the numbered documents for some changed paths, if all were numbered before."""
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

    def _read_again(self, paths: Sequence[str], before: int) -> bool:
        """Read rows again after a refresh; return whether only those of `paths` were needed."""
        if len(paths) > _FEW or self.store.foreign_version() != before:
            self._version = -1
            self._load_rows()
            return False
        marks = ",".join("?" * len(paths))
        query = f"SELECT {_COLUMNS} FROM documents WHERE path IN ({marks})"  # noqa: S608
        found = self.store.rows(query, tuple(map(storable, paths)))
        for path in paths:
            self._rows.pop(path, None)
        self._rows.update((_path_of(row[1]), row) for row in found)  # type: ignore[misc]
        return True

    def _load_rows(self) -> dict[str, _Row]:
        """Return the rows of all documents by path, cached until another connection writes."""
        version = self.store.foreign_version()
        if version != self._version:
            rows = self.store.rows(f"SELECT {_COLUMNS} FROM documents")  # noqa: S608
            self._rows = {_path_of(row[1]): row for row in rows}  # type: ignore[misc]
            self._version = version
        return self._rows

    @property
    def numbered(self) -> Numbered:
        """All documents by number, and their totals."""
        documents = self.documents
        if self._numbered[0] is not documents:
            lengths = [document.length for document in documents.values()]
            by_id = {document.id: document for document in documents.values()}
            self._numbered = (documents, Numbered(by_id, sum(map(bool, lengths)), sum(lengths)))
        return self._numbered[1]

    def postings(self, term: str, field: str = BODY) -> dict[int, int]:
        """Return how often each document, by id, holds a folded term in a field."""
        counts: dict[int, int] = {}
        for number in self._load_postings(words_with(self.store, field + term)):
            document = number >> 8
            counts[document] = counts.get(document, 0) + (number & 255)
        return counts

    def _load_postings(self, words: Collection[int]) -> array[int]:
        """Return the postings of words, each a document's number with the count in its last eight bits."""
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
    """Return the known paths that are no longer listed; at most `fresh` entries are unknown."""
    if len(known) + fresh <= len(entries):
        return ()
    return tuple(known.keys() - {entry.path for entry in entries})


def _few_or_all(few: Sequence[FileEntry] | None, entries: Collection[FileEntry]) -> Collection[FileEntry]:
    return entries if few is None else few


def _is_fresh(entry: FileEntry, row: _Row | None) -> bool:
    if row is None or not row[11] or entry.size != row[2]:
        return False
    if entry.blob and row[10] and entry.blob != row[10]:
        return False
    return entry.mtime_ns == row[7] and entry.ctime_ns == row[8] and entry.inode == row[9]


def storable(path: str) -> str | bytes:
    """Return a path as sqlite stores it: text, which is faster to read, if it is Unicode, else bytes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path)
    return path


def _path_of(stored: object) -> str:
    return stored if isinstance(stored, str) else os.fsdecode(stored)  # type: ignore[arg-type]


def _has_too_many_dead(connection: sqlite3.Connection, known: int, dying: int) -> bool:
    """Tell whether to drop the postings of files that are gone: many at once, or half of all."""
    dead = last_document(connection) - _fact(connection, SWEPT) - known + dying
    return dying > max(_FEWEST_DEAD, _DEAD_SHARE * known) or dead > max(_FEWEST_DEAD, known)


LAST, SWEPT = "last document", "swept at"
"""Facts: the largest document number, and the largest one when the index was last emptied."""


def last_document(connection: sqlite3.Connection) -> int:
    """Return the largest document number so far."""
    return _fact(connection, LAST)


def is_full(connection: sqlite3.Connection, coming: int) -> bool:
    """Tell whether too few numbers are left for the coming documents."""
    return last_document(connection) + coming > MOST_DOCUMENTS


def _fact(connection: sqlite3.Connection, name: str) -> int:
    row = connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row else 0


class _FolderLevel(NamedTuple):
    """A folder on the path of the current documents."""

    folder: str
    """With a trailing `/`."""
    words: tuple[str, ...]
    """Words that no folder above it has."""
    first: int
    """The first document in it."""


class PathWords:
    """Adds the words of paths to postings, for consecutive documents; sorted by path it is fastest.

    `postings` are by word with its field: the document's number, with the count in the last eight bits. A new
    word gets a list of its own.
    """

    def __init__(self) -> None:
        self._levels: list[_FolderLevel] = []
        self._folder = ""
        self._known: frozenset[str] = frozenset()

    def add(self, path: str, number: int, postings: Mapping[str, array[int]]) -> list[str]:
        """Enter the folder of a document, and return the words of its name that no folder above has."""
        start = path.rfind("/") + 1
        if path[:start] != self._folder:
            self._enter(path[:start], number, postings)
        return [PATH + word for word in _words(path[start:]) if word not in self._known]

    def close(self, number: int, postings: Mapping[str, array[int]]) -> None:
        """Add the words of all folders for the documents below `number`."""
        while self._levels:
            self._leave(number, postings)
        self._folder, self._known = "", frozenset()

    def _enter(self, folder: str, number: int, postings: Mapping[str, array[int]]) -> None:
        while self._levels and not folder.startswith(self._levels[-1].folder):
            self._leave(number, postings)
        known = {word for level in self._levels for word in level.words}
        begun = len(self._levels[-1].folder) if self._levels else 0
        while begun < len(folder):
            end = folder.index("/", begun) + 1
            words = tuple(word for word in _words(folder[begun:end]) if word not in known)
            self._levels.append(_FolderLevel(folder[:end], words, number))
            known.update(words)
            begun = end
        self._folder, self._known = folder, frozenset(known)

    def _leave(self, number: int, postings: Mapping[str, array[int]]) -> None:
        """Add the words of the innermost folder; after an interruption, none twice."""
        level = self._levels[-1]
        documents = array("I", range(level.first << 8 | 1, number << 8 | 1, 1 << 8))
        for word in level.words:
            noted = postings[PATH + word]
            if not noted or noted[-1] < documents[0]:
                noted.extend(documents)
        self._levels.pop()


def _words(name: str) -> dict[str, None]:
    return dict.fromkeys(word for word in WORD.findall(name) if len(word) <= LONGEST_WORD)


_DEFINERS = {
    **{word: word for word in ("class", "def", "enum", "fn", "func", "function", "interface", "module")},
    **{word: word for word in ("namespace", "struct", "trait", "type")},
    "define": "#define",
    "macro_rules": "macro_rules!",
}
"""Keywords that introduce a name, by the word in them."""
_BEFORE = frozenset(";{}(")
_DEFINED = lazily(r"\s+(?:\([^)\n]{0,80}\)\s*)?([^\W\d]\w*)")
"""What follows a keyword: in Go a receiver, then the name."""
_SETTLE_NS = 2_000_000_000
"""A file that changed this shortly before it was read may change again within the same time stamp."""
_FLUSH_WORDS = 1_000_000
"""Postings held in memory before they are written."""
_FILES_AT_ONCE, _LARGE = 200, 200_000
"""Files that are scanned together, fewer after one with this many bytes."""
_MOST = 255
"""Most occurrences of a word that count in a file: a count has eight bits."""
_READABLE = frozenset({Kind.TEXT, Kind.LOCKFILE, Kind.GENERATED})


_INSERT = "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class _Opened(NamedTuple):
    """A file that was read, and all runs of letters, digits and underscores in it."""

    entry: FileEntry
    content: str
    kind: str
    text: str = ""
    runs: Counter[str] | None = None


class _DocumentFacts(NamedTuple):
    """What the index stores of a file's content."""

    content: str
    kind: str
    length: int = 0
    secrets: int = NOT_SCANNED
    words: Mapping[str, int] = {}
    names: Iterable[str] = ()


def make_room(
    connection: sqlite3.Connection, *, dead: Sequence[int] = (), coming: int = 0, everything: bool = False
) -> int:
    """Forget some or all documents, and return the first number reserved for the coming ones."""
    last = last_document(connection)
    if everything:
        for table in ("documents", "postings", *TABLES):
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

    def __init__(self, store: IndexStore, first: int, scanners: Scanners = NO_SCANNERS) -> None:
        self.store = store
        self._scanners = scanners
        self.last = first - 1
        self._sieve = sieve()
        self._odd: set[str] = set()
        """Runs that are not words as they are, or too long for one."""
        self._special: set[str] = set()
        """These, and those that the keyword prefilter needs."""
        self._rows: list[tuple[object, ...]] = []
        self._postings = _empty_postings()
        self._paths = PathWords()
        self._held = 0

    def add_all(self, entries: Sequence[FileEntry], read: Read, progress: Progress | None) -> list[Problem]:
        """Add files; return what could not be read. After an interruption what was read is kept."""
        with pause_gc():
            return self._add_all(entries, read, progress)

    def _add_all(self, entries: Sequence[FileEntry], read: Read, progress: Progress | None) -> list[Problem]:
        problems: list[Problem] = []
        waiting: list[_Opened] = []
        try:
            for done, entry in enumerate(entries):
                if progress is not None:
                    progress("index", done, len(entries))
                try:
                    waiting.append(_open_entry(entry, read))
                except (OSError, WorkspaceError) as error:
                    problems.append(Problem(entry.path, "read", str(error)))
                if len(waiting) == _FILES_AT_ONCE or entry.size > _LARGE:
                    self._take(waiting)
            self._take(waiting)
        except KeyboardInterrupt:
            self._take(waiting)
            self._flush()
            raise
        self._flush()
        return problems

    def _take(self, waiting: list[_Opened]) -> None:
        """Add the waiting files, with the words of all scanned together.

        The list is empty afterwards, even after an interruption, so that no file is added twice.
        """
        taken, waiting[:] = list(waiting), []
        texts = [one for one in taken if one.runs is not None]
        special = self._special_of([one.runs or {} for one in texts])
        looks = self._sieve.looks_of([one.text for one in texts], special)
        facts = map(self._facts, texts, looks, special)
        for one in taken:
            self._add(one.entry, _DocumentFacts(one.content, one.kind) if one.runs is None else next(facts))
            if self._held > _FLUSH_WORDS:
                self._flush()

    def _special_of(self, runs: Sequence[Mapping[str, int]]) -> list[set[str]]:
        """Return for each text the runs that are not words as they are, or that the prefilter needs."""
        fresh = self._sieve.learn(set[str]().union(*runs))
        self._odd.update(odd_runs(fresh), (run for run in fresh if len(run) > LONGEST_WORD))
        self._special.update(self._odd & fresh, self._sieve.runs_that_hold(fresh))
        return [self._special.intersection(one) for one in runs]

    def _add(self, entry: FileEntry, facts: _DocumentFacts) -> None:
        self.last += 1
        self._post(facts.words, _limit_counts(facts.words.values()))
        path = self._paths.add(entry.path, self.last, self._postings)
        once = [*path, *(NAME + name for name in facts.names)]
        self._post(once, repeat(1))
        settled = time.time_ns() - entry.mtime_ns > _SETTLE_NS
        self._rows.append(
            (
                self.last, storable(entry.path), entry.size, facts.content, facts.kind, facts.length,
                facts.secrets, entry.mtime_ns, entry.ctime_ns, entry.inode, entry.blob, settled,
            )
        )  # fmt: skip

    def _facts(self, opened: _Opened, looks: Looks | None, special: set[str]) -> _DocumentFacts:
        """Return the facts of a text without its secrets."""
        text, secrets = opened.text, 0
        if looks is not NOTHING or self._scanners.found:
            clean = self._scanners.redact(text, path=opened.entry.path, looks=looks)
            text, secrets = clean.text, len(clean.found)
        runs = opened.runs if text is opened.text else None
        words = (
            count_words(text) if runs is None else words_of(runs, self._odd & special, longest=LONGEST_WORD)
        )
        introduced = _DEFINERS.keys() & words.keys()
        names = set(_find_definitions(text, introduced)) if introduced else ()
        return _DocumentFacts(opened.content, opened.kind, sum(words.values()), secrets, words, names)

    def _post(self, words: Collection[str], counts: Iterable[int]) -> None:
        """Add the count of each word in the last document to its postings."""
        listed = map(self._postings.__getitem__, words)
        deque(map(array.append, listed, map(add, repeat(self.last << 8), counts)), maxlen=0)
        self._held += len(words)

    def _flush(self) -> None:
        self._paths.close(self.last + 1, self._postings)
        rows, postings = self._rows, self._postings
        self._rows, self._postings, self._held = [], _empty_postings(), 0
        with self.store.transaction() as connection:
            connection.executemany(_INSERT, rows)
            _write_words(connection, postings)


def _empty_postings() -> defaultdict[str, array[int]]:
    return defaultdict(partial(array, "I"))


def _limit_counts(counts: Collection[int]) -> Iterable[int]:
    """Return the counts, each at most what eight bits hold."""
    return [min(count, _MOST) for count in counts] if max(counts, default=0) > _MOST else counts


def _write_words(connection: sqlite3.Connection, postings: Mapping[str, array[int]]) -> None:
    (last,) = connection.execute("SELECT coalesce(max(id), -1) FROM postings").fetchone()
    words = sorted(postings)
    rows = (words[start : start + WORDS_A_ROW] for start in range(0, len(words), WORDS_A_ROW))
    connection.executemany(
        "INSERT INTO postings VALUES (?, ?, ?)",
        (
            (number, *pack_lists([postings[word] for word in row]))
            for number, row in enumerate(rows, last + 1)
        ),
    )
    write_terms(connection, _terms_of(words, (last + 1) * WORDS_A_ROW))


def _terms_of(words: Sequence[str], first: int) -> dict[str, array[int]]:
    """Return the terms of sorted words, which are numbered from `first`, with the numbers that have them."""
    names, body = bisect_left(words, NAME), bisect_left(words, chr(ord(NAME) + 1))
    pointed = point(words[body:], first + body)
    for field, start, end in ((PATH, 0, names), (NAME, names, body)):
        bare = [word[1:] for word in words[start:end]]
        pointed |= {field + term: numbers for term, numbers in point(bare, first + start).items()}
    return pointed


def _open_entry(entry: FileEntry, read: Read) -> _Opened:
    """Read a file; if it is not read or not text, return only its kind."""
    if entry.kind != "file":
        return _Opened(entry, "", str(entry.kind))
    if entry.size > size_limit_of(entry.path):
        return _Opened(entry, "", str(Kind.CREDENTIALS if is_credentials(entry.path) else Kind.HUGE))
    data = read(entry.path)
    content, kind = content_hash(data), kind_of(entry.path, data)
    if kind not in _READABLE:
        return _Opened(entry, content, str(kind))
    text = text_of(entry.path, data, is_text=True)
    return _Opened(entry, content, str(kind), text, count_runs(text))


def _find_definitions(text: str, definers: Iterable[str]) -> Iterator[str]:
    """Yield the names after one of these keywords; a name does not count as a keyword itself."""
    ended = 0
    for at, length in sorted(_places(text, [_DEFINERS[word] for word in definers])):
        if at > ended or not at:
            found = _DEFINED.match(text, at + length)
            if found:
                ended = found.end()
                yield found[1]


def _places(text: str, introductions: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield where each keyword occurs on its own, and its length; `find` is faster than a regex."""
    for introduction in introductions:
        at = text.find(introduction)
        while at >= 0:
            if not at or text[at - 1] in _BEFORE or text[at - 1].isspace():
                yield at, len(introduction)
            at = text.find(introduction, at + 1)
