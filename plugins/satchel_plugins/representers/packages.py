"""Splits lists of packages: the dependencies that a provider found, and lock files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

import attrs

from satchel.plugin_api import ContextItem, Part, lines_of

LOCKS = frozenset(
    """
    Cargo.lock Gemfile.lock Pipfile.lock buildscript-gradle.lockfile composer.lock gems.locked go.sum
    gradle.lockfile npm-shrinkwrap.json package-lock.json packages.lock.json pdm.lock pnpm-lock.yaml
    poetry.lock pylock.toml uv.lock yarn.lock
    """.split()  # noqa: SIM905
)
"""Names of the lock files of all ecosystems, whose readers are loaded where one is split."""
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
        return 0.95 if item.path.rpartition("/")[2] in LOCKS else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return one part per package; lines before the first one are left over."""
        text = item.text or ""
        name = item.path.rpartition("/")[2]
        if item.kind == "dependency" or name not in LOCKS:
            listed = lines_of(text)
            return [
                Part("package", line.partition(" ")[0][:_LONGEST_NAME], (number, number))
                for number, line in enumerate(listed, 1)
                if line.strip()
            ]
        patterns = _patterns(name)
        return list(_split_locked(text, next((one for one in patterns if one.search(text)), patterns[0])))


def _patterns(name: str) -> Sequence[re.Pattern[str]]:
    from satchel_plugins.providers.packages.ecosystems import ECOSYSTEMS

    return next(one.locks[name] for one in ECOSYSTEMS if name in one.locks)


def _split_locked(text: str, pattern: re.Pattern[str]) -> Iterator[Part]:
    """Yield each package with the lines up to the next one; its head is the line that names it."""
    from satchel_plugins.providers.packages.ecosystems import Lines

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
