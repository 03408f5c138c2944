"""What the manifests of one ecosystem declare, folder by folder, and what they hand down to those below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import attrs

from satchel_plugins.providers.manifests.records import Ecosystem, Entry, Sort
from satchel_plugins.providers.packages.listing import Listing

Place = tuple[str, Entry]
"""The path of a manifest and an entry of it."""


class Level(NamedTuple):
    """The declarations of one folder, in order and by every name that they are known under."""

    places: tuple[Place, ...]
    by_name: Mapping[str, tuple[Place, ...]]


@attrs.frozen
class Declarations:
    """Declarations of one ecosystem, each folder put together once."""

    ecosystem: Ecosystem
    listing: Listing
    _levels: dict[tuple[str, ...], Level] = attrs.field(factory=dict)
    _handed: dict[str, tuple[Place, ...]] = attrs.field(factory=dict)

    def levels(self, path: str) -> Iterator[Level]:
        """Yield the declarations of each folder from a file's own up to the root."""
        for manifests in self.listing.homes.manifests_above(path, self.ecosystem):
            yield self.level(manifests)

    def level(self, manifests: Sequence[str]) -> Level:
        """Return the declarations of some manifests and of what they include."""
        key = tuple(manifests)
        if key not in self._levels:
            self._levels[key] = self._made(key)
        return self._levels[key]

    def _made(self, manifests: Sequence[str]) -> Level:
        normal, by_name = self.ecosystem.normal, dict[str, list[Place]]()
        places = tuple(self._declared(manifests))
        for place in places:
            for name in {normal(place[1].name), normal(place[1].alias)} - {""}:
                by_name.setdefault(name, []).append(place)
        return Level(places, {name: tuple(found) for name, found in by_name.items()})

    def _declared(self, manifests: Sequence[str]) -> Iterator[Place]:
        for manifest in manifests:
            for path, entry in self.listing.included(self.ecosystem, manifest):
                if entry.sort in (Sort.DECLARED, Sort.INDIRECT):
                    yield path, self._by_catalog(path, entry)

    def _by_catalog(self, path: str, entry: Entry) -> Entry:
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
                for level in self.listing.homes.manifests_above(path, self.ecosystem)
                for manifest in level
                for place in self.listing.included(self.ecosystem, manifest)
                if place[1].sort in (Sort.MANAGED, Sort.PROPERTY)
            )
        return self._handed[folder]

    def resolved(self, path: str, entry: Entry) -> tuple[str, str, str]:
        """Return what an entry wants, what is handed down to it, and where that stands."""
        handed, key = self.handed(path), self.ecosystem.normal(entry.name)
        wanted = valued(entry.wanted, handed)
        for place, one in handed:
            is_same = self.ecosystem.normal(one.name) == key
            if (
                one.sort is Sort.MANAGED
                and one.wanted
                and (is_same or (not wanted and _is_parent(one, entry)))
            ):
                return wanted, valued(one.wanted, handed), f"{place}:{one.line}"
        return wanted, "", ""


def _is_parent(parent: Entry, entry: Entry) -> bool:
    """Return whether an entry of Maven takes its version from a parent of the same group."""
    return parent.name.endswith(":*") and entry.name.startswith(parent.name[:-2])


def valued(wanted: str, handed: Sequence[Place]) -> str:
    """Replace `${name}` by the property of that name, which may be one more name."""
    for _ in range(3):
        if not (wanted.startswith("${") and wanted.endswith("}")):
            break
        name = wanted[2:-1]
        properties = (one.wanted for _, one in handed if one.sort is Sort.PROPERTY and one.name == name)
        wanted = next(properties, name)
    return wanted
