"""Joins what is used with what is declared and locked: imports and names here, manifests there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import NamedTuple

import attrs

from satchel.plugin_api import lazily
from satchel_plugins.providers.manifests.records import Ecosystem, Locked, Requirement, Sort, tidy
from satchel_plugins.providers.packages import is_aside
from satchel_plugins.providers.packages.listing import MOST_LOCKS, Naming, PackageListing
from satchel_plugins.providers.toolchain.needs import satisfies

Place = tuple[str, Requirement]
"""The path of a manifest and an entry of it."""


class ManifestLevel(NamedTuple):
    """The declarations of one folder, in order and by every name that they are known under."""

    places: tuple[Place, ...]
    by_name: Mapping[str, tuple[Place, ...]]


@attrs.frozen
class Declarations:
    """Declarations of one ecosystem, each folder put together once."""

    ecosystem: Ecosystem
    listing: PackageListing
    _levels: dict[tuple[str, ...], ManifestLevel] = attrs.field(factory=dict)
    _handed: dict[str, tuple[Place, ...]] = attrs.field(factory=dict)

    def levels(self, path: str) -> Iterator[ManifestLevel]:
        """Yield the declarations of each folder from a file's own up to the root."""
        for manifests in self.listing.folders.manifests_above(path, self.ecosystem):
            yield self.level(manifests)

    def level(self, manifests: Sequence[str]) -> ManifestLevel:
        """Return the declarations of some manifests and of what they include."""
        key = tuple(manifests)
        if key not in self._levels:
            self._levels[key] = self._make_level(key)
        return self._levels[key]

    def _make_level(self, manifests: Sequence[str]) -> ManifestLevel:
        normal, by_name = self.ecosystem.normal, dict[str, list[Place]]()
        places = tuple(self._list_declared(manifests))
        for place in places:
            for name in {normal(place[1].name), normal(place[1].alias)} - {""}:
                by_name.setdefault(name, []).append(place)
        return ManifestLevel(places, {name: tuple(found) for name, found in by_name.items()})

    def _list_declared(self, manifests: Sequence[str]) -> Iterator[Place]:
        for manifest in manifests:
            for path, entry in self.listing.included(self.ecosystem, manifest):
                if entry.sort in (Sort.DECLARED, Sort.INDIRECT):
                    yield path, self._by_catalog(path, entry)

    def _by_catalog(self, path: str, entry: Requirement) -> Requirement:
        """Return an entry under its own name where it is declared as `libs.some.alias`."""
        if not entry.name.startswith("libs."):
            return entry
        alias = entry.name.removeprefix("libs.")
        known = (one for _, one in self.handed(path) if one.alias == alias)
        return next(
            (entry._replace(name=one.name, alias=one.name.rpartition(":")[2]) for one in known), entry
        )

    def handed(self, path: str) -> tuple[Place, ...]:
        """Return what the manifests above a path hand down, nearest first: managed versions, properties."""
        folder = path.rpartition("/")[0]
        if folder not in self._handed:
            self._handed[folder] = tuple(
                place
                for level in self.listing.folders.manifests_above(path, self.ecosystem)
                for manifest in level
                for place in self.listing.included(self.ecosystem, manifest)
                if place[1].sort in (Sort.MANAGED, Sort.PROPERTY)
            )
        return self._handed[folder]

    def resolve(self, path: str, entry: Requirement) -> tuple[str, str, str]:
        """Return what an entry wants, what is handed down to it, and where that stands."""
        handed, key = self.handed(path), self.ecosystem.normal(entry.name)
        wanted = substitute(entry.wanted, handed)
        for place, one in handed:
            is_same = self.ecosystem.normal(one.name) == key
            if (
                one.sort is Sort.MANAGED
                and one.wanted
                and (is_same or (not wanted and _is_parent(one, entry)))
            ):
                return wanted, substitute(one.wanted, handed), f"{place}:{one.line}"
        return wanted, "", ""


def _is_parent(parent: Requirement, entry: Requirement) -> bool:
    """Return whether an entry of Maven takes its version from a parent of the same group."""
    return parent.name.endswith(":*") and entry.name.startswith(parent.name[:-2])


def substitute(wanted: str, handed: Sequence[Place]) -> str:
    """Replace `${name}` by the property of that name, which may be one more name."""
    for _ in range(3):
        if not (wanted.startswith("${") and wanted.endswith("}")):
            break
        name = wanted[2:-1]
        properties = (one.wanted for _, one in handed if one.sort is Sort.PROPERTY and one.name == name)
        wanted = next(properties, name)
    return wanted


_LOCAL = ("workspace:", "file:", "link:", "portal:", "path ", "./", "../")
"""Begins what is wanted where a package lies in the workspace itself."""
_EXACT = lazily(r"v?\d+(?:\.\d+)+(?:[-+.]?(?![xX*](?:\.|$))[A-Za-z][\w.+-]*)?")
_EXTRAS = lazily(r"^\[[^\]]*\]")
_MOST_MANIFESTS = 12
"""Manifests in which names of the task are looked for, beside those of the chosen files."""

_Hit = tuple[str, tuple[Locked, ...]]
"""A lock file and the versions that it holds of a package."""


class Use(NamedTuple):
    """A package in use, with everything that is known of it."""

    name: str
    version: str
    """The one that is installed: locked, or declared exactly; "" where neither is known."""
    named: bool
    declared: tuple[tuple[str, Requirement, str], ...] = ()
    """Manifest, entry and what is wanted, properties filled in."""
    remarks: tuple[str, ...] = ()
    """What is handed down to it from elsewhere."""
    locked: _Hit | None = None
    lock_paths: tuple[str, ...] = ()
    """Lock files that were looked at, () for a package that none of them can hold."""
    used_in: tuple[str, str] | None = None
    """A chosen file that imports it, and under which name."""


@attrs.define
class _Draft:
    """A use while it is put together."""

    name: str
    places: list[Place]
    home: str
    """Where its lock file is looked for: the path of a manifest or of a file."""
    named: bool = False
    used_in: tuple[str, str] | None = None


def find_uses(
    ecosystem: Ecosystem, listing: PackageListing, naming: Naming, chosen: Sequence[str]
) -> list[Use]:
    """Return the packages that the task names or the chosen files import, named ones first."""
    search = _Search(Declarations(ecosystem, listing), naming)
    for path in chosen:
        if path.rpartition(".")[2] in ecosystem.suffixes:
            search.read(path)
    search.look_for_names(chosen)
    search.look_for_loose()
    return sorted(search.uses(), key=lambda use: (not use.named, not use.declared))


@attrs.frozen
class _Search:
    """What has been found so far, by normal name."""

    declarations: Declarations
    naming: Naming
    drafts: dict[str, _Draft] = attrs.field(factory=dict)
    loose: dict[str, tuple[str, str]] = attrs.field(factory=dict)
    """Names that imports may mean and no manifest declares, with file and import."""

    @property
    def ecosystem(self) -> Ecosystem:
        """Return the ecosystem that is searched."""
        return self.declarations.ecosystem

    @property
    def listing(self) -> PackageListing:
        """Return the manifests of the workspace."""
        return self.declarations.listing

    def read(self, path: str) -> None:
        """Match every import of a file with what the nearest folder declares that declares it."""
        for imported in self.listing.imports(self.ecosystem, path):
            candidates = [self.ecosystem.normal(one) for one in self.ecosystem.candidates(imported)]
            found = next(
                (
                    hits
                    for level in self.declarations.levels(path)
                    if (hits := self._fitting(level, imported, candidates))
                ),
                [],
            )
            for places in found:
                draft = self._draft(places)
                draft.used_in = draft.used_in or (path, _shorten(imported))
            if not found and not _is_own(imported, self.listing):
                for candidate in candidates:
                    self.loose.setdefault(candidate, (path, _shorten(imported)))

    def _fitting(
        self, level: ManifestLevel, imported: str, candidates: Sequence[str]
    ) -> list[tuple[Place, ...]]:
        """Return the places of each package of a folder that an import may mean."""
        owns = self.ecosystem.owns
        fitting = [level.by_name[one] for one in candidates if one in level.by_name]
        if owns is None or fitting:
            return fitting[: 1 if owns is None else None]
        owners = dict.fromkeys(entry.name for _, entry in level.places if owns(entry.name, imported))
        return [level.by_name[self.ecosystem.normal(name)] for name in owners]

    def _draft(self, places: Sequence[Place]) -> _Draft:
        first_path, first = places[0]
        draft = self.drafts.setdefault(self.ecosystem.normal(first.name), _Draft(first.name, [], first_path))
        draft.places = list(dict.fromkeys((*draft.places, *places)))
        return draft

    def look_for_names(self, chosen: Sequence[str]) -> None:
        """Find the declarations of what the task names: near the chosen files first."""
        manifests, above = self.listing.manifests[self.ecosystem.name], self.listing.folders.manifests_above
        near = [path for file in chosen for level in above(file, self.ecosystem) for path in level]
        far = [path for path in manifests[:_MOST_MANIFESTS] if not is_aside(path)]
        normal = self.ecosystem.normal
        tokens = {normal(token) for token in self.naming.tokens}
        for path in dict.fromkeys((*near, *far)):
            for place in self.declarations.level((path,)).places:
                entry = place[1]
                short = (entry.name, entry.alias, _last(entry.name))
                if normal(entry.name) in tokens or any(map(self.naming.names, short)):
                    self._draft([place]).named = True

    def look_for_loose(self) -> None:
        """Add names that lock files alone may know: undeclared imports, packages that the task names."""
        own = self.listing.folders.own(self.ecosystem)
        tokens = self.naming.tokens if self.naming.asks else self.naming.marked
        named = [self.ecosystem.normal(name) for name in sorted(tokens)]
        for name in dict.fromkeys((*self.loose, *named)):
            if name and name not in own and name not in self.drafts:
                path, imported = self.loose.get(name, ("", ""))
                self.drafts[name] = _Draft(name, [], path, name in named, (path, imported) if path else None)

    def uses(self) -> list[Use]:
        """Look all up in the lock files nearest to them, each read once; what is known nowhere falls out."""
        above = self.listing.folders.locks_above
        order = {
            key: [path for level in above(draft.home, self.ecosystem) for path in level]
            for key, draft in self.drafts.items()
        }
        reading = list(dict.fromkeys(path for paths in order.values() for path in paths))[:MOST_LOCKS]
        held = {path: found for path in reading if (found := self._read_locked(path)) is not None}
        uses = [
            self._finish(draft, key, {path: held[path] for path in order[key] if path in held})
            for key, draft in self.drafts.items()
        ]
        return [use for use in uses if use.declared or use.locked]

    def _read_locked(self, path: str) -> dict[str, list[Locked]] | None:
        locked = self.listing.locked(self.ecosystem, path)
        if locked is None:
            return None
        wanted = self.drafts.keys() & locked.keys()
        return {name: list(starmap(Locked, locked[name])) for name in wanted}

    def _finish(self, draft: _Draft, key: str, locks: dict[str, dict[str, list[Locked]]]) -> Use:
        resolved = [(*place, *self.declarations.resolve(*place)) for place in draft.places]
        asked = [wanted or handed for _, _, wanted, handed, _ in resolved]
        locked = _first_hit(key, locks, asked)
        handed = [f"{tidy(version)} from {origin}" for *_, version, origin in resolved if version]
        is_local = any(wanted.startswith(_LOCAL) for wanted in asked)
        return Use(
            name=draft.name if draft.places or not locked else locked[1][0].name,
            version=tidy(locked[1][0].version) if locked else self._exact(asked),
            named=draft.named,
            declared=tuple((path, entry, tidy(wanted)) for path, entry, wanted, *_ in resolved),
            remarks=tuple(dict.fromkeys(handed)),
            locked=locked,
            lock_paths=() if is_local else self._locks_of(draft, locks),
            used_in=draft.used_in and (draft.used_in[0], self._alias(draft)),
        )

    def _exact(self, asked: Sequence[str]) -> str:
        """Return the first version that is asked for exactly, "" without one."""
        bare = (_EXTRAS.sub("", each).partition(" for ")[0].strip() for each in asked)
        return tidy(next(filter(self._is_exact, bare), "").removeprefix("==").strip())

    def _is_exact(self, wanted: str) -> bool:
        if wanted.startswith("=="):
            return "*" not in wanted and "," not in wanted
        return self.ecosystem.bare_is_exact and _EXACT.fullmatch(wanted) is not None

    def _locks_of(self, draft: _Draft, locks: Iterable[str]) -> tuple[str, ...]:
        """Return the lock files that a package's manifests are locked in."""
        manifests = {path.rpartition("/")[2] for path, _ in draft.places}
        pairs = self.ecosystem.manifest_of
        return tuple(path for path in locks if pairs.get(path.rpartition("/")[2], "") in {*manifests, ""})

    def _alias(self, draft: _Draft) -> str:
        """Return the name under which a package is imported, "" where that tells nothing new."""
        imported = draft.used_in[1] if draft.used_in else ""
        normal = self.ecosystem.normal
        is_plain = normal(imported).startswith(normal(draft.name.partition(":")[0]))
        return "" if is_plain else imported


def _first_hit(
    key: str, locks: Mapping[str, Mapping[str, Sequence[Locked]]], asked: Sequence[str]
) -> _Hit | None:
    """Return the first of the lock files that holds a package, None where none does."""
    return next(
        ((path, _fitting_first(held[key], asked)) for path, held in locks.items() if key in held), None
    )


def _fitting_first(versions: Sequence[Locked], asked: Sequence[str]) -> tuple[Locked, ...]:
    """Put the versions that do what is declared before the others: a monorepo locks several."""
    return tuple(
        sorted(versions, key=lambda one: any(satisfies(one.version, each) is False for each in asked[:1]))
    )


def _shorten(imported: str) -> str:
    return imported.split(".")[0] if "/" not in imported and imported.count(".") < 2 else imported


def _is_own(imported: str, listing: PackageListing) -> bool:
    """Return whether an import means the project's own code."""
    return imported.split(".")[0].split("/")[0] in listing.folders.names


def _last(name: str) -> str:
    """Return the last part of `vendor/name`; the scope of a name of npm is part of it."""
    return name if name.startswith("@") else name.rpartition("/")[2]
