"""A shared archive: its texts are blobs at an address; this machine keeps the texts it read."""

from __future__ import annotations

import contextlib
import hashlib
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from satchel.addresses import TEXTS, find_opener, list_schemes, make_scheme_error, scheme_of
from satchel.archive import (
    HASH_BYTES,
    Archive,
    ArchiveEntry,
    ArchiveError,
    ArchiveWriter,
    TextFolder,
    is_hash,
)
from satchel.errors import PointerError, SatchelError, UsageError
from satchel.interfaces import INDEX_PREFIX, SNAPSHOT_PREFIX, Blobs
from satchel.private_files import expand_path, make_private_folder, name_for, replacing, state_folder
from satchel.redaction.scanning import NO_SCANNERS, Scanners

_KEYS = "texts/"
"""Prefix of the keys of texts, so that other blobs can be kept beside them."""


class _SharedWriter(ArchiveWriter):
    """Writes a text into the folder of this machine, then to the shared address."""

    def __init__(self, archive: SharedArchive) -> None:
        super().__init__(archive)
        self._shared = archive

    def close(self) -> str:
        """Put the text into both archives; return its hash."""
        hash_ = super().close()
        self._shared.share(hash_)
        return hash_


class SharedArchive(Archive):
    """Texts at an address, compressed and without secrets, verified whenever they are read.

    Args:
        folder: this machine's copies of texts it wrote and read.
        blobs: the shared place.
        scanners: plugins that find secrets in addition to satchel; None for all installed ones.
    """

    def __init__(self, folder: Path, blobs: Blobs, *, scanners: Scanners | None = NO_SCANNERS) -> None:
        super().__init__(folder, scanners=scanners)
        self._blobs = blobs
        self._sure: set[str] = set()
        """Hashes of texts at the address that this archive has put or compared itself."""

    @property
    def place_name(self) -> str:
        """Return the name of the texts' place."""
        return self._blobs.place

    def writer(self) -> ArchiveWriter:
        """Return a writer for a text of any size, which must already be redacted."""
        self._prune_daily()
        return _SharedWriter(self)

    def chunks(self, hash_: str) -> Iterator[bytes]:
        """Yield the bytes of a text; a copy that is missing or damaged on this machine is fetched anew."""
        whole = self.find(hash_)
        try:
            is_whole = _hash_unpacked(self.place(whole).read_bytes()) == whole
        except OSError:
            is_whole = False
        if not is_whole:
            self._fetch(whole)
        return super().chunks(whole)

    def find(self, hash_: str) -> str:
        """Return the full hash of a stored text from its first digits."""
        with contextlib.suppress(PointerError):
            return super().find(hash_)
        if not is_hash(hash_):
            return super().find(hash_)
        with self._explain():
            found = sorted(one.key.rpartition("/")[2] for one in self._blobs.list(_key(hash_)))
        if len(found) > 1:
            raise PointerError(f"blob:{hash_}", "matches several texts; give more of its digits")
        if not found or not is_hash(found[0]):
            raise PointerError(f"blob:{hash_}", f"is not in {self._blobs.place}")
        return found[0]

    def show(self) -> list[ArchiveEntry]:
        """Return the texts at the address, newest first."""
        with self._explain():
            found = [
                ArchiveEntry(one.key.rpartition("/")[2], one.bytes, one.used)
                for one in self._blobs.list(_KEYS)
            ]
        return sorted(found, key=lambda entry: (-entry.used, entry.hash))

    def _prune_rest(self, oldest_seconds: float, most_bytes: int) -> list[ArchiveEntry]:
        """Remove old texts of this machine, old shared snapshots, and unused segments of shared indexes."""
        gone = super()._prune_rest(oldest_seconds, most_bytes)
        with self._explain():
            kept = (one for prefix in (INDEX_PREFIX, SNAPSHOT_PREFIX) for one in self._blobs.list(prefix))
            old = [one for one in kept if self._clock() - one.used > oldest_seconds]
            for one in old:
                self._blobs.delete(one.key)
        gone += [ArchiveEntry(one.key.rpartition("/")[2], one.bytes, one.used) for one in old]
        TextFolder(self.folder, clock=self._clock).prune(oldest_seconds=oldest_seconds, most_bytes=most_bytes)
        return gone

    def share(self, hash_: str) -> None:
        """Put a text of this machine to the address, unless it is there."""
        with self._explain():
            there = self._blobs.touch(_key(hash_))
            if there and hash_ not in self._sure:  # one that is not what its hash says is put anew
                there = _hash_unpacked(self._blobs.get(_key(hash_)) or b"") == hash_
            if not there:
                self._blobs.put(_key(hash_), self.place(hash_).read_bytes())
            self._sure.add(hash_)

    def _fetch(self, hash_: str) -> None:
        with self._explain():
            content = self._blobs.get(_key(hash_))
        if content is None:
            raise PointerError(f"blob:{hash_}", f"is not in {self._blobs.place}")
        if _hash_unpacked(content) != hash_:
            raise PointerError(f"blob:{hash_}", f"is damaged in {self._blobs.place}; run the command again")
        place = self.place(hash_)
        make_private_folder(place.parent)
        with replacing(place) as file:
            file.write(content)

    def _touch(self, hash_: str) -> bool:
        if not super()._touch(hash_):
            return False
        self.share(hash_)
        return True

    def remove(self, hashes: Sequence[str]) -> None:
        """Remove texts by their whole hashes, for everyone who shares the archive."""
        with self._explain():
            for hash_ in hashes:
                self._blobs.delete(_key(hash_))
        super().remove(hashes)

    def _prune_daily(self) -> None:
        """Remove old texts of this machine alone: shared texts are pruned on request only."""
        TextFolder(self.folder, clock=self._clock)._prune_daily()

    @contextlib.contextmanager
    def _explain(self) -> Iterator[None]:
        """Turn failures of the address into an ArchiveError, so that a cut is reported as not archived."""
        try:
            yield
        except (ArchiveError, PointerError):
            raise
        except SatchelError as error:
            raise ArchiveError(self._blobs.place, getattr(error, "reason", str(error))) from error


def _key(hash_: str) -> str:
    return f"{_KEYS}{hash_[:2]}/{hash_}"


def _hash_unpacked(content: bytes) -> str:
    """Return the hash of a compressed text, "" if it is damaged."""
    check, reader = hashlib.blake2b(digest_size=HASH_BYTES), zlib.decompressobj()
    try:
        while content and not reader.eof:
            check.update(reader.decompress(content, 1 << 20))
            content = reader.unconsumed_tail
    except zlib.error:
        return ""
    return check.hexdigest() if reader.eof else ""


def open_archive(store: str | Path | None = None, scanners: Scanners | None = None) -> Archive:
    """Return the archive below `store`, or at it if it is an address.

    Without `store` it is the one in the user's configuration, else below the user's state folder.

    Raises:
        UsageError: no installed plugin knows the scheme of an address.
    """
    if scheme_of(store) == "sqlite":
        store = str(store).partition("://")[2]
    for place in (store, _read_configured_place() if store is None or _is_address(store) else None):
        if place and _is_address(place):
            if (shared := _open_at(str(place), scanners)) is not None:
                return shared
        elif place:
            return Archive(expand_path(place, "--store") / "archive", scanners=scanners)
    return Archive(state_folder() / "archive", scanners=scanners)


def open_blobs(address: str) -> Blobs:
    """Open the place of blobs at an address.

    Raises:
        UsageError: it is not an address, or no installed plugin knows its scheme.
        StoreError: it can't be used.
    """
    from satchel.host.kinds import PluginKind

    if not _is_address(address):
        told = (
            "is not an address; name one that others reach too, such as s3://bucket/prefix or file:///folder"
        )
        raise UsageError(f"{address} {told}")
    opener = find_opener(PluginKind.BLOB_STORE, scheme_of(address))
    if opener is None:
        raise make_scheme_error(address, TEXTS, list_schemes(PluginKind.BLOB_STORE))
    blobs: Blobs = opener.open(address)
    return blobs


def borrow_blobs(address: str) -> AbstractContextManager[Blobs | None]:
    """Open the place of blobs at an address for the duration of a block; None without an address."""
    return contextlib.closing(open_blobs(address)) if address else contextlib.nullcontext()


def _is_address(place: str | Path) -> bool:
    """Return whether a place is an address and not a folder."""
    return bool(scheme_of(place))


def _read_configured_place() -> str:
    from satchel import config as configuration

    return configuration.load(None, env=os.environ).archive


def _open_at(address: str, scanners: Scanners | None) -> Archive | None:
    """Return the archive at an address, None if its scheme keeps sessions but no texts.

    Raises:
        UsageError: no installed plugin knows the scheme.
    """
    from satchel.host.kinds import PluginKind

    opener = find_opener(PluginKind.BLOB_STORE, scheme_of(address))
    if opener is not None:
        blobs: Blobs = opener.open(address)
        folder = state_folder() / "shared" / name_for(blobs.place) / "archive"
        return SharedArchive(folder, blobs, scanners=scanners)
    if find_opener(PluginKind.SESSION_STORE, scheme_of(address)) is not None:
        return None
    known = {*list_schemes(PluginKind.BLOB_STORE), *list_schemes(PluginKind.SESSION_STORE)}
    raise make_scheme_error(address, TEXTS, sorted(known))
