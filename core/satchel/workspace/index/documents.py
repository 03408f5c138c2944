"""The term index of a workspace: the terms in each file, updated with changes.

Terms are parts of identifiers with plurals folded. SQLite's FTS5 holds them, each file in a row of its own; a
file's path and the names it defines are fields of their own. The row of a file that is gone or was written
again stays until the index is rebuilt: a row of a table without content can't be removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from sys import intern
from typing import NamedTuple, cast

from satchel.errors import Problem, WorkspaceError
from satchel.patterns import lazily
from satchel.redaction.scanning import NO_SCANNERS, Scanners
from satchel.workspace.files.contents import kind_of, size_limit_of, text_of
from satchel.workspace.files.kinds import Kind, is_credentials
from satchel.workspace.files.listing import FileEntry
from satchel.workspace.index.store import MOST_ASKED, DamagedIndexError, IndexStore
from satchel.workspace.index.terms import (
    LONGEST_WORD,
    SHORTEST_WORD,
    WORD,
    count_words,
    vocabulary,
)

ReportProgress = Callable[[str, int, int], None]
Read = Callable[[str], bytes]

NOT_SCANNED = -1
"""Instead of a number of secrets: the text was not scanned, so it may hold some."""
BODY, PATH, NAME = "", "/", "="
"""Fields: each is a prefix of the terms that it holds."""

_DEAD_SHARE = 0.25
"""Share of the files that may go or change at once before the index is rebuilt."""
_FEWEST_DEAD = 100
"""This many files may be gone or changed whatever their share."""
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
    """Secrets found in it; the index has none of them; NOT_SCANNED if it was not scanned."""


class DocumentTotals(NamedTuple):
    """The documents of an index by their numbers, and their totals."""

    by_id: dict[int, Document]
    readable: int
    """Documents with any word."""
    words: int
    """Words in all of them."""


_Row = tuple[int, str | bytes, int, str, str, int, int, int, int, int, str, int]
_UnnumberedRow = tuple[str | bytes, int, str, str, int, int, int, int, int, str, int]
_MOST_SWEPT = 3
"""Times that other processes may empty the index while one reads it."""


def content_hash(data: bytes) -> str:
    """Return the hash under which parts and counts of these bytes are stored."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class _Numbering:
    """The numbers of documents in memory, after other processes may have emptied and refilled the index."""

    def __init__(self, swept: int = 0, follow: Callable[[], _Numbering] | None = None) -> None:
        self.swept = swept
        """The document number at which the index was last emptied."""
        self.follow = follow
        """Returns the numbering after the index was emptied since."""
        self.moved: Mapping[int, int] = {}
        """By their new numbers: the numbers of documents that were written again."""


class Index:
    """Documents and postings in a store."""

    def __init__(self, store: IndexStore, scanners: Scanners = NO_SCANNERS) -> None:
        self.store = store
        self.scanners = scanners
        """The scanners of secrets that its texts have passed."""
        self.documents: dict[str, Document] = {}
        self._numbering = _Numbering()
        self._numbered: tuple[Mapping[str, Document], DocumentTotals] = ({}, DocumentTotals({}, 0, 0))

    def refresh(
        self, entries: Collection[FileEntry], read: Read, progress: ReportProgress | None = None
    ) -> list[Problem]:
        """Read files that are new or changed, forget removed ones; return problems with reading.

        Files are written in batches: after an interruption only the rest is read. If another process writes
        the index, wait for it and read only the rest. If the index file is damaged or can't be written, a new
        one is used.
        """
        try:
            return self._refresh(entries, read, progress)
        except DamagedIndexError:
            self.store = IndexStore.open(self.store.path)
            problem = Problem("index", "read", "the index was damaged; it was rebuilt")
            return [problem, *self._refresh(entries, read, progress)]
        except sqlite3.OperationalError as error:
            self.store = IndexStore.open(None)
            problem = Problem("index", "write", f"{error}; this run keeps its index in memory")
            return [problem, *self._refresh(entries, read, progress)]

    def _refresh(
        self, entries: Collection[FileEntry], read: Read, progress: ReportProgress | None
    ) -> list[Problem]:
        update = self._update(entries, read, progress)
        for _ in range(_MOST_SWEPT):
            if not update.has_written or self._last_sweep() == update.swept:
                break
            again = self._update(entries, read, progress, may_sweep=False)
            update = again._replace(problems=[*update.problems, *again.problems])
        else:
            raise sqlite3.OperationalError("other processes keep emptying the index")
        known = update.known
        self.documents = {
            entry.path: Document(row[0], entry.path, row[2], row[3], intern(row[4]), row[5], row[6])
            for entry in entries
            if (row := known.get(entry.path))
        }
        self._numbering = _Numbering(update.swept, partial(self._follow_sweep, self.documents, entries, read))
        return [*update.problems]

    def _update(
        self,
        entries: Collection[FileEntry],
        read: Read,
        progress: ReportProgress | None,
        *,
        may_sweep: bool = True,
    ) -> _Update:
        """Write new and changed files; with `may_sweep` rebuild an index with too many dead rows."""
        version, swept, known = self._version(), self._last_sweep(), _load_rows(self.store)
        if not any(_find_changes(entries, known)):
            return _Update(known, swept)
        with build_alone(self.store.path, self._version):
            if self._version() != version:
                swept, known = self._last_sweep(), _load_rows(self.store)
            stale, gone = _find_changes(entries, known)
            if not (stale or gone):
                return _Update(known, swept)
            dead = [known[path][0] for path in (*gone, *(entry.path for entry in stale)) if path in known]
            with self.store.transaction() as connection:
                anew = may_sweep and _has_too_many_dead(connection, len(dead))
                make_room(connection, dead=dead, everything=anew)
                swept = _fact(connection, SWEPT)
            fresh = list(entries) if anew else stale
            writer = Writer(self.store, self.scanners)
            problems = writer.add_all(fresh, read, progress)
        for entry in fresh:
            known.pop(entry.path, None)
        known |= {_path_of(row[1]): row for row in writer.written}
        return _Update(known, swept, problems, has_written=True)

    def _follow_sweep(
        self, documents: Mapping[str, Document], entries: Collection[FileEntry], read: Read
    ) -> _Numbering:
        """Return the new numbers of documents after another process emptied the index.

        Documents that it has not written again are written here, without emptying the index once more.
        """
        update = self._update(entries, read, None, may_sweep=False)
        self.store.problems += tuple(update.problems)
        followed = _Numbering(update.swept, partial(self._follow_sweep, documents, entries, read))
        followed.moved = {
            row[0]: documents[path].id for path, row in update.known.items() if path in documents
        }
        return followed

    def _version(self) -> int:
        """Return a number that changes when another process writes to the index."""
        return int(str(self.store.rows("PRAGMA data_version")[0][0]))

    def _last_sweep(self) -> int:
        rows = self.store.rows("SELECT value FROM facts WHERE name = ?", (SWEPT,))
        return int(str(rows[0][0])) if rows else 0

    def _find(self, query: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        """Return all rows of a query of terms, from an index with the terms of all documents."""
        with self.store.lock:
            for _ in range(_MOST_SWEPT):
                rows = self.store.rows(query, values)
                if self._numbering.follow is None or self._last_sweep() == self._numbering.swept:
                    return rows
                self._numbering = self._numbering.follow()
        raise sqlite3.OperationalError("other processes keep emptying the index")

    @property
    def numbered(self) -> DocumentTotals:
        """Return all documents by number, and their totals."""
        documents = self.documents
        if self._numbered[0] is not documents:
            lengths = [document.length for document in documents.values()]
            by_id = {document.id: document for document in documents.values()}
            self._numbered = (documents, DocumentTotals(by_id, sum(map(bool, lengths)), sum(lengths)))
        return self._numbered[1]

    def postings(self, term: str, field: str = BODY) -> dict[int, int]:
        """Return the number of occurrences of a folded term in a field, by document id."""
        return self.postings_of([term], field)[term]

    def postings_of(self, terms: Collection[str], field: str = BODY) -> dict[str, dict[int, int]]:
        """Return for each folded term its number of occurrences in a field, by document id."""
        found: dict[str, dict[int, int]] = {term: {} for term in terms}
        listed, begin = list(found), len(field)
        for start in range(0, len(listed), MOST_ASKED):
            some = [field + term for term in listed[start : start + MOST_ASKED]]
            marks = ",".join("?" * len(some))
            query = f"SELECT term, doc, count(*) FROM places WHERE term IN ({marks}) GROUP BY term, doc"  # noqa: S608
            rows = cast("Iterable[tuple[str, int, int]]", self._find(query, tuple(some)))
            moved = self._numbering.moved
            for term, document, count in rows:
                found[term[begin:]][moved.get(document, document) if moved else document] = count
        return found

    def known_terms(self, terms: Collection[str]) -> set[str]:
        """Return the known ones of at most 300 folded terms, in a file's body, path or names."""
        fielded = {field + term: term for field in (BODY, PATH, NAME) for term in terms}
        query = f"SELECT term FROM words WHERE term IN ({','.join('?' * len(fielded))})"  # noqa: S608
        rows = cast("Iterable[tuple[str]]", self._find(query, tuple(fielded)))
        return {fielded[found] for (found,) in rows}

    def count_holding(self, terms: Collection[str]) -> dict[str, int]:
        """Return the number of files with each folded term in their bodies; terms in no file are left out."""
        listed, found = list(terms), dict[str, int]()
        for start in range(0, len(listed), MOST_ASKED):
            some = tuple(listed[start : start + MOST_ASKED])
            query = f"SELECT term, doc FROM words WHERE term IN ({','.join('?' * len(some))})"  # noqa: S608
            found.update(cast("Iterable[tuple[str, int]]", self._find(query, some)))
        return found

    def terms_between(self, first: str, after: str) -> list[str]:
        """Return the folded terms from `first` to before `after` of the bodies of two files, or of a path."""
        query = "SELECT term FROM words WHERE term >= ? AND term < ? AND doc > ?"
        found: dict[str, None] = {}
        for field, least in ((BODY, 1), (PATH, 0)):
            rows = cast("Iterable[tuple[str]]", self._find(query, (field + first, field + after, least)))
            found.update((term.removeprefix(field), None) for (term,) in rows)
        return list(found)

    def names_holding(self, word: str) -> list[str]:
        """Return the names of definitions that hold a word of letters anywhere, as folded terms."""
        query = "SELECT term FROM words WHERE term >= ? AND term < ? AND instr(term, ?)"
        rows = cast("Iterable[tuple[str]]", self._find(query, (NAME, chr(ord(NAME) + 1), word)))
        return [term.removeprefix(NAME) for (term,) in rows]


def _load_rows(store: IndexStore) -> dict[str, _Row]:
    """Return the rows of the documents by path."""
    rows = cast("Iterable[_Row]", store.rows(f"SELECT {_COLUMNS} FROM documents"))  # noqa: S608
    return {_path_of(row[1]): row for row in rows}


class _Update(NamedTuple):
    """The rows of an index after an update, and problems with reading."""

    known: dict[str, _Row]
    swept: int
    problems: Sequence[Problem] = ()
    has_written: bool = False


def _find_changes(
    entries: Collection[FileEntry], known: Mapping[str, _Row]
) -> tuple[list[FileEntry], set[str]]:
    """Return the files that are new or changed, and the paths of removed ones."""
    stale = [entry for entry in entries if not _is_fresh(entry, known.get(entry.path))]
    return stale, known.keys() - {entry.path for entry in entries}


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


def _has_too_many_dead(connection: sqlite3.Connection, dying: int) -> bool:
    """Return whether to drop the postings of removed files: many at once, or half of all."""
    known = int(connection.execute("SELECT count(*) FROM documents").fetchone()[0])
    dead = _fact(connection, LAST) - _fact(connection, SWEPT) - known + dying
    return dying > max(_FEWEST_DEAD, _DEAD_SHARE * known) or dead > max(_FEWEST_DEAD, known)


LAST, SWEPT = "last document", "swept at"
"""Facts: the largest document number, and the largest one when the index was last emptied."""


def _fact(connection: sqlite3.Connection, name: str) -> int:
    row = connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row else 0


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
"""The text after a keyword: in Go a receiver, then the name."""
SETTLE_NS = 2_000_000_000
"""A file that changed this shortly before it was read may change again within the same time stamp."""
_FLUSH_CHARACTERS = 10_000_000
"""Characters of terms held in memory before they are written."""
_MOST = 255
"""Most occurrences of a word that count in a file."""
_READABLE = frozenset({Kind.TEXT, Kind.LOCKFILE, Kind.GENERATED})


_INSERT = "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_TERMS = "INSERT INTO terms(rowid, text) VALUES (?, ?)"


class _OpenedFile(NamedTuple):
    """A file that was read."""

    entry: FileEntry
    content: str
    kind: str
    text: str | None = None
    """None for a file whose words are not indexed."""


class _DocumentFacts(NamedTuple):
    """The index's facts about a file's content."""

    content: str
    kind: str
    length: int = 0
    secrets: int = NOT_SCANNED
    words: Mapping[str, int] = {}
    names: Collection[str] = ()


def make_room(
    connection: sqlite3.Connection, *, dead: Sequence[int] = (), coming: int = 0, everything: bool = False
) -> int:
    """Forget some or all documents, and return the first number reserved for the coming ones."""
    last = _fact(connection, LAST)
    if everything:
        connection.execute("DELETE FROM documents")
        connection.execute("INSERT INTO terms(terms) VALUES ('delete-all')")
        _note(connection, SWEPT, last)
    connection.executemany("DELETE FROM documents WHERE id = ?", [(number,) for number in dead])
    _note(connection, LAST, last + coming)
    return last + 1


def _note(connection: sqlite3.Connection, fact: str, number: int) -> None:
    connection.execute("INSERT OR REPLACE INTO facts(name, value) VALUES (?, ?)", (fact, number))


class Writer:
    """Adds files to the tables; each flush is a transaction of its own, which numbers its documents."""

    def __init__(self, store: IndexStore, scanners: Scanners = NO_SCANNERS) -> None:
        self.store = store
        self.scanners = scanners
        self.written: list[_Row] = []
        self._held_rows: list[_UnnumberedRow] = []
        self._terms: list[str] = []
        self._held = 0

    def add_all(
        self, entries: Sequence[FileEntry], read: Read, progress: ReportProgress | None
    ) -> list[Problem]:
        """Add files; return problems with reading. After an interruption the read files are kept."""
        problems: list[Problem] = []
        try:
            for done, entry in enumerate(entries):
                if progress is not None:
                    progress("index", done, len(entries))
                try:
                    opened = _open_entry(entry, read)
                except (OSError, WorkspaceError) as error:
                    problems.append(Problem(entry.path, "read", str(error)))
                    continue
                self._add(entry, self._facts(opened))
                if self._held > _FLUSH_CHARACTERS:
                    self._flush()
        except KeyboardInterrupt:
            self._flush()
            raise
        self._flush()
        return problems

    def _add(self, entry: FileEntry, facts: _DocumentFacts) -> None:
        text = _write_terms(facts.words, _words(entry.path), facts.names)
        self._terms.append(text)
        self._held += len(text)
        settled = time.time_ns() - entry.mtime_ns > SETTLE_NS
        self._held_rows.append(
            (
                storable(entry.path), entry.size, facts.content, facts.kind, facts.length,
                facts.secrets, entry.mtime_ns, entry.ctime_ns, entry.inode, entry.blob, settled,
            )
        )  # fmt: skip

    def _facts(self, opened: _OpenedFile) -> _DocumentFacts:
        """Return the facts of a text without its secrets."""
        if opened.text is None:
            return _DocumentFacts(opened.content, opened.kind)
        clean = self.scanners.redact(opened.text, path=opened.entry.path)
        text, secrets = clean.text, len(clean.found)
        words = count_words(text)
        introduced = _DEFINERS.keys() & words.keys()
        names = set(_find_definitions(text, introduced)) if introduced else ()
        return _DocumentFacts(opened.content, opened.kind, sum(words.values()), secrets, words, names)

    def _flush(self) -> None:
        rows, terms = self._held_rows, self._terms
        self._held_rows, self._terms, self._held = [], [], 0
        if not rows:
            return
        with self.store.transaction() as connection:
            first = make_room(connection, coming=len(rows))
            numbered: list[_Row] = [(number, *row) for number, row in enumerate(rows, start=first)]
            add_rows(connection, numbered, list(enumerate(terms, start=first)))
        self.written += numbered


def add_rows(
    connection: sqlite3.Connection, rows: Sequence[tuple[object, ...]], terms: Sequence[tuple[int, str]]
) -> None:
    """Insert documents, and by their numbers the terms of each."""
    connection.executemany(_INSERT, rows)
    connection.executemany(_INSERT_TERMS, terms)


def write_path_terms(path: str) -> str:
    """Return the terms of a path, as the index holds them."""
    return _write_terms({}, _words(path), ())


def _write_terms(words: Mapping[str, int], path: Collection[str], names: Collection[str]) -> str:
    """Return the terms of a file's words, each repeated by its count, and those of its other fields."""
    known = vocabulary().knowing([words, path, names])
    joined = known.joined
    body = [joined[word] if count == 1 else joined[word] * min(count, _MOST) for word, count in words.items()]
    fields = [
        f"{field}{term} "
        for field, some in ((PATH, path), (NAME, names))
        for word in some
        for term in ((word.casefold(),) if len(word) < SHORTEST_WORD else known[word])
    ]
    return "".join([*body, *fields])


def _open_entry(entry: FileEntry, read: Read) -> _OpenedFile:
    """Read a file; if it is not read or not text, return only its kind."""
    if entry.kind != "file":
        return _OpenedFile(entry, "", str(entry.kind))
    if entry.size > size_limit_of(entry.path):
        return _OpenedFile(entry, "", str(Kind.CREDENTIALS if is_credentials(entry.path) else Kind.HUGE))
    data = read(entry.path)
    content, kind = content_hash(data), kind_of(entry.path, data)
    if kind not in _READABLE:
        return _OpenedFile(entry, content, str(kind))
    text = text_of(entry.path, data, is_text=True)
    return _OpenedFile(entry, content, str(kind), text)


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


_PATIENCE_SECONDS = 30.0
"""A process that writes nothing for so long is not waited for: it was stopped, or it hangs."""
_PAUSE_SECONDS = 0.02


@contextlib.contextmanager
def build_alone(path: Path | None, count_written: Callable[[], int]) -> Iterator[None]:
    """Run a block while no other process builds the index at `path`, after any that does.

    The system frees the lock of a process that ends, in whatever way. On a system or a disk without locks,
    and beside a process that is stuck, the block runs all the same: then both read the files, and both are
    right.

    Args:
        path: the file of the index; None for one in memory, which no other process has.
        count_written: returns a number that grows while the other process writes.
    """
    lock = _open_lock(path) if path is not None else None
    if lock is None:
        yield
        return
    try:
        _wait_for(lock, count_written)
        yield
    finally:
        _free(lock)


def _open_lock(path: Path) -> int | None:
    """Open the file of the lock, which is never removed; None if there are no locks."""
    try:
        import fcntl  # noqa: F401  not on Windows

        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(path.with_suffix(".lock"), flags, 0o600)
    except (ImportError, OSError):
        return None


def _wait_for(lock: int, count_written: Callable[[], int]) -> None:
    """Wait until the lock is held, or the process that holds it has written nothing for too long."""
    written, deadline = -1, time.monotonic() + _PATIENCE_SECONDS
    while not _take(lock):
        count = count_written()
        if count != written:
            written, deadline = count, time.monotonic() + _PATIENCE_SECONDS
        if time.monotonic() > deadline:
            return
        time.sleep(_PAUSE_SECONDS)


def _free(lock: int) -> None:
    """Free the lock, even if a forked process has the file open too."""
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_UN)
    except OSError:  # the disk has no locks
        return
    finally:
        os.close(lock)


def _take(lock: int) -> bool:
    """Take the lock if it is free; return whether there is nothing to wait for."""
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # the disk has no locks
        return True
    return True
