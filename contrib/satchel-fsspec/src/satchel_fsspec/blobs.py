"""Blobs as files below a folder or a prefix, each put whole or not at all."""

from __future__ import annotations

import contextlib
import datetime
import os
import stat
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped]
from satchel.plugin_api import Blob, StoreError, hide_password, make_private_folder, replacing

_NEW = ".new-"
"""What files begin with that are not whole yet."""
_FRESH_SECONDS = 86_400.0
_TIMES = ("mtime", "LastModified", "last_modified", "updated", "created")
"""Where file systems tell the time of a file."""
_RENAMED = frozenset({"sftp", "ssh", "ftp"})
"""Protocols whose files grow while they are written, so that they are renamed when they are whole."""


class FileBlobs:
    """The blobs below a path of a file system."""

    def __init__(self, system: Any, root: str, place: str) -> None:
        self._system, self._root, self.place = system, root.rstrip("/"), place
        protocol = system.protocol
        names = {protocol} if isinstance(protocol, str) else set(protocol)
        self._is_local, self._is_renamed = "file" in names, bool(names & _RENAMED)

    def put(self, key: str, content: bytes) -> None:
        """Keep the bytes under a key, in place of those that were there."""
        path = self._path(key)
        with self._explain(), self._explain_missing():
            if self._is_local:
                with replacing(Path(path), mode=self._make_folder(Path(path).parent)) as file:
                    file.write(content)
            elif self._is_renamed:
                folder, _, name = path.rpartition("/")
                new = f"{folder}/{_NEW}{os.urandom(8).hex()}-{name}"
                self._system.makedirs(folder, exist_ok=True)
                self._system.pipe_file(new, content)
                self._system.mv(new, path)
            else:  # an object is there when it was sent completely
                self._system.pipe_file(path, content)

    def _make_folder(self, folder: Path) -> int:
        """Make a folder of this machine for whoever may use the place's; return the rights of its files.

        A place that is not there yet is made for the user alone.
        """
        root = Path(self._root)
        if not root.exists():
            make_private_folder(root)
        rights = stat.S_IMODE(root.stat().st_mode)
        for missing in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
            new = missing.with_name(f"{_NEW}{os.urandom(8).hex()}")
            new.mkdir()
            new.chmod(rights)
            try:
                new.rename(missing)  # with its rights from the first moment on
            except OSError:
                new.rmdir()
                if not missing.is_dir():  # else another was quicker
                    raise
        return rights & 0o666

    def get(self, key: str) -> bytes | None:
        """Return the bytes of a key, None where there are none."""
        with self._explain():
            try:
                return bytes(self._system.cat_file(self._path(key)))
            except FileNotFoundError:
                return None

    def touch(self, key: str) -> bool:
        """Make a blob the newest, at most once a day where that means to send it again."""
        with self._explain():
            path = self._path(key)
            if self._is_local:
                try:
                    os.utime(path)
                except FileNotFoundError:
                    return False
                return True
            try:
                self._system.invalidate_cache()
                found = self._system.info(path)
            except FileNotFoundError:
                return False
            if time.time() - _time_of(found) < _FRESH_SECONDS:
                return True
        content = self.get(key)
        if content is None:
            return False
        self.put(key, content)
        return True

    def list(self, prefix: str = "") -> Iterator[Blob]:
        """Yield the blobs whose keys begin with a text, in any order."""
        folder = prefix.rpartition("/")[0]
        start = f"{self._root}/{folder}".rstrip("/")
        with self._explain():
            self._system.invalidate_cache()
            try:
                found: Mapping[str, Mapping[str, Any]] = self._system.find(start, detail=True)
            except FileNotFoundError:
                return
        for path, facts in found.items():
            key = path.removeprefix(self._root).lstrip("/")
            hidden = key.rpartition("/")[2].startswith(_NEW)
            if key.startswith(prefix) and facts["type"] == "file" and not hidden:
                yield Blob(key, int(facts["size"] or 0), _time_of(facts))

    def delete(self, key: str) -> None:
        """Remove a blob, where it is there."""
        with self._explain(), contextlib.suppress(FileNotFoundError):
            self._system.rm_file(self._path(key))

    def close(self) -> None:
        """Hold nothing open: fsspec keeps its connections for the process."""

    def _path(self, key: str) -> str:
        return f"{self._root}/{key}"

    @contextlib.contextmanager
    def _explain_missing(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            reason = f"there is no such bucket or folder ({_first_line(error)}); make it, or name another"
            raise StoreError(self.place, reason) from error

    @contextlib.contextmanager
    def _explain(self) -> Iterator[None]:
        """Turn what a file system raises, each its own errors, into a StoreError that says what to do."""
        try:
            yield
        except (StoreError, FileNotFoundError):
            raise
        except Exception as error:
            raise StoreError(self.place, describe_error(error)) from error


def open_blobs(address: str, options: Mapping[str, Any]) -> FileBlobs:
    """Open the place of blobs at an address.

    Raises:
        StoreError: its file system is not installed, or does not understand the address or the options.
    """
    place = hide_password(address)
    try:
        system, root = fsspec.core.url_to_fs(address, **options)
    except ImportError as error:
        raise StoreError(place, describe_error(error)) from error
    except (ValueError, TypeError, KeyError) as error:
        reason = f"is not an address or has options that fsspec does not understand: {_first_line(error)}"
        raise StoreError(place, reason) from error
    except Exception as error:  # some file systems connect at once, each raises its own errors
        raise StoreError(place, describe_error(error)) from error
    return FileBlobs(system, root, place)


def describe_error(error: BaseException) -> str:
    """Return in one line what is wrong and what to do."""
    if isinstance(error, ImportError):
        return f"its file system is not installed ({_first_line(error)}); pip install what it names"
    if isinstance(error, PermissionError) or "credential" in type(error).__name__.lower():
        return f"this machine may not do that there ({_first_line(error)}); check its credentials and rights"
    if isinstance(error, TimeoutError | ConnectionError) or "connect" in type(error).__name__.lower():
        return f"can't be reached ({_first_line(error)}); check the address and the network, and try again"
    if isinstance(error, OSError) and "no space" in str(error).lower():
        return "the disk there is full; nothing was kept, make room"
    return f"can't be used: {type(error).__name__}: {_first_line(error)}"


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:300]


def _time_of(facts: Mapping[str, Any]) -> float:
    """Return seconds since the epoch of a file's last change; now where its file system does not tell."""
    told = next((facts[name] for name in _TIMES if facts.get(name) is not None), None)
    if isinstance(told, datetime.datetime):
        aware = told if told.tzinfo else told.replace(tzinfo=datetime.UTC)
        return aware.timestamp()
    if isinstance(told, str):
        return datetime.datetime.fromisoformat(told).timestamp()
    return float(told) if isinstance(told, int | float) else time.time()
