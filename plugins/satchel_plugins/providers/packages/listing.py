"""Which manifests and lock files a workspace has, and their entries, each file read when it is asked for."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import attrs

from satchel import WorkspaceError
from satchel.patterns import lazily
from satchel_plugins.providers.manifests import ECOSYSTEMS
from satchel_plugins.providers.manifests.records import MOST_ENTRIES, Entry, Reader, Sort

if TYPE_CHECKING:
    from satchel import Workspace
    from satchel_plugins.providers.manifests.records import Ecosystem

LARGEST_MANIFEST = 512 * 1024
LARGEST_LOCK = 24 * 1024 * 1024
MOST_MANIFESTS = 24
"""Manifests of one ecosystem that are read in a run."""
MOST_LOCKS = 4
"""Lock files of one ecosystem that are read in a run."""
_DEEPEST_INCLUDE = 4
_SUFFIXES = frozenset(
    [
        "toml",
        "txt",
        "in",
        "pip",
        "gradle",
        "kts",
        "gemspec",
        "csproj",
        "fsproj",
        "vbproj",
        "props",
        "lock",
        "lockfile",
        "json",
        "mod",
        "sum",
        "cfg",
        "yml",
        "yaml",
        "locked",
        "xml",
        "config",
    ]
)
_FILES = frozenset({"Pipfile", "Gemfile", "gems.rb", "setup.py"})
_ASIDE = lazily(r"(^|/)(tests?|testdata|fixtures?|__tests__|specs?|examples?|samples?|templates?|docs?)/")


@attrs.frozen
class Listing:
    """The manifests and lock files of a workspace by ecosystem, the shallowest first."""

    workspace: Workspace
    manifests: Mapping[str, Sequence[str]]
    locks: Mapping[str, Sequence[str]]
    names: frozenset[str]
    """Folders and stems of source files: what the project's own code is imported as."""
    _entries: dict[str, tuple[Entry, ...]] = attrs.field(factory=dict)
    _notes: dict[str, list[str]] = attrs.field(factory=dict)

    @classmethod
    def of(cls, workspace: Workspace) -> Listing:
        """Return what the paths of the workspace tell."""
        manifests, locks, names = workspace.of_paths(_told, kept="packages 1")
        return cls(workspace, manifests, locks, frozenset(names))

    def entries(self, ecosystem: Ecosystem, path: str) -> tuple[Entry, ...]:
        """Return the entries of a manifest, () where it can't be read or too many have been."""
        if path not in self._entries:
            read = sum(1 for known in self._entries if known in self.manifests[ecosystem.name])
            reader = ecosystem.reader(path) if read < MOST_MANIFESTS else None
            text = self.text(ecosystem.name, path, LARGEST_MANIFEST) if reader else ""
            self._entries[path] = tuple(islice(_entries(reader, text), MOST_ENTRIES))
        return self._entries[path]

    def included(self, ecosystem: Ecosystem, path: str) -> Iterator[tuple[str, Entry]]:
        """Yield the entries of a manifest and of those that it includes, with their paths."""
        pending, seen = [(path, False, 0)], {path}
        while pending:
            current, managed, depth = pending.pop(0)
            for entry in self.entries(ecosystem, current):
                if entry.sort not in (Sort.INCLUDE, Sort.INCLUDE_MANAGED):
                    yield current, entry._replace(sort=Sort.MANAGED) if managed else entry
                    continue
                target = posixpath.normpath(posixpath.join(posixpath.dirname(current), entry.name))
                if (
                    target not in seen
                    and depth < _DEEPEST_INCLUDE
                    and self.workspace.document(target) is not None
                ):
                    seen.add(target)
                    pending.append((target, managed or entry.sort is Sort.INCLUDE_MANAGED, depth + 1))

    def text(self, ecosystem: str, path: str, largest: int) -> str:
        """Return the text of a file, "" with a note where it is too large or can't be read."""
        document = self.workspace.document(path)
        if document is None or document.size > largest:
            size = "?" if document is None else f"{document.size / 2**20:.1f}"
            self._note(ecosystem, f"{path} was not read: {size} MiB, the most is {largest / 2**20:.1f} MiB")
            return ""
        try:
            return self.workspace.read(path)
        except (OSError, WorkspaceError):
            self._note(ecosystem, f"{path} could not be read")
            return ""

    def _note(self, ecosystem: str, text: str) -> None:
        noted = self._notes.setdefault(ecosystem, [])
        if text not in noted:
            noted.append(text)

    def notes(self, ecosystem: str) -> Sequence[str]:
        """Return what could not be looked at."""
        return tuple(self._notes.get(ecosystem, ()))


def _told(
    paths: Iterable[str],
) -> tuple[dict[str, list[str]], dict[str, list[str]], list[str]]:
    """Return manifests and lock files by ecosystem, and the names of folders and sources."""
    manifests: dict[str, list[str]] = {one.name: [] for one in ECOSYSTEMS}
    locks: dict[str, list[str]] = {one.name: [] for one in ECOSYSTEMS}
    names: set[str] = set()
    folders: set[str] = set()
    for path in paths:
        folder, _, name = path.rpartition("/")
        stem, _, suffix = name.rpartition(".")
        if suffix not in _SUFFIXES and name not in _FILES:
            folders.add(folder)
            names.add(stem)
            continue
        for one in ECOSYSTEMS:
            if name in one.locks:
                locks[one.name].append(path)
            elif one.reader(path) is not None:
                manifests[one.name].append(path)
    names.update(part for folder in folders for part in folder.split("/"))
    return _shallowest(manifests), _shallowest(locks), sorted(names)


def _entries(reader: Reader | None, text: str) -> Iterator[Entry]:
    if reader is not None and text:
        yield from reader(text)


def _shallowest(paths: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Sort paths: those of the product before those of tests and examples, then by depth."""
    return {
        name: sorted(found, key=lambda path: (is_aside(path), path.count("/"), path))
        for name, found in paths.items()
    }


def is_aside(path: str) -> bool:
    """Return whether a manifest is one of a test, an example or the docs: it counts for files beside it."""
    return _ASIDE.search(path) is not None


def above(path: str, manifests: Sequence[str]) -> list[list[str]]:
    """Return the manifests of each folder from a file's own up to the root, nearest first.

    Those in a folder called `requirements` count for the folder that holds it.
    """
    folder = path.rpartition("/")[0]
    by_folder: dict[str, list[str]] = {}
    for manifest in manifests:
        home = manifest.rpartition("/")[0]
        outer, _, last = home.rpartition("/")
        by_folder.setdefault(outer if last in ("requirements", "reqs", "gradle") else home, []).append(
            manifest
        )
    levels = []
    while True:
        if folder in by_folder:
            levels.append(by_folder[folder])
        if not folder:
            return levels
        folder = folder.rpartition("/")[0]
