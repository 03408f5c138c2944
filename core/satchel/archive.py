"""The archive: stores cut text by the hash of its content, so that every cut can be undone."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from satchel.errors import PointerError, SatchelError
from satchel.parts import NO_LINES
from satchel.patterns import lazily
from satchel.pointers import Pointer
from satchel.private_files import (
    create_private,
    make_private_folder,
    new_name,
    open_private,
    reason_of,
    sync_folder,
)
from satchel.redaction.scanning import NO_SCANNERS, Scanners
from satchel.spelling import format_count, join_reason

OLDEST_SECONDS = 30 * 86_400
MOST_BYTES = 1 << 30
_DAY_SECONDS = 86_400
HASH_BYTES = 16
_SHORTEST = 8
"""Hexadecimal digits that a shortened hash needs."""
_READ_BYTES = 1 << 18
_NAME = lazily(r"[0-9a-f]{32}")
_HASH = lazily(rf"[0-9a-f]{{{_SHORTEST},{2 * HASH_BYTES}}}")


class ArchiveError(SatchelError):
    """The archive can't be written or read; report the cut as not archived."""

    def __init__(self, folder: Path | str, reason: str) -> None:
        self.folder, self.reason = folder, reason
        told = join_reason(str(folder), reason)
        super().__init__(f"{told}; name another folder with --store or SATCHEL_STATE_DIR")


class ArchiveEntry(NamedTuple):
    """One text of the archive."""

    hash: str
    stored_bytes: int
    """Bytes on disk, compressed."""
    used: float
    """Seconds since the epoch when it was last stored."""


class ArchiveWriter:
    """Write a text in pieces; it enters the archive on `close`."""

    def __init__(self, archive: TextFolder) -> None:
        self._archive = archive
        self._path = new_name(archive.folder)
        with _wrap_write_errors(archive.folder):
            make_private_folder(archive.folder)
            self._file: IO[bytes] = create_private(self._path)
        self._hash = hashlib.blake2b(digest_size=HASH_BYTES)
        self._zip = zlib.compressobj(1)

    def write(self, content: bytes) -> None:
        """Append UTF-8 bytes, which must hold no secret."""
        self._hash.update(content)
        with _wrap_write_errors(self._archive.folder, self.abandon):
            self._file.write(self._zip.compress(content))

    def close(self) -> str:
        """Put the text into the archive; return its hash."""
        hash_ = self._hash.hexdigest()
        with _wrap_write_errors(self._archive.folder, self.abandon):
            self._file.write(self._zip.flush())
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            place = self._archive.place(hash_)
            make_private_folder(place.parent)
            self._path.replace(place)
            with contextlib.suppress(OSError):  # a system may not be able to
                sync_folder(place.parent)
        return hash_

    def abandon(self) -> None:
        """Discard the written bytes."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._path.unlink(missing_ok=True)


class TextFolder:
    """Texts in one folder, each under the hash of its bytes: compressed, readable by their owner only.

    Args:
        folder: where they are stored; created with the first text.
        clock: seconds since the epoch.
    """

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.time) -> None:
        self.folder = folder
        self._clock = clock

    @property
    def place_name(self) -> str:
        """Return the name of the texts' place."""
        return str(self.folder)

    def writer(self) -> ArchiveWriter:
        """Return a writer for a text of any size, which must already be redacted."""
        self._prune_daily()
        return ArchiveWriter(self)

    def chunks(self, hash_: str) -> Iterator[bytes]:
        """Yield the bytes of a text; raise PointerError at its end if it is damaged."""
        whole = self.find(hash_)
        check = hashlib.blake2b(digest_size=HASH_BYTES)
        try:
            for chunk in _decompress_file(self.place(whole)):
                check.update(chunk)
                yield chunk
        except (OSError, zlib.error) as error:
            raise PointerError(f"blob:{hash_}", f"can't be read from {self.folder}: {error}") from error
        if check.hexdigest() != whole:
            raise PointerError(f"blob:{hash_}", f"is damaged in {self.folder}; run the command again")

    def find(self, hash_: str) -> str:
        """Return the full hash of a stored text from its first digits."""
        written = f"blob:{hash_}"
        if not is_hash(hash_):
            raise PointerError(written, f"is not a hash; give {_SHORTEST} or more of its hexadecimal digits")
        try:
            names = os.listdir(self.folder / hash_[:2])
        except OSError:
            names = []
        found = [name for name in names if name.startswith(hash_) and _NAME.fullmatch(name)]
        if len(found) > 1:
            raise PointerError(written, "matches several texts; give more of its digits")
        if not found:
            raise PointerError(written, f"is not in {self.folder}")
        return found[0]

    def place(self, hash_: str) -> Path:
        """Return the file of a full hash."""
        return self.folder / hash_[:2] / hash_

    def show(self) -> list[ArchiveEntry]:
        """Return the stored texts, newest first."""
        found = []
        for path in self.folder.glob("??/*"):
            if _NAME.fullmatch(path.name):
                with contextlib.suppress(OSError):
                    stat = path.stat()
                    found.append(ArchiveEntry(path.name, stat.st_size, stat.st_mtime))
        return sorted(found, key=lambda entry: (-entry.used, entry.hash))

    def prune(
        self,
        *,
        oldest_seconds: float = OLDEST_SECONDS,
        most_bytes: int = MOST_BYTES,
        keep: Collection[str] = (),
    ) -> list[ArchiveEntry]:
        """Remove texts that are too old, then the oldest until the rest fits; return the removed entries.

        Args:
            oldest_seconds: age from which a text is removed.
            most_bytes: bytes on disk that may stay.
            keep: hashes that always stay: those that a session needs.
        """
        now, total, gone = self._clock(), 0, []
        for entry in self.show():
            total += entry.stored_bytes
            stale = now - entry.used > oldest_seconds or total > most_bytes
            if stale and entry.hash not in keep:
                total -= entry.stored_bytes
                gone.append(entry)
        self.remove([entry.hash for entry in gone])
        return gone + self._prune_rest(oldest_seconds, most_bytes)

    def _prune_rest(self, oldest_seconds: float, most_bytes: int) -> list[ArchiveEntry]:
        """Remove other files that are no longer needed; return the removed entries."""
        with _wrap_write_errors(self.folder):
            for path in self.folder.glob(".new-*"):
                if self._clock() - path.stat().st_mtime > _DAY_SECONDS:
                    path.unlink(missing_ok=True)
        return []

    def remove(self, hashes: Sequence[str]) -> None:
        """Remove stored texts by their whole hashes."""
        with _wrap_write_errors(self.folder):
            for hash_ in hashes:
                self.place(hash_).unlink(missing_ok=True)

    def find_needs(self) -> set[str]:
        """Return the hashes of stored texts that sessions point to: in the same folder, and of the user.

        Raises:
            SatchelError: a session store can't be read.
        """
        from satchel.session.places import list_all_needed

        found = set()
        for hash_ in list_all_needed(self.folder.parent):
            with contextlib.suppress(PointerError):
                found.add(self.find(hash_))
        return found

    def _touch(self, hash_: str) -> bool:
        """Mark a stored text as the newest; return whether it exists and is intact."""
        try:
            os.utime(self.place(hash_), (self._clock(), self._clock()))
            return all(True for _ in self.chunks(hash_))
        except (OSError, PointerError):
            return False

    def _prune_daily(self) -> None:
        stamp = self.folder / ".pruned"
        # Remove nothing where a session store can't say what it needs.
        with contextlib.suppress(OSError, SatchelError):
            age = self._clock() - stamp.stat().st_mtime if stamp.exists() else 2.0 * _DAY_SECONDS
            if self.folder.is_dir() and not 0 <= age <= _DAY_SECONDS:
                stamp.touch(mode=0o600)
                self.prune(keep=self.find_needs())


class Archive(TextFolder):
    """Texts without secrets: redacted before they are stored, and again when they are read.

    Args:
        folder: where they are stored; created with the first text.
        clock: seconds since the epoch.
        scanners: plugins that find secrets in addition to satchel; None for all installed ones.
    """

    def __init__(
        self, folder: Path, *, clock: Callable[[], float] = time.time, scanners: Scanners | None = NO_SCANNERS
    ) -> None:
        super().__init__(folder, clock=clock)
        self._scanners = scanners

    @property
    def scanners(self) -> Scanners:
        """Return the scanners for texts that are stored or read; loaded on first use."""
        if self._scanners is None:
            from satchel.installed import make_user_scanners

            self._scanners = make_user_scanners()
        return self._scanners

    def put(self, text: str) -> str:
        """Redact and store a text; return the hash under which `get` finds it.

        Raises:
            ArchiveError: the folder can't be written.
        """
        return self.put_clean(self.scanners.redact(text).text)

    def put_clean(self, text: str) -> str:
        """Store a text that is already redacted; return its hash."""
        content = text.encode("utf-8", "surrogatepass")
        hash_ = hashlib.blake2b(content, digest_size=HASH_BYTES).hexdigest()
        if self._touch(hash_):
            return hash_
        writer = self.writer()
        writer.write(content)
        return writer.close()

    def get(self, hash_: str) -> str:
        """Return the text of a hash, which may be shortened to 8 digits or more.

        Raises:
            PointerError: it is not stored (any more), is damaged, or the digits match two texts.
        """
        return self._decode_and_redact(b"".join(self.chunks(hash_)))

    def lines(self, hash_: str, first: int, last: int) -> str:
        """Return lines `first` to `last` of a text, counted from 1, both inclusive, unchanged.

        Raises:
            PointerError: the text has fewer lines than `first`, or `get` would raise it.
        """
        kept: list[bytes] = []
        at, is_open = 1, False
        for chunk in self.chunks(hash_):
            for piece in io.BytesIO(chunk) if at <= last else ():  # no other character ends a line
                if first <= at <= last:
                    kept.append(piece)
                is_open = not piece.endswith(b"\n")
                at += not is_open
        lines = at - 1 + is_open
        if first > max(1, lines):
            raise PointerError(f"blob:{hash_}:{first}-{last}", f"the text has {format_count(lines, 'line')}")
        return self._decode_and_redact(b"".join(kept))

    def read(self, pointer: Pointer) -> str:
        """Return the text of a pointer to a blob: the whole, lines of it, or characters of a line.

        Raises:
            PointerError: the text, or the line, is shorter, or `get` would raise it.
        """
        if pointer.lines == NO_LINES:
            return self.get(pointer.blob)
        text = self.lines(pointer.blob, *pointer.lines)
        if pointer.characters == NO_LINES:
            return text
        line, (first, last) = text.removesuffix("\n"), pointer.characters
        if first > max(1, len(line)):
            address = f"blob:{pointer.blob}:{pointer.lines[0]}@{first}-{last}"
            raise PointerError(address, f"the line has {format_count(len(line), 'character')}")
        return line[first - 1 : last]

    def has(self, hash_: str) -> bool:
        """Return whether a text with that hash, or with one that starts with it, is stored."""
        try:
            return bool(self.find(hash_))
        except PointerError:
            return False

    def _decode_and_redact(self, content: bytes) -> str:
        """Decode stored text and redact it again, because rules and scanners may be newer than it."""
        return self.scanners.redact(content.decode("utf-8", "surrogatepass")).text


def is_hash(text: str) -> bool:
    """Return whether a text may be a hash, whole or shortened."""
    return bool(_HASH.fullmatch(text))


@contextlib.contextmanager
def _wrap_write_errors(folder: Path, undo: Callable[[], None] | None = None) -> Iterator[None]:
    """Turn an OSError into an ArchiveError, after `undo`."""
    try:
        yield
    except OSError as error:
        if undo:
            undo()
        raise ArchiveError(folder, f"can't be written: {reason_of(error, folder)}") from error


def _decompress_file(path: Path) -> Iterator[bytes]:
    """Yield a file's text in pieces of bounded size, however well it is compressed."""
    reader = zlib.decompressobj()
    with open_private(path) as file:
        while not reader.eof:
            packed = reader.unconsumed_tail or file.read(_READ_BYTES)
            if not packed:
                raise zlib.error("it ends too early")
            yield reader.decompress(packed, _READ_BYTES)
