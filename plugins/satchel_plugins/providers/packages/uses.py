"""Join the packages in use with their declarations: imports and names with manifests and lock files."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import attrs

from satchel.plugin_api import STOP, WorkspaceError, lazily
from satchel_plugins.providers.packages import find_manifests, is_aside
from satchel_plugins.providers.packages.ecosystems import ECOSYSTEMS, Ecosystem, Entry, find_locked, normal
from satchel_plugins.providers.toolchain.needs import satisfies

if TYPE_CHECKING:
    from satchel.plugin_api import Workspace

_LONGEST_TASK = 20_000
_MOST_TOKENS = 400
_TOKEN = lazily(r"@?\w[\w./+:-]{0,150}")
_SCOPE = lazily(r"\A\s*[\w./-]+(\([^()\n]*\))?!?: ")
"""The beginning of a commit's title, `fix(parser): `: a place, and no package."""
_MARKED = lazily(r"`([^`\n]{1,150})`|\"([^\"\n]{1,100})\"|'([^'\n]{1,100})'")
_VERSIONED = lazily(r"(@?\w[\w./-]{0,100})(?:\[\w{1,40}\])?\s?(?:[=~<>^!]=?=?\s?|@|\s|\sv|@v)\d+(?:\.\d+)+")
_ASKS = lazily(
    r"\b(dependenc(y|ies)|packages?|librar(y|ies)|versions?|upgrad\w*|downgrad\w*|bump\w*|pin(s|ned|ning)?"
    r"|lock ?files?|install\w*|requirements?|vulnerab\w*|CVE-\d+|crates?|gems?"
    r"|(?:npm|node|go|python|perl|external|missing) modules?"
    r"|modules? (?:are |is )?(?:missing|needed|used|not found)"
    r"|npm|pip|cargo|maven|gradle|composer|nuget"
    r"|poetry|yarn|pnpm|deprecat\w*|incompatib\w*|compatib\w*|ImportError|ModuleNotFoundError|migrat\w*|third.party)\b",
    re.IGNORECASE,
)


_FUNCTION_WORDS = STOP | {"next"}
"""Words that name a package only if they are marked, even in a task about packages."""


@cache
def _plain_words() -> frozenset[str]:
    """Return words of everyday tasks that are packages too.

    Such a word names a package if a task marks it, or is about packages.
    """
    return frozenset(Path(__file__).with_name("plain_words.txt").read_text(encoding="utf-8").split())


class Naming(NamedTuple):
    """The names in a task."""

    asks: bool
    """Whether it is about packages, versions or installing."""
    tokens: frozenset[str]
    """Words that name a package if there is one of that name."""
    marked: frozenset[str]
    """Words marked as names: in quotes, beside a version, or not of letters alone."""

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
    """Return a word, also without its version or its attribute: `react@18`, `yaml.load`."""
    name = word[:1] + word[1:].partition("@")[0].partition("::")[0]
    return tuple(dict.fromkeys((word, name, name.partition(".")[0] if "/" not in name else name)))


T = TypeVar("T")
_MAJOR = lazily(r"/v\d+$|\.v\d+$")
_LARGEST_MANIFEST, LARGEST_LOCK, _LARGEST_SOURCE = 512 * 1024, 24 * 1024 * 1024, 256 * 1024
_MOST_MANIFESTS, _MOST_LOCKS, _MOST_IMPORTS = 24, 4, 300
"""Most manifests and lock files of one ecosystem, and most imports of a file, that are read."""
_OUTSIDE = ("requirements", "reqs", "gradle")
"""Folders whose manifests count for the folder that holds them."""


class Place(NamedTuple):
    """A place in a manifest or a lock file that names a package."""

    path: str
    entry: Entry


class Use(NamedTuple):
    """A package in use, with everything known about it."""

    name: str
    named: bool
    declared: Sequence[Place]
    locked: Sequence[Place]
    """Places in one lock file, a version that satisfies the declaration first."""
    used_in: tuple[str, str] | None
    """A chosen file that imports it, and the imported name."""


class Files(NamedTuple):
    """The manifests and lock files of a workspace by ecosystem, the shallowest first, and its own names."""

    manifests: Mapping[str, Sequence[str]]
    locks: Mapping[str, Sequence[str]]
    own: frozenset[str]
    """Names of folders and of files without their endings, as names of packages are compared."""

    def has(self, ecosystem: Ecosystem) -> bool:
        """Return whether a workspace has a manifest or a lock file of an ecosystem."""
        return bool(self.manifests[ecosystem.name] or self.locks[ecosystem.name])


def list_files(paths: Collection[str]) -> Files:
    """Return the manifests and lock files among paths, the product's before those of tests and examples."""
    manifests = find_manifests(paths)
    ordered = sorted(manifests, key=lambda path: (is_aside(path), path.count("/"), path))
    names = {path: path.rpartition("/")[2] for path in ordered}
    folders = {path.rpartition("/")[0] for path in paths}
    own = set("/".join(folders).split("/"))
    own |= {path.rpartition("/")[2].partition(".")[0] for path in paths}
    return Files(
        {one.name: [path for path in ordered if one.declares(path)] for one in ECOSYSTEMS},
        {one.name: [path for path in ordered if names[path] in one.locks] for one in ECOSYSTEMS},
        frozenset(normal("/".join(own)).split("/")),  # all at once: a tenth of the time
    )


@attrs.define(eq=False, repr=False)
class _Draft:
    """A use while it is put together."""

    name: str
    home: str
    """The path of a manifest or of a file: the nearest lock file counts."""
    named: bool = False
    declared: dict[Place, None] = attrs.field(factory=dict)
    used_in: tuple[str, str] | None = None


@attrs.frozen(eq=False, repr=False)
class PackageSearch:
    """The findings so far in one ecosystem, by normal name."""

    ecosystem: Ecosystem
    workspace: Workspace
    files: Files
    notes: dict[str, None] = attrs.field(factory=dict)
    """Notes on files that could not be read."""
    _drafts: dict[str, _Draft] = attrs.field(factory=dict)

    def find_uses(self, naming: Naming, chosen: Sequence[str]) -> list[Use]:
        """Return the packages that the task names or the chosen files import, named ones first."""
        manifests = self.files.manifests[self.ecosystem.name][:_MOST_MANIFESTS]
        declared = {path: self._read_manifest(path) for path in manifests}
        for path in chosen:
            if path.rpartition(".")[2] in self.ecosystem.suffixes:
                self._match_imports(path, declared)
        tokens = set(map(normal, naming.tokens))
        near = [path for file in chosen for path in _list_above(file, manifests)]
        for path in dict.fromkeys((*near, *(path for path in manifests if not is_aside(path)))):
            for entries in declared[path].values():
                for entry in entries:
                    if normal(entry.name) in tokens or any(map(naming.names, _short_names(entry.name))):
                        self._add(entry.name, path, [Place(path, entry)]).named = True
        for name in sorted(naming.tokens if naming.asks else naming.marked):
            if normal(name) not in self.files.own:
                self._drafts.setdefault(normal(name), _Draft(name, name, named=True))
        uses = [self._finish(key, draft) for key, draft in self._drafts.items()]
        found = [use for use in uses if use.declared or use.locked]
        return sorted(found, key=lambda use: (not use.named, not use.declared))

    def _match_imports(self, path: str, declared: Mapping[str, Mapping[str, Sequence[Entry]]]) -> None:
        """Match imports of a file with the manifests nearest to it, up to one with a version."""
        imports = self._derive(path, "imports", self.ecosystem.imports, _LARGEST_SOURCE) or []
        for imported in imports[:_MOST_IMPORTS]:
            names = self.ecosystem.candidates(imported)
            is_told, home = False, ""
            for manifest in _list_above(path, [*declared]):
                if is_told and _home_of(manifest) != home:
                    break
                rows, home = declared[manifest], _home_of(manifest)
                fitting = [one for one in names if one in rows][:1]
                for name in fitting or [one for one in rows if _is_group_of(one, imported)]:
                    draft = self._add(
                        rows[name][0].name, manifest, [Place(manifest, one) for one in rows[name]]
                    )
                    draft.used_in = draft.used_in or (path, imported)
                    is_told |= bool(rows[name][0].wanted)
            if self.files.own.isdisjoint((*names[-1:], normal(imported.partition(".")[0]))):
                for name in names:
                    self._drafts.setdefault(name, _Draft(name, path, used_in=(path, imported)))

    def _add(self, name: str, home: str, places: Sequence[Place]) -> _Draft:
        draft = self._drafts.setdefault(normal(name), _Draft(name, home))
        draft.name, draft.home = (draft.name, draft.home) if draft.declared else (name, home)
        draft.declared.update(dict.fromkeys(places))
        return draft

    def _read_manifest(self, path: str) -> dict[str, list[Entry]]:
        """Return a manifest's declarations by normal name, for Maven and Gradle also by the artifact's."""
        make = partial(self.ecosystem.find_declarations, path)
        found: dict[str, list[Entry]] = {}
        for row in self._derive(path, "declared", make, _LARGEST_MANIFEST) or ():
            found.setdefault(normal(row[0]), []).append(Entry(*row))
        return found

    def _finish(self, key: str, draft: _Draft) -> Use:
        """Look a package up in the lock files nearest to it."""
        locks = self.files.locks[self.ecosystem.name][:_MOST_LOCKS]
        locked: list[Place] = []
        for path in _list_above(draft.home, locks):
            make = partial(find_locked, patterns=self.ecosystem.locks[path.rpartition("/")[2]])
            held = self._derive(path, "locked", make, LARGEST_LOCK) or {}
            if locked := [Place(path, Entry(*row)) for row in held.get(key, ())]:
                break
        wanted = [place.entry.wanted for place in draft.declared][:1]
        locked.sort(key=lambda place: not all(satisfies(place.entry.wanted, one) for one in wanted))
        name = draft.name if draft.declared or not locked else locked[0].entry.name
        return Use(name, draft.named, [*draft.declared], locked, draft.used_in)

    def _derive(self, path: str, what: str, make: Callable[[str], T], largest: int) -> T | None:
        """Return the result of `make` for a file's text, None with a note if that can't be read."""
        document = self.workspace.files.document(path)
        if document is None or document.size > largest:
            size = "?" if document is None else f"{document.size / 2**20:.1f}"
            self.notes[f"{path} was not read: {size} MiB, the most is {largest / 2**20:.1f} MiB"] = None
            return None
        try:
            return self.workspace.texts.derived(path, f"{what} {self.ecosystem.name} 2", make)
        except (OSError, WorkspaceError):
            self.notes[f"{path} could not be read"] = None
            return None


def _list_above(path: str, files: Sequence[str]) -> list[str]:
    """Return the files that count for the folder of a path or for one above it, the nearest first."""
    above = [file for file in files if path.startswith(_home_of(file))]
    return sorted(above, key=lambda file: -len(_home_of(file)))


def _home_of(path: str) -> str:
    """Return the folder that a manifest or a lock file counts for, with its slash."""
    folder = path.rpartition("/")[0]
    outer, _, last = folder.rpartition("/")
    home = outer if last in _OUTSIDE else folder
    return f"{home}/" if home else ""


def _short_names(name: str) -> tuple[str, ...]:
    """Return a package's name, and the last part of it that is no version: `yaml` of `gopkg.in/yaml.v3`."""
    bare = _MAJOR.sub("", name)
    return name, bare[max(bare.rfind("/"), bare.rfind(":")) + 1 :]


def _is_group_of(name: str, imported: str) -> bool:
    """Return whether an artifact's group holds an import: `io.ktor:ktor` holds `io.ktor.Server`."""
    group, _, artifact = name.partition(":")
    return bool(artifact) and f"{normal(imported)}-".startswith(f"{group}-")
