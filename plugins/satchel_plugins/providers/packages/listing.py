"""Which manifests and lock files a workspace has, and their entries, each file read when it is asked for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import attrs

from satchel.plugin_api import STOP, WorkspaceError, lazily
from satchel_plugins.providers.manifests import ECOSYSTEMS
from satchel_plugins.providers.manifests.records import (
    MOST_ENTRIES,
    Locked,
    Reader,
    Requirement,
    Sort,
    find_locked,
)
from satchel_plugins.providers.packages import is_aside, may_declare

if TYPE_CHECKING:
    from satchel.plugin_api import Workspace
    from satchel_plugins.providers.manifests.records import Ecosystem

_LONGEST_TASK = 20_000
_MOST_TOKENS = 400
_TOKEN = lazily(r"@?\w[\w./+:-]{0,150}")
_SCOPE = lazily(r"\A\s*[\w./-]+(\([^()\n]*\))?!?: ")
"""How titles of commits begin, `fix(parser): `: a place, and no package."""
_MARKED = lazily(r"`([^`\n]{1,150})`|\"([^\"\n]{1,100})\"|'([^'\n]{1,100})'")
_VERSIONED = lazily(r"(@?\w[\w./-]{0,100})(?:\[\w{1,40}\])?\s?(?:[=~<>^!]=?=?\s?|@|\s|\sv|@v)\d+(?:\.\d+)+")
_ASKS = lazily(
    r"\b(dependenc(y|ies)|packages?|librar(y|ies)|versions?|upgrad\w*|downgrad\w*|bump\w*|pin(s|ned|ning)?"
    r"|lock ?files?|install\w*|requirements?|vulnerab\w*|CVE-\d+|crates?|gems?|modules?"
    r"|npm|pip|cargo|maven|gradle|composer|nuget"
    r"|poetry|yarn|pnpm|deprecat\w*|incompatib\w*|compatib\w*|ImportError|ModuleNotFoundError|migrat\w*|third.party)\b",
    re.IGNORECASE,
)


_FUNCTION_WORDS = STOP | {"next"}
"""Words that name a package only where they are marked, even in a task about packages."""


@cache
def _plain_words() -> frozenset[str]:
    """Return words of everyday tasks that are packages too.

    One names a package where a task marks it, or is about packages.
    """
    return frozenset(Path(__file__).with_name("plain_words.txt").read_text(encoding="utf-8").split())


class Naming(NamedTuple):
    """What a task names."""

    asks: bool
    """Whether it is about packages, versions or installing."""
    tokens: frozenset[str]
    """Words that name a package wherever one is called so."""
    marked: frozenset[str]
    """Those that are marked as names: in quotes, beside a version, or not of letters alone."""

    @classmethod
    def of(cls, text: str) -> Naming:
        """Read a task."""
        text = _SCOPE.sub("", text[:_LONGEST_TASK])
        asks = _ASKS.search(text) is not None
        quoted = {one for found in _MARKED.findall(text) for one in found if one}
        versioned = {match[1] for match in _VERSIONED.finditer(text)}
        words = [word.rstrip(".:/-") for word in _TOKEN.findall(text)[:_MOST_TOKENS]]
        strange = {word for word in words if not word.isalpha() and not word.isdigit()}
        marked = frozenset(quoted | versioned | {bare for word in strange for bare in _bare(word)})
        vague = _FUNCTION_WORDS if asks else _FUNCTION_WORDS | _plain_words()
        plain = {word for word in words if word.lower() not in vague}
        return cls(asks, frozenset(plain | marked), marked)

    def names(self, alias: str) -> bool:
        """Return whether the task means a short name: a word of everyday tasks does not, unless marked."""
        if "/" in alias:
            return any("/" in token and f"/{token}/" in f"/{alias}/" for token in self.tokens)
        return alias in self.tokens and (alias.lower() not in _plain_words() or alias in self.marked)


def _bare(word: str) -> tuple[str, ...]:
    """Return a word, and what stands before its version or its attribute: `react@18`, `yaml.load`."""
    name = word[:1] + word[1:].partition("@")[0].partition("::")[0]
    return tuple(dict.fromkeys((word, name, name.partition(".")[0] if "/" not in name else name)))


T = TypeVar("T")

LARGEST_MANIFEST = 512 * 1024
LARGEST_LOCK = 24 * 1024 * 1024
_LARGEST_SOURCE = 256 * 1024
_MOST_IMPORTS = 300
MOST_MANIFESTS = 24
"""Manifests of one ecosystem that are read in a run."""
MOST_LOCKS = 4
"""Lock files of one ecosystem that are read in a run."""
_DEEPEST_INCLUDE = 4


@attrs.frozen
class PackageListing:
    """The manifests and lock files of a workspace by ecosystem, the shallowest first."""

    workspace: Workspace
    folders: ManifestFolders
    """What the paths tell, put together once."""
    _entries: dict[str, tuple[Requirement, ...]] = attrs.field(factory=dict)
    _notes: dict[str, list[str]] = attrs.field(factory=dict)

    @classmethod
    def of(cls, workspace: Workspace) -> PackageListing:
        """Return what the paths of the workspace tell."""
        return cls(workspace, workspace.files.of_paths(_Kept).folders(workspace))

    @property
    def manifests(self) -> Mapping[str, Sequence[str]]:
        """The manifests of each ecosystem."""
        return self.folders.manifests

    @property
    def locks(self) -> Mapping[str, Sequence[str]]:
        """The lock files of each ecosystem."""
        return self.folders.locks

    def entries(self, ecosystem: Ecosystem, path: str) -> tuple[Requirement, ...]:
        """Return the entries of a manifest, () where it can't be read or too many have been."""
        if path not in self._entries:
            read = sum(1 for known in self._entries if known in self.manifests[ecosystem.name])
            reader = ecosystem.reader(path) if read < MOST_MANIFESTS else None
            text = self.text(ecosystem.name, path, LARGEST_MANIFEST) if reader else ""
            self._entries[path] = _entries(reader, text)
        return self._entries[path]

    def included(self, ecosystem: Ecosystem, path: str) -> Iterator[tuple[str, Requirement]]:
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
                    and self.workspace.files.document(target) is not None
                ):
                    seen.add(target)
                    pending.append((target, managed or entry.sort is Sort.INCLUDE_MANAGED, depth + 1))

    def imports(self, ecosystem: Ecosystem, path: str) -> Sequence[str]:
        """Return what a source file imports, each once; () where it can't be read."""

        def make(text: str) -> list[str]:
            return list(dict.fromkeys(ecosystem.imports(text)))[:_MOST_IMPORTS]

        name, derived = f"imports {ecosystem.name} 1", self.workspace.texts.derived
        return self._found(ecosystem.name, path, _LARGEST_SOURCE, lambda: derived(path, name, make)) or ()

    def locked(self, ecosystem: Ecosystem, path: str) -> Mapping[str, Sequence[Locked]] | None:
        """Return what a lock file holds, by normal name; None where it can't be read or is empty."""
        patterns = ecosystem.locks[path.rpartition("/")[2]]

        def make(text: str) -> dict[str, list[Locked]] | None:
            return find_locked(text, patterns, normal=ecosystem.normal) if text else None

        name, derived = f"locked {ecosystem.name} 1", self.workspace.texts.derived
        return self._found(ecosystem.name, path, LARGEST_LOCK, lambda: derived(path, name, make))

    def text(self, ecosystem: str, path: str, largest: int) -> str:
        """Return the text of a file, "" with a note where it is too large or can't be read."""
        return self._found(ecosystem, path, largest, lambda: self.workspace.texts.read(path)) or ""

    def _found(self, ecosystem: str, path: str, largest: int, ask: Callable[[], T]) -> T | None:
        """Return what is asked of a file, None with a note where it is too large or can't be read."""
        document = self.workspace.files.document(path)
        if document is None or document.size > largest:
            size = "?" if document is None else f"{document.size / 2**20:.1f}"
            self._note(ecosystem, f"{path} was not read: {size} MiB, the most is {largest / 2**20:.1f} MiB")
            return None
        try:
            return ask()
        except (OSError, WorkspaceError):
            self._note(ecosystem, f"{path} could not be read")
            return None

    def _note(self, ecosystem: str, text: str) -> None:
        noted = self._notes.setdefault(ecosystem, [])
        if text not in noted:
            noted.append(text)

    def notes(self, ecosystem: str) -> Sequence[str]:
        """Return what could not be looked at."""
        return tuple(self._notes.get(ecosystem, ()))


class ManifestFolders:
    """Where the manifests and locks of a workspace count, and what its own code is imported as."""

    def __init__(
        self,
        manifests: Mapping[str, Sequence[str]],
        locks: Mapping[str, Sequence[str]],
        names: Iterable[str],
    ) -> None:
        self.manifests = manifests
        self.locks = locks
        self.names = frozenset(names)
        """Folders and stems of source files."""
        self._own: dict[str, frozenset[str]] = {}
        self._manifests_by_folder, self._locks_by_folder = (
            {ecosystem: _by_folder(files) for ecosystem, files in found.items()}
            for found in (manifests, locks)
        )

    def own(self, ecosystem: Ecosystem) -> frozenset[str]:
        """Return the names of the project's own code as an ecosystem compares names."""
        if ecosystem.name not in self._own:
            self._own[ecosystem.name] = frozenset(map(ecosystem.normal, self.names))
        return self._own[ecosystem.name]

    def manifests_above(self, path: str, ecosystem: Ecosystem) -> list[list[str]]:
        """Return an ecosystem's manifests in each folder from a file's own up to the root."""
        return _levels(path, self._manifests_by_folder[ecosystem.name])

    def locks_above(self, path: str, ecosystem: Ecosystem) -> list[list[str]]:
        """Return an ecosystem's lock files in each folder from a file's own up to the root."""
        return _levels(path, self._locks_by_folder[ecosystem.name])


class _Kept:
    """Keeps what the paths tell for as long as they are the same."""

    def __init__(self, _: Iterable[str]) -> None:
        self._folders: ManifestFolders | None = None

    def folders(self, workspace: Workspace) -> ManifestFolders:
        if self._folders is None:
            self._folders = ManifestFolders(*workspace.files.of_paths(find_manifests))
        return self._folders


@lru_cache(maxsize=2 * MOST_MANIFESTS)
def _entries(reader: Reader | None, text: str) -> tuple[Requirement, ...]:
    """Return the entries of a manifest; those of the last ones are kept for a process that packs again."""
    return tuple(islice(reader(text), MOST_ENTRIES)) if reader is not None and text else ()


def _by_folder(manifests: Sequence[str]) -> dict[str, list[str]]:
    """Return manifests by the folder for which they count.

    Those in a folder called `requirements` count for the folder that holds it.
    """
    by_folder: dict[str, list[str]] = {}
    for manifest in manifests:
        home = manifest.rpartition("/")[0]
        outer, _, last = home.rpartition("/")
        by_folder.setdefault(outer if last in ("requirements", "reqs", "gradle") else home, []).append(
            manifest
        )
    return by_folder


def _levels(path: str, by_folder: Mapping[str, list[str]]) -> list[list[str]]:
    """Return what counts for each folder from a file's own up to the root, nearest first."""
    folder = path.rpartition("/")[0]
    levels = []
    while True:
        if folder in by_folder:
            levels.append(by_folder[folder])
        if not folder:
            return levels
        folder = folder.rpartition("/")[0]


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
