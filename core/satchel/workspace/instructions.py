"""Instruction files: which ones the user trusts, and which files are read-only.

Files in a workspace have no influence here: only a call of `trust` by the user changes the store, and a
file that changes by one byte is no longer trusted.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from satchel.errors import WorkspaceError
from satchel.paths import relative_path
from satchel.private_files import (
    expand_path,
    make_private_folder,
    read_private,
    replacing,
    state_folder,
    why_foreign,
)
from satchel.spelling import join_reason
from satchel.workspace.files.ignoring import compile_glob, literal_length

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host


def is_read_only(
    path: str | Path, root: str | Path = ".", *, config: Config | None = None, host: Host | None = None
) -> bool:
    """Return whether a provider's settings list a file as read-only; editors should ask before a change.

    Args:
        path: below the root, or relative to it; it need not exist yet.
        root: the workspace's folder.
        config: the configuration; by default read as `pack` does.
        host: the plugins; all installed ones by default.

    Raises:
        ConfigError: the configuration has errors.
    """
    from satchel.installed import find_plugins, list_read_only

    if config is None:
        from satchel import config as configuration

        config = configuration.load(Path(root), env=os.environ)
    patterns = list_read_only(config, host or find_plugins(config))
    try:
        relative = relative_path(Path(root), os.fspath(path))
    except WorkspaceError:
        return False
    return any(match_paths(pattern, [relative]) for pattern in patterns)


def match_paths(pattern: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that match a path or a glob, in order; `docs/` matches everything below it."""
    wanted = pattern.strip().removeprefix("./")
    if wanted.endswith("/"):
        wanted += "**"
    encoded = os.fsencode(wanted)
    if literal_length(encoded) == len(encoded):
        return [path for path in paths if path == wanted or path.startswith(f"{wanted}/")] if wanted else []
    glob = compile_glob(encoded)
    return [path for path in paths if glob.fullmatch(os.fsencode(path))]


_MOST_BYTES = 4 << 20
_LARGEST_DOCUMENT = 8 << 20


def store_file(env: Mapping[str, str] | None = None) -> Path:
    """Return the path of the store: in `SATCHEL_STATE_DIR`, or `satchel` in the user's state folder."""
    return state_folder(env) / "trust.json"


class TrustStore(NamedTuple):
    """Real paths, each with the hash of its trusted content."""

    hashes: Mapping[str, str]
    problem: str = ""
    """The reason the store is not used, "" if it is or if there is none."""

    @classmethod
    def read(cls, file: Path | None = None) -> TrustStore:
        """Read the store; if it is damaged or writable by others, nothing is trusted."""
        path = file or store_file()
        try:
            table: object = json.loads(read_private(path, most_bytes=_MOST_BYTES))
        except FileNotFoundError:
            return cls({}, _describe_problem(path, why_foreign(path)))
        except OSError as error:
            is_nowhere = error.errno in (errno.ENOTDIR, errno.ENAMETOOLONG)
            return cls({}, "" if is_nowhere else _describe_problem(path, error.strerror or str(error)))
        except (ValueError, RecursionError):
            return cls({}, _describe_problem(path, "is damaged; remove it"))
        known = table.get("trusted") if isinstance(table, dict) else None
        if not isinstance(known, dict):
            return cls({}, _describe_problem(path, "is damaged; remove it"))
        return cls({path: hash_ for path, hash_ in known.items() if isinstance(hash_, str)})

    def knows(self, path: str | Path, data: bytes) -> bool:
        """Return whether the user trusts this file with its current content."""
        return self.hashes.get(_real(path)) == _hash(data)


def trust(path: str | Path) -> None:
    """Trust an instruction file with its current content.

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
    target = store_file()
    _write(target, {**TrustStore.read(target).hashes, real: _hash(data)})


def distrust(path: str | Path) -> bool:
    """Stop trusting a file; return whether it was trusted.

    Raises:
        WorkspaceError: the store can't be written.
    """
    target = store_file()
    known, real = TrustStore.read(target).hashes, _real(path)
    if real not in known:
        return False
    _write(target, {name: hash_ for name, hash_ in known.items() if name != real})
    return True


def _real(path: str | Path) -> str:
    return os.path.realpath(expand_path(path))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _describe_problem(path: Path, reason: str) -> str:
    return reason and f"{join_reason(str(path), reason)}; no instruction file is trusted"


def _write(file: Path, hashes: Mapping[str, str]) -> None:
    """Replace the store atomically, readable only by its owner."""
    text = json.dumps({"version": 1, "trusted": dict(sorted(hashes.items()))}, indent=1)
    try:
        make_private_folder(file.parent)
        with replacing(file) as stream:
            stream.write(text.encode("ascii"))
    except OSError as error:
        raise WorkspaceError(str(error.filename or file), f"can't be written: {error.strerror}") from error
