"""Find the manifests and lock files of a workspace by the names of its files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from satchel_plugins.providers.manifests import ECOSYSTEMS
from satchel_plugins.providers.packages import is_aside, may_declare

Found = tuple[dict[str, list[str]], dict[str, list[str]], list[str]]
"""Manifests by ecosystem, lock files by ecosystem, names of folders and stems of sources."""


def find_manifests(paths: Iterable[str]) -> Found:
    """Return manifests and lock files by ecosystem, and the names of folders and sources."""
    manifests: dict[str, list[str]] = {one.name: [] for one in ECOSYSTEMS}
    locks: dict[str, list[str]] = {one.name: [] for one in ECOSYSTEMS}
    names: set[str] = set()
    folders: set[str] = set()
    for path in paths:
        folder, _, name = path.rpartition("/")
        if not may_declare(name):
            folders.add(folder)
            names.add(name.rpartition(".")[0])
            continue
        for one in ECOSYSTEMS:
            if name in one.locks:
                locks[one.name].append(path)
            elif one.reader(path) is not None:
                manifests[one.name].append(path)
    names.update(part for folder in folders for part in folder.split("/"))
    return _shallowest(manifests), _shallowest(locks), sorted(names)


def _shallowest(paths: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Sort paths: those of the product before those of tests and examples, then by depth."""
    return {
        name: sorted(found, key=lambda path: (is_aside(path), path.count("/"), path))
        for name, found in paths.items()
    }
