"""Splits lists of packages: the dependencies that a provider found, and lock files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

import attrs

from satchel import ContextItem, Part
from satchel_plugins.providers.manifests import ECOSYSTEMS
from satchel_plugins.providers.manifests.records import Lines
from satchel_plugins.representers.definitions import lines_of

_PATTERNS = {name: patterns for one in ECOSYSTEMS for name, patterns in one.locks.items()}
_LONGEST_NAME = 120


@attrs.frozen(eq=False, repr=False)
class Packages:
    """One part for each package of a lock file, one for each line of a dependency item."""

    name: ClassVar[str] = "packages"
    version: ClassVar[str] = "1"

    def claims(self, item: ContextItem) -> float:
        """Return 0.9 for an item of dependencies, 0.95 for a lock file that is known by its name."""
        if item.kind == "dependency":
            return 0.9
        return 0.95 if item.path.rpartition("/")[2] in _PATTERNS else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return one part per package; lines before the first one are left over."""
        text = item.text or ""
        patterns = _PATTERNS.get(item.path.rpartition("/")[2])
        if item.kind == "dependency" or patterns is None:
            listed = lines_of(text)
            return [
                Part("package", line.partition(" ")[0][:_LONGEST_NAME], (number, number))
                for number, line in enumerate(listed, 1)
                if line.strip()
            ]
        return list(_locked(text, next((one for one in patterns if one.search(text)), patterns[0])))


def _locked(text: str, pattern: re.Pattern[str]) -> Iterator[Part]:
    """Yield each package with the lines up to the next one; its head is the line that names it."""
    lines = lines_of(text)
    starts: list[tuple[int, str, int]] = []
    counted = Lines(text)
    for match in pattern.finditer(text):
        named = counted.of(match.start("name"))
        first = named - 1 if named > 1 and lines[named - 2].startswith("[[") else named
        if not starts or first > starts[-1][2]:
            starts.append((first, f"{match['name']} {match['version']}"[:_LONGEST_NAME], named))
    for at, (first, name, named) in enumerate(starts):
        last = starts[at + 1][0] - 1 if at + 1 < len(starts) else len(lines)
        yield Part("package", name, (first, last), (named, named))
