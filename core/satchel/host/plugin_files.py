"""Plugins without packaging: files named with `--plugin`, and those in the user's own plugin folder."""

from __future__ import annotations

import importlib.util
import os
import sys
import zlib
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

from satchel.errors import Problem, UsageError
from satchel.private_files import why_not_a_persons

VARIABLE = "SATCHEL_PLUGIN_FILES"
"""Files to load as plugins, separated as in PATH; `--plugin FILE` adds to it."""
_LARGEST = 4 << 20
"""Bytes of the largest file that is loaded as a plugin."""


def plugin_folder() -> Path:
    """Return the user's own plugin folder, whose `*.py` files are loaded; never one of a workspace."""
    from platformdirs import user_config_path

    return user_config_path("satchel", appauthor=False) / "plugins"


def check_plugin_file(name: str) -> str:
    """Return the absolute path of a file to load as a plugin.

    Raises:
        UsageError: it is not a Python file that can be read.
    """
    path = Path(name).expanduser()
    if not path.is_file():
        raise UsageError(f"--plugin {name}: there is no such file")
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise UsageError(f"--plugin {name}: expected a Python file with a plain name, like owners.py")
    if os.pathsep in str(path.resolve()):
        raise UsageError(f"--plugin {name}: its path has a {os.pathsep!r}, which separates files")
    return str(path.resolve())


def named_files() -> frozenset[str]:
    """Return the names of the files that are named in the environment, as `--plugin` does."""
    return frozenset(Path(one).name for one in os.environ.get(VARIABLE, "").split(os.pathsep) if one)


def find_plugin_files() -> tuple[list[tuple[Path, str]], list[Problem]]:
    """Return the files named in the environment, and those of the user's folder: found, and not loaded.

    Each that is found comes with the hash of its content. A file in the user's folder that somebody else may
    have written is not loaded.
    """
    named = os.environ.get(VARIABLE, "")
    files: list[tuple[Path, str]] = []
    problems: list[Problem] = []
    for path, is_named in (*((Path(one), True) for one in named.split(os.pathsep) if one), *_own_files()):
        reason, data = "" if is_named else why_not_a_persons(path), b""
        try:
            data = b"" if reason else _read(path)
        except (OSError, ValueError) as error:
            reason = str(getattr(error, "strerror", None) or error)
        if reason:
            problems.append(Problem(path.stem, "load", f"{path}: is not loaded: it {reason}", path.name))
        elif all(path != known for known, _ in files):
            files.append((path, f"{zlib.crc32(data):08x}"))
    return files, problems


class _SourceOnly(SourceFileLoader):
    """Compiles the source each time: bytecode goes stale unseen when a file changes twice within a second."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def import_file(path: str) -> object:
    """Import a plugin file under a name of its own, and return its module."""
    name = f"satchel_plugin_{Path(path).stem}_{zlib.crc32(os.fsencode(path)):08x}"
    loader = _SourceOnly(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # as any module while it is imported: attrs looks classes up there
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _own_files() -> Iterator[tuple[Path, bool]]:
    try:
        found = sorted(plugin_folder().glob("*.py"))
    except OSError:
        return
    yield from ((path, False) for path in found if path.stem.isidentifier())


def _read(path: Path) -> bytes:
    if path.stat().st_size > _LARGEST:
        raise ValueError(f"is larger than {_LARGEST:,} bytes")
    return path.read_bytes()
