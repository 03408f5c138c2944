"""Which instruction files the person has looked at and trusts: by real path and content, in their own folder.

A file inside a workspace can ask for nothing here: only a call of `trust` by the person changes the
store, and a file that changes by one byte afterwards is not trusted any more.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from satchel.errors import WorkspaceError
from satchel.private_files import expanded, make_private_folder, read_private, replacing, why_foreign
from satchel.showing.hidden import visible
from satchel.showing.marks import quoted
from satchel.workspace.places import state_folder

__all__ = ["TrustStore", "distrust", "quoted", "store_file", "trust", "visible"]

_MOST_BYTES = 4 << 20
_LARGEST_DOCUMENT = 8 << 20


def store_file(env: Mapping[str, str] | None = None) -> Path:
    """Return where the store stands: in `SATCHEL_STATE_DIR`, or `satchel` in the user's state folder."""
    return state_folder(env) / "trust.json"


class TrustStore(NamedTuple):
    """Real paths, each with the hash of the content that is trusted."""

    hashes: Mapping[str, str]
    problem: str = ""
    """Why what stands there is not believed, "" where it is, or where there is none."""

    @classmethod
    def read(cls, file: Path | None = None) -> TrustStore:
        """Read the store; where it is damaged, or others may have written it, nothing is trusted."""
        path = file or store_file()
        try:
            table: object = json.loads(read_private(path, most_bytes=_MOST_BYTES))
        except FileNotFoundError:
            return cls({}, _no_trust(path, why_foreign(path)))
        except OSError as error:
            is_nowhere = error.errno in (errno.ENOTDIR, errno.ENAMETOOLONG)
            return cls({}, "" if is_nowhere else _no_trust(path, error.strerror or str(error)))
        except (ValueError, RecursionError):
            return cls({}, _no_trust(path, "is damaged; remove it"))
        known = table.get("trusted") if isinstance(table, dict) else None
        if not isinstance(known, dict):
            return cls({}, _no_trust(path, "is damaged; remove it"))
        return cls({path: hash_ for path, hash_ in known.items() if isinstance(hash_, str)})

    def knows(self, path: str | Path, data: bytes) -> bool:
        """Tell whether the person trusts this file as it is now."""
        return self.hashes.get(_real(path)) == _hash(data)


def trust(path: str | Path, *, file: Path | None = None) -> None:
    """Trust an instruction file with the content that it has now.

    Raises:
        WorkspaceError: it can't be read, is too large, or the store can't be written.
    """
    real = _real(path)
    try:
        with open(real, "rb") as stream:
            data = stream.read(_LARGEST_DOCUMENT + 1)
    except OSError as error:
        raise WorkspaceError(real, f"can't be read: {error.strerror}") from error
    if len(data) > _LARGEST_DOCUMENT:
        raise WorkspaceError(real, "is too large to be instructions")
    target = file or store_file()
    _write(target, {**TrustStore.read(target).hashes, real: _hash(data)})


def distrust(path: str | Path, *, file: Path | None = None) -> None:
    """Take a file's trust back; one that is not trusted stays so.

    Raises:
        WorkspaceError: the store can't be written.
    """
    target = file or store_file()
    known, real = TrustStore.read(target).hashes, _real(path)
    if real in known:
        _write(target, {name: hash_ for name, hash_ in known.items() if name != real})


def _real(path: str | Path) -> str:
    return os.path.realpath(expanded(path))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _no_trust(path: Path, reason: str) -> str:
    return reason and f"{path}: {reason}; no instruction file is trusted"


def _write(file: Path, hashes: Mapping[str, str]) -> None:
    """Replace the store at once, readable by its owner alone."""
    text = json.dumps({"version": 1, "trusted": dict(sorted(hashes.items()))}, indent=1)
    try:
        make_private_folder(file.parent)
        with replacing(file) as stream:
            stream.write(text.encode("ascii"))
    except OSError as error:
        raise WorkspaceError(str(error.filename or file), f"can't be written: {error.strerror}") from error
