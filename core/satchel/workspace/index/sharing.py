"""Share the index of a repository: files that one clone has read and split, another need not.

Segments are blobs named by the hash of their bytes, below a prefix for each project and for each version
of index and rules. A record belongs to a path with a content, by git's id of it. A segment has no texts,
only hashes, numbers, and words and names of redacted texts.
"""

from __future__ import annotations

import hashlib
import json
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from satchel.errors import Problem
from satchel.interfaces import INDEX_PREFIX, Blobs
from satchel.workspace.files.listing import FileEntry
from satchel.workspace.index.documents import (
    NOT_SCANNED,
    PATH,
    SETTLE_NS,
    add_rows,
    make_room,
    storable,
    write_path_terms,
)
from satchel.workspace.index.store import IndexStore, index_version

_FORMAT = 1
_HASH_BYTES, _KEY_BYTES = 16, 12
_SEGMENT_FILES = 2_000
_MOST_BYTES = 1 << 30
"""Most bytes of an unpacked segment."""
_LEAST_NEW = 0.02
"""Least share of new files in a workspace for a segment: one for each edit would be too many."""


class SharingResult(NamedTuple):
    """The result of an exchange."""

    taken: int = 0
    """Files that need not be read, because their records were found."""
    given: int = 0
    """Files whose records were published."""


class SharedIndex:
    """The segments of one project at an address.

    Args:
        blobs: the store of the segments.
        project: the first commits of its history.
        scanners: key of the scanners in addition to satchel's own rules; other scanners find other secrets.
    """

    def __init__(self, blobs: Blobs, project: Sequence[str], *, scanners: str = "") -> None:
        self._blobs = blobs
        name = hashlib.blake2b("\n".join(sorted(project)).encode(), digest_size=_KEY_BYTES).hexdigest()
        self.prefix = f"{INDEX_PREFIX}{_FORMAT}-{index_version():x}-{scanners or 'none'}/{name}/"
        self.problems: list[Problem] = []
        self.result = SharingResult()

    def fetch(self, store: IndexStore, entries: Collection[FileEntry]) -> None:
        """Copy records of these files that the store does not know yet from segments.

        Raises:
            StoreError: the address can't be reached.
        """
        known = self._read_known(store)
        wanted = _list_wanted(store, entries)
        for blob in sorted(self._blobs.list(self.prefix), key=lambda one: (-one.used, one.key)):
            if blob.key in known and not wanted:
                continue
            segment = self._get(blob.key)
            if segment is None:
                continue
            taken = _take_over(store, segment, wanted)
            self.result = self.result._replace(taken=self.result.taken + taken)
            if taken:
                self._blobs.touch(blob.key)
            if blob.key not in known:
                _note_known(store, self._fact(blob.key), segment)

    def publish(self, store: IndexStore, entries: Collection[FileEntry]) -> None:
        """Publish records of these files that no segment has, if there are more than a few.

        Raises:
            StoreError: the address can't be reached.
        """
        known = set[str]().union(*self._read_known(store).values())
        contents = _list_contents(store)
        fresh = [
            entry
            for entry in entries
            if (row := contents.get(entry.path)) is not None
            and entry.blob
            and entry.size == row.size
            and not {_key_of(entry), *_keys_of_parts(row.parts)} <= known
        ]
        if len(fresh) <= _LEAST_NEW * len(entries):
            return
        terms = _read_terms(store, {contents[entry.path].id for entry in fresh})
        for start in range(0, len(fresh), _SEGMENT_FILES):
            some = fresh[start : start + _SEGMENT_FILES]
            packed = _pack(_write_segment(store, some, contents, terms))
            key = f"{self.prefix}{_hash(packed)}"
            self._blobs.put(key, packed)
            _note_known(store, self._fact(key), _unpack(packed))
        self.result = self.result._replace(given=len(fresh))

    def _get(self, key: str) -> Mapping[str, Any] | None:
        """Return a segment; one that does not match its name is removed, and `publish` makes it anew."""
        packed = self._blobs.get(key)
        if packed is None:
            return None
        if _hash(packed) != key.rpartition("/")[2]:
            self.problems.append(
                Problem("index", "share", f"{key} in {self._blobs.place} was damaged; it is rebuilt")
            )
            self._blobs.delete(key)
            return None
        return _unpack(packed)

    def _fact(self, key: str) -> str:
        return f"shared {self._blobs.place} {key}"

    def _read_known(self, store: IndexStore) -> dict[str, set[str]]:
        """Return the existing segments that this index has seen, with the keys of their records."""
        start = self._fact(self.prefix)
        rows = store.rows("SELECT name, value FROM facts WHERE substr(name, 1, ?) = ?", (len(start), start))
        there = {blob.key for blob in self._blobs.list(self.prefix)} if rows else set()
        skip = len(self._fact(""))
        return {
            str(name)[skip:]: set(store.decode(value)) for name, value in rows if str(name)[skip:] in there
        }


class _FileRow(NamedTuple):
    """The index's facts about a file."""

    id: int
    content: str
    kind: str
    length: int
    secrets: int
    size: int
    parts: Sequence[tuple[str, str]]
    """Content and key of its parts, one for each representer and tokenizer."""


def _list_wanted(store: IndexStore, entries: Collection[FileEntry]) -> dict[str, FileEntry]:
    """Return the unchanged files of git's that the store does not know, by the key of their record."""
    known = {row[0] for row in store.rows("SELECT path FROM documents WHERE settled")}
    return {
        _key_of(entry): entry
        for entry in entries
        if entry.blob and entry.kind == "file" and storable(entry.path) not in known
    }


def _take_over(store: IndexStore, segment: Mapping[str, Any], wanted: dict[str, FileEntry]) -> int:
    """Write the records of wanted files into the store; return their number."""
    found = [(wanted.pop(record[0]), record) for record in segment["files"] if record[0] in wanted]
    if not found:
        return 0
    contents = {record[1] for _, record in found}
    parts = [
        (content, key, rows, terms) for content, key, rows, terms in segment["parts"] if content in contents
    ]
    old = [
        number
        for entry, _ in found
        for (number,) in store.rows("SELECT id FROM documents WHERE path = ?", (storable(entry.path),))
    ]
    now = time.time_ns()
    with store.transaction() as connection:
        first = make_room(connection, dead=[int(str(one)) for one in old], coming=len(found))
        rows, terms = [], []
        for number, (entry, record) in enumerate(found, start=first):
            _, content, kind, length, secrets, words = record
            settled = now - entry.mtime_ns > SETTLE_NS
            rows.append(
                (
                    number, storable(entry.path), entry.size, content, kind, length, secrets,
                    entry.mtime_ns, entry.ctime_ns, entry.inode, entry.blob, settled,
                )
            )  # fmt: skip
            body = "".join(f"{term} " * int(count) for term, count in words.items())
            terms.append((number, body + write_path_terms(entry.path)))
        add_rows(connection, rows, terms)
        connection.executemany("INSERT OR IGNORE INTO parts VALUES (?, ?, ?, ?)", parts)
    return len(found)


def _list_contents(store: IndexStore) -> dict[str, _FileRow]:
    """Return the sharable facts of the documents, by path; texts not scanned for secrets stay here."""
    parts = defaultdict[str, list[tuple[str, str]]](list)
    for content, key in store.rows("SELECT content, key FROM parts"):
        parts[str(content)].append((str(content), str(key)))
    query = "SELECT id, path, content, kind, length, secrets, size FROM documents WHERE content != ''"
    rows = cast("Iterable[tuple[int, str, str, str, int, int, int]]", store.rows(query))
    return {
        path: _FileRow(id_, content, kind, length, secrets, size, parts.get(content, ()))
        for id_, path, content, kind, length, secrets, size in rows
        if isinstance(path, str) and (secrets != NOT_SCANNED or not length)
    }


def _read_terms(store: IndexStore, ids: Collection[int]) -> dict[int, Counter[str]]:
    """Return the terms of documents with their counts, without those of their paths."""
    found = defaultdict[int, Counter[str]](Counter)
    rows = cast("Iterable[tuple[int, str]]", store.rows("SELECT doc, term FROM places"))
    for number, term in rows:
        if number in ids and not term.startswith(PATH):
            found[number][term] += 1
    return found


def _write_segment(
    store: IndexStore,
    entries: Sequence[FileEntry],
    contents: Mapping[str, _FileRow],
    terms: Mapping[int, Mapping[str, int]],
) -> dict[str, Any]:
    """Return a segment as values for JSON, in the same order on every machine."""
    files, places = [], set[tuple[str, str]]()
    for entry in entries:
        row = contents[entry.path]
        words = dict(sorted(terms.get(row.id, {}).items()))
        files.append([_key_of(entry), row.content, row.kind, row.length, row.secrets, words])
        places.update(row.parts)
    return {"files": sorted(files), "parts": list(_read_parts(store, sorted(places)))}


def _read_parts(store: IndexStore, places: Sequence[tuple[str, str]]) -> Iterator[list[object]]:
    for content, key in places:
        query = "SELECT parts, terms FROM parts WHERE content = ? AND key = ?"
        yield from ([content, key, *row] for row in store.rows(query, (content, key)))


def _note_known(store: IndexStore, fact: str, segment: Mapping[str, Any]) -> None:
    """Record the content of a segment, so that it is read once and not published again."""
    keys = [record[0] for record in segment["files"]]
    keys += _keys_of_parts((content, key) for content, key, *_ in segment["parts"])
    store.keep({fact: ""}, {fact: keys})


def _key_of(entry: FileEntry) -> str:
    """Return the key of a file's record: its path, git's id of its content, and its size.

    The size distinguishes contents that git treats as one: line ends may be written differently.
    """
    told = f"{entry.path}\0{entry.blob}\0{entry.size}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(told, digest_size=_KEY_BYTES).hexdigest()


def _keys_of_parts(places: Iterable[tuple[str, str]]) -> list[str]:
    return [
        hashlib.blake2b(f"{content} {key}".encode(), digest_size=_KEY_BYTES).hexdigest()
        for content, key in places
    ]


def _hash(packed: bytes) -> str:
    return hashlib.blake2b(packed, digest_size=_HASH_BYTES).hexdigest()


def _pack(segment: Mapping[str, Any]) -> bytes:
    return zlib.compress(json.dumps(segment, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def _unpack(packed: bytes) -> Mapping[str, Any]:
    text = zlib.decompressobj().decompress(packed, _MOST_BYTES).decode("utf-8", "surrogatepass")
    read: Mapping[str, Any] = json.loads(text)
    return read
