"""Writing the term index: files become documents, their words postings, the terms of words pointers."""

from __future__ import annotations

import sqlite3
import time
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from operator import add
from typing import NamedTuple

from satchel.errors import Problem, WorkspaceError
from satchel.patterns import lazily
from satchel.redaction.searching import sieve
from satchel.redaction.sieve import NOTHING, Looks
from satchel.scanning import NO_SCANNERS, Scanners
from satchel.uncollected import uncollected
from satchel.workspace.contents import Kind, is_credentials, kind_of, largest_read, text_of
from satchel.workspace.dictionary import TABLES, packed, write_terms
from satchel.workspace.files import FileEntry
from satchel.workspace.index import (
    LAST,
    NAME,
    NOT_SCANNED,
    PATH,
    SWEPT,
    WORDS_A_ROW,
    Progress,
    Read,
    content_hash,
    is_full,
    last_document,
    storable,
)
from satchel.workspace.pathwords import PathWords
from satchel.workspace.store import Store
from satchel.workspace.terms import LONGEST_WORD, count_runs, count_words, odd_runs, point, words_of

_DEFINERS = {
    **{word: word for word in ("class", "def", "enum", "fn", "func", "function", "interface", "module")},
    **{word: word for word in ("namespace", "struct", "trait", "type")},
    "define": "#define",
    "macro_rules": "macro_rules!",
}
"""What introduces a name, by the word in it."""
_BEFORE = frozenset(";{}(")
_DEFINED = lazily(r"\s+(?:\([^)\n]{0,80}\)\s*)?([^\W\d]\w*)")
"""What follows: in Go a receiver, then the name."""
_SETTLE_NS = 2_000_000_000
"""A file that changed this shortly before it was read may change again within its time stamp."""
_FLUSH_WORDS = 1_000_000
"""Postings held in memory before they are written."""
_FILES_AT_ONCE, _LARGE = 200, 200_000
"""So many files are judged at once, fewer where one has so many bytes."""
_MOST = 255
"""A word counts at most so often in a file: its count has eight bits."""
_READABLE = frozenset({Kind.TEXT, Kind.LOCKFILE, Kind.GENERATED})


_INSERT = "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class _Opened(NamedTuple):
    """A file that was read, and all runs of letters, digits and underscores in it."""

    entry: FileEntry
    content: str
    kind: str
    text: str = ""
    runs: Counter[str] | None = None


class _Facts(NamedTuple):
    """What is found in a file when it is read."""

    content: str
    kind: str
    length: int = 0
    secrets: int = NOT_SCANNED
    words: Mapping[str, int] = {}
    names: Iterable[str] = ()


def make_room(
    connection: sqlite3.Connection, *, dead: Sequence[int] = (), coming: int = 0, everything: bool = False
) -> int:
    """Forget documents, or all of them, and return the first of the numbers kept for those that come."""
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

    def __init__(self, store: Store, first: int, scanners: Scanners = NO_SCANNERS) -> None:
        self.store = store
        self._scanners = scanners
        self.last = first - 1
        self._sieve = sieve()
        self._odd: set[str] = set()
        """Runs that are no words as they stand, or too long for one."""
        self._special: set[str] = set()
        """These, and those that matter to the sieve."""
        self._rows: list[tuple[object, ...]] = []
        self._postings = _empty_postings()
        self._paths = PathWords()
        self._held = 0

    def add_all(self, entries: Sequence[FileEntry], read: Read, progress: Progress | None) -> list[Problem]:
        """Add files; return what could not be read. What was read is kept when somebody interrupts."""
        with uncollected():
            return self._add_all(entries, read, progress)

    def _add_all(self, entries: Sequence[FileEntry], read: Read, progress: Progress | None) -> list[Problem]:
        problems: list[Problem] = []
        waiting: list[_Opened] = []
        try:
            for done, entry in enumerate(entries):
                if progress is not None:
                    progress("index", done, len(entries))
                try:
                    waiting.append(_opened(entry, read))
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
        """Add the files that wait: the words of all are judged at once.

        None waits afterwards, nor when this is interrupted: a file that was added is not added again.
        """
        taken, waiting[:] = list(waiting), []
        texts = [one for one in taken if one.runs is not None]
        special = self._special_of([one.runs or {} for one in texts])
        looks = self._sieve.looks_of([one.text for one in texts], special)
        facts = map(self._facts, texts, looks, special)
        for one in taken:
            self._add(one.entry, _Facts(one.content, one.kind) if one.runs is None else next(facts))
            if self._held > _FLUSH_WORDS:
                self._flush()

    def _special_of(self, runs: Sequence[Mapping[str, int]]) -> list[set[str]]:
        """Return of each text the runs that are no words as they stand, or matter to the sieve."""
        fresh = self._sieve.learn(set[str]().union(*runs))
        self._odd.update(odd_runs(fresh), (run for run in fresh if len(run) > LONGEST_WORD))
        self._special.update(self._odd & fresh, self._sieve.held(fresh))
        return [self._special.intersection(one) for one in runs]

    def _add(self, entry: FileEntry, facts: _Facts) -> None:
        self.last += 1
        self._post(facts.words, _least(facts.words.values()))
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

    def _facts(self, opened: _Opened, looks: Looks | None, special: set[str]) -> _Facts:
        """Return what is in a text, without its secrets."""
        text, secrets = opened.text, 0
        if looks is not NOTHING or self._scanners.found:
            clean = self._scanners.redact(text, path=opened.entry.path, looks=looks)
            text, secrets = clean.text, len(clean.found)
        runs = opened.runs if text is opened.text else None
        words = (
            count_words(text) if runs is None else words_of(runs, self._odd & special, longest=LONGEST_WORD)
        )
        introduced = _DEFINERS.keys() & words.keys()
        names = set(_defined(text, introduced)) if introduced else ()
        return _Facts(opened.content, opened.kind, sum(words.values()), secrets, words, names)

    def _post(self, words: Collection[str], counts: Iterable[int]) -> None:
        """Note how often each word stands in the last document."""
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


def _least(counts: Collection[int]) -> Iterable[int]:
    """Return the counts, none above what eight bits hold."""
    return [min(count, _MOST) for count in counts] if max(counts, default=0) > _MOST else counts


def _write_words(connection: sqlite3.Connection, postings: Mapping[str, array[int]]) -> None:
    (last,) = connection.execute("SELECT coalesce(max(id), -1) FROM postings").fetchone()
    words = sorted(postings)
    rows = (words[start : start + WORDS_A_ROW] for start in range(0, len(words), WORDS_A_ROW))
    connection.executemany(
        "INSERT INTO postings VALUES (?, ?, ?)",
        ((number, *packed([postings[word] for word in row])) for number, row in enumerate(rows, last + 1)),
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


def _opened(entry: FileEntry, read: Read) -> _Opened:
    """Read a file; of what is not read, and of what is no text, return its kind."""
    if entry.kind != "file":
        return _Opened(entry, "", str(entry.kind))
    if entry.size > largest_read(entry.path):
        return _Opened(entry, "", str(Kind.CREDENTIALS if is_credentials(entry.path) else Kind.HUGE))
    data = read(entry.path)
    content, kind = content_hash(data), kind_of(entry.path, data)
    if kind not in _READABLE:
        return _Opened(entry, content, str(kind))
    text = text_of(entry.path, data, is_text=True)
    return _Opened(entry, content, str(kind), text, count_runs(text))


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
