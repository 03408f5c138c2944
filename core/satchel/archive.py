"""The archive: where cut text lives, by the hash of its content, so that every cut can be undone."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import IO, NamedTuple

from satchel.errors import PointerError, SatchelError
from satchel.patterns import lazily
from satchel.private_files import (
    create_private,
    expanded,
    make_private_folder,
    new_name,
    open_private,
    reason_of,
    state_folder,
)
from satchel.redaction.scanning import NO_SCANNERS, Scanners

OLDEST_SECONDS = 30 * 86_400
MOST_BYTES = 1 << 30
_DAY_SECONDS = 86_400
_HASH_BYTES = 16
_SHORTEST = 8
"""Hexadecimal digits that a shortened hash needs."""
_READ_BYTES = 1 << 18
_NAME = lazily(r"[0-9a-f]{32}")
_HASH = lazily(rf"[0-9a-f]{{{_SHORTEST},{2 * _HASH_BYTES}}}")


class ArchiveError(SatchelError):
    """The archive can't be written or read; what was to be cut should be told as not archived."""

    def __init__(self, folder: Path, reason: str) -> None:
        self.folder, self.reason = folder, reason
        super().__init__(f"{folder}: {reason}; name another folder with --store or SATCHEL_STATE_DIR")


class Entry(NamedTuple):
    """One text of the archive."""

    hash: str
    stored_bytes: int
    """Bytes on disk, compressed."""
    used: float
    """Seconds since the epoch when it was put there last."""


class Writer:
    """Takes a text in pieces; nothing is in the archive before `close`."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._path = new_name(archive.folder)
        with _told(archive.folder):
            make_private_folder(archive.folder)
            self._file: IO[bytes] = create_private(self._path)
        self._hash = hashlib.blake2b(digest_size=_HASH_BYTES)
        self._zip = zlib.compressobj(1)

    def write(self, content: bytes) -> None:
        """Append bytes of UTF-8 that hold no secret."""
        self._hash.update(content)
        with _told(self._archive.folder, self.abandon):
            self._file.write(self._zip.compress(content))

    def close(self) -> str:
        """Put the text into the archive; return its hash."""
        hash_ = self._hash.hexdigest()
        with _told(self._archive.folder, self.abandon):
            self._file.write(self._zip.flush())
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            place = self._archive.place(hash_)
            make_private_folder(place.parent)
            self._path.replace(place)
            _settle(place.parent)
        return hash_

    def abandon(self) -> None:
        """Forget what was written."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._path.unlink(missing_ok=True)


class Archive:
    """Texts in one folder: compressed, readable by their owner only, verified when they are read.

    Args:
        folder: where they are kept; made when the first text is put there.
        clock: seconds since the epoch.
        scanners: what finds secrets beside what satchel finds; None for what is installed.
    """

    def __init__(
        self,
        folder: Path,
        *,
        clock: Callable[[], float] = time.time,
        scanners: Scanners | None = NO_SCANNERS,
    ) -> None:
        self.folder = folder
        self._clock = clock
        self._scanners = scanners

    @classmethod
    def usual(cls, store: str | Path | None = None, scanners: Scanners | None = None) -> Archive:
        """Return the archive below `store`, or below the user's state folder."""
        return cls((expanded(store, "--store") if store else state_folder()) / "archive", scanners=scanners)

    @property
    def scanners(self) -> Scanners:
        """The scanners that look at what is put here and at what is read; found when first asked for."""
        if self._scanners is None:
            from satchel.scanners import own_scanners

            self._scanners = own_scanners()
        return self._scanners

    def put(self, text: str) -> str:
        """Keep a text, redacted; return the hash under which `get` finds it.

        Raises:
            ArchiveError: the folder can't be written.
        """
        return self.put_clean(self.scanners.redact(text).text)

    def put_clean(self, text: str) -> str:
        """Keep a text that is redacted already; return its hash."""
        content = text.encode("utf-8", "surrogatepass")
        hash_ = hashlib.blake2b(content, digest_size=_HASH_BYTES).hexdigest()
        if self._touched(hash_):
            return hash_
        writer = self.writer()
        writer.write(content)
        return writer.close()

    def writer(self) -> Writer:
        """Return a writer for a text of any size, which must be redacted already."""
        self._prune_daily()
        return Writer(self)

    def get(self, hash_: str) -> str:
        """Return the text of a hash or of its first 8 digits and more.

        Raises:
            PointerError: it is not kept (any more), it is damaged, or two texts begin so.
        """
        return self._shown(b"".join(self.chunks(hash_)))

    def chunks(self, hash_: str) -> Iterator[bytes]:
        """Yield the bytes of a text; a damaged one raises PointerError at its end."""
        whole = self.find(hash_)
        check = hashlib.blake2b(digest_size=_HASH_BYTES)
        try:
            for chunk in _unzipped(self.place(whole)):
                check.update(chunk)
                yield chunk
        except (OSError, zlib.error) as error:
            raise PointerError(f"blob:{hash_}", f"can't be read from {self.folder}: {error}") from error
        if check.hexdigest() != whole:
            raise PointerError(f"blob:{hash_}", f"is damaged in {self.folder}; run the command again")

    def lines(self, hash_: str, first: int, last: int) -> str:
        """Return lines `first` to `last` of a text, counted from 1, both inclusive, as they stand."""
        kept: list[bytes] = []
        at = 1
        for chunk in self.chunks(hash_):
            for piece in _lines_of(chunk) if at <= last else ():
                if first <= at <= last:
                    kept.append(piece)
                at += piece.endswith(b"\n")
        return self._shown(b"".join(kept))

    def _shown(self, content: bytes) -> str:
        """Return kept text; rules and scanners that are newer than it have their say."""
        return self.scanners.redact(content.decode("utf-8", "surrogatepass")).text

    def has(self, hash_: str) -> bool:
        """Whether a text of that hash, or of one that begins so, is kept."""
        try:
            return bool(self.find(hash_))
        except PointerError:
            return False

    def find(self, hash_: str) -> str:
        """Return the whole hash of a kept text from its first digits."""
        written = f"blob:{hash_}"
        if not _HASH.fullmatch(hash_):
            raise PointerError(written, f"is no hash; write {_SHORTEST} or more of its hexadecimal digits")
        try:
            names = os.listdir(self.folder / hash_[:2])
        except OSError:
            names = []
        found = [name for name in names if name.startswith(hash_) and _NAME.fullmatch(name)]
        if len(found) > 1:
            raise PointerError(written, "is short for several texts; write more of its digits")
        if not found:
            raise PointerError(written, f"is not kept in {self.folder}")
        return found[0]

    def place(self, hash_: str) -> Path:
        """Return the file of a whole hash."""
        return self.folder / hash_[:2] / hash_

    def show(self) -> list[Entry]:
        """Return what is kept, newest first."""
        found = []
        for path in self.folder.glob("??/*"):
            if _NAME.fullmatch(path.name):
                with contextlib.suppress(OSError):
                    stat = path.stat()
                    found.append(Entry(path.name, stat.st_size, stat.st_mtime))
        return sorted(found, key=lambda entry: (-entry.used, entry.hash))

    def prune(
        self,
        *,
        oldest_seconds: float = OLDEST_SECONDS,
        most_bytes: int = MOST_BYTES,
        keep: Collection[str] = (),
    ) -> list[Entry]:
        """Remove texts that are too old, then the oldest until the rest fits; return what went.

        Args:
            oldest_seconds: age from which a text goes.
            most_bytes: bytes on disk that may stay.
            keep: hashes that stay whatever they cost: what a session needs.
        """
        now, total, gone = self._clock(), 0, []
        for entry in self.show():
            total += entry.stored_bytes
            stale = now - entry.used > oldest_seconds or total > most_bytes
            if stale and entry.hash not in keep:
                total -= entry.stored_bytes
                gone.append(entry)
        with _told(self.folder):
            for entry in gone:
                self.place(entry.hash).unlink(missing_ok=True)
            for path in self.folder.glob(".new-*"):
                if now - path.stat().st_mtime > _DAY_SECONDS:
                    path.unlink(missing_ok=True)
        return gone

    def needed(self) -> set[str]:
        """Return the hashes of kept texts that a session beside the archive points to.

        Raises:
            SatchelError: a store of sessions can't be read.
        """
        from satchel.session.sqlite import needed

        found = set()
        for hash_ in needed(self.folder.parent):
            with contextlib.suppress(PointerError):
                found.add(self.find(hash_))
        return found

    def _touched(self, hash_: str) -> bool:
        """Make a text that is kept already the newest; tell whether there is one."""
        try:
            os.utime(self.place(hash_), (self._clock(), self._clock()))
            return all(True for _ in self.chunks(hash_))
        except (OSError, PointerError):
            return False

    def _prune_daily(self) -> None:
        stamp = self.folder / ".pruned"
        # Where a store of sessions can't tell what it needs, nothing goes.
        with contextlib.suppress(OSError, SatchelError):
            age = self._clock() - stamp.stat().st_mtime if stamp.exists() else 2.0 * _DAY_SECONDS
            if self.folder.is_dir() and not 0 <= age <= _DAY_SECONDS:
                stamp.touch(mode=0o600)
                self.prune(keep=self.needed())


@contextlib.contextmanager
def _told(folder: Path, undo: Callable[[], None] | None = None) -> Iterator[None]:
    """Turn an OSError into an ArchiveError, after `undo`."""
    try:
        yield
    except OSError as error:
        if undo:
            undo()
        raise ArchiveError(folder, f"can't be written: {reason_of(error, folder)}") from error


def _settle(folder: Path) -> None:
    """Have a folder's new names reach the disk; not every system can."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _lines_of(chunk: bytes) -> list[bytes]:
    """Return the lines of some bytes with their line feeds; no other character ends a line."""
    lines = [line + b"\n" for line in chunk.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines


def _unzipped(path: Path) -> Iterator[bytes]:
    """Yield a file's text in pieces of bounded size, whatever its rate of compression."""
    reader = zlib.decompressobj()
    with open_private(path) as file:
        while not reader.eof:
            packed = reader.unconsumed_tail or file.read(_READ_BYTES)
            if not packed:
                raise zlib.error("it ends too early")
            yield reader.decompress(packed, _READ_BYTES)
