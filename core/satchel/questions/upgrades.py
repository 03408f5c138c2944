"""Find the versions of an upgrade, and the pages and sections about them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from satchel.parts import Part
from satchel.patterns import lazily

Version = tuple[int, ...]

_SPAN = lazily(
    r"(?i)\b(?:from|between)\b.{0,25}?(?<![\w.])v?(?P<old>\d[\w.]*).{0,10}?(?:\b(?:to|and)\b|->|→)"
    r".{0,25}?(?<![\w.])v?(?P<new>\d[\w.]*)"
)
_FROM_TO = lazily(
    r"(?i)(?<![a-z\d.])v?\d[a-z\d.]*[-_\s]*(?:(?<![a-z])to(?![a-z])|->|→|=>)[-_\s]*v?(\d+(?:\.\d+)*)"
)
"""Both versions of an upgrade: "from 2.x to 3.0"."""
_ENTRY = lazily(
    r"(?i)\W*(?:[a-z@][\w/-]*(?:\.[a-z]+)?\s+){0,3}?[\[(]*"
    r"(?:v?(\d+(?:\.\d+)+)|v(\d+)|(?:(?<=version )|(?<=release ))(\d+)|(\d+)(?=\.x|\W*$))"
    r"(\.x|\+)?"
)
"""The beginning of a release's heading: `## [1.2.0]`, "Version 2.0.0", "Express 5.x"."""
_INNER_ENTRY = lazily(r"(?i)\W*(?:(?:version|release)\s+)?[\[(]*v?(\d+(?:\.\d+)+)()")
"""The same below the heading of another release, where "Python 3.14" is a requirement."""
_UNRELEASED = lazily(r"(?i)\W*(unreleased|next (release|version)|upcoming)\b")
_IN_NAME = lazily(
    r"(?i)(?:^|[-_. ])(?:(?:to|version|release)[-_. ]?v?|v)(\d+(?:\.\d+)*)"
    r"|(?:^|[-_. /])(\d+\.\d+(?:\.\d+)*)|(?:migrat\w*|upgrad\w*|change(?:s|log))[-_ ](\d+)"
)
"""The version in the name of a page: `Migration-Guide-V5`, `upgrading-to-10`, `5.0-Upgrade`."""
_ENDING = lazily(r"(?i)\.[a-z]{2,5}$")
_GUIDE = lazily(
    r"(?i)(upgrad|migrat)[^/]*$|(^|/)[^/]*(upgrad|migrat)[^/]*/[^/]+$"
    r"|[-_.]changes?[-_. ](to[-_. ]?)?v?\d[^/]*$"
)
_UNKNOWN: Version = (10**6,)
_YEAR = 1_000
"""A number alone that is a year, and no version."""


class Relation(Enum):
    """The relation of an entry on a version to an upgrade."""

    NAMED = "named"
    """It is the target version of the upgrade."""
    BETWEEN = "between"
    """It lies between the two."""
    BESIDE = "beside"
    """It is a smaller one after either of them: `3.1.2` in an upgrade to 3."""
    OUTSIDE = "outside"


class Upgrade(NamedTuple):
    """The old and the new version of an upgrade."""

    old: Version
    new: Version

    def relate(self, version: Version, *, is_series: bool = False) -> Relation:
        """Return a version's relation to the upgrade; a series is all that begins with it, like `5.x`."""
        own, new, old = _strip(version), _strip(self.new), _strip(self.old)
        if own == new:
            return Relation.BESIDE if is_series else Relation.NAMED
        if version[: len(self.new)] == self.new:
            return Relation.BESIDE
        if own <= old or own > new:
            return Relation.OUTSIDE
        return Relation.BESIDE if version[: len(self.old)] == self.old else Relation.BETWEEN


def read_upgrade(text: str, versions: Sequence[str]) -> Upgrade | None:
    """Return the upgrade in a question, given the `versions` that it names.

    If it names only the target, it is from the last version before: to 5 from a 4, to 0.28 from a 0.27.
    """
    if (found := _SPAN.search(text)) is not None:
        old, new = read_version(found["old"]), read_version(found["new"])
        return Upgrade(old, new) if old < new else None
    new = read_version(versions[0]) if len(versions) == 1 else ()
    if not new:
        return None
    at = max((at for at, number in enumerate(new) if number), default=0)
    return Upgrade((*new[:at], new[at] - 1, *_UNKNOWN), new)


def is_guide(path: str) -> bool:
    """Return whether a page is about upgrades, by its name or its folder's."""
    return _GUIDE.search(path) is not None


def relate_parts(
    upgrade: Upgrade, path: str, parts: Sequence[Part], lines: Sequence[str]
) -> list[Relation | None]:
    """Return the relation of each part of a page of changes to an upgrade, None for parts without a version.

    A guide with a version in its name is about that; in other pages, the parts after the heading of a
    release are about this.
    """
    whole = _find_in_name(_ENDING.sub("", path.rpartition("/")[2]))
    relation = upgrade.relate(whole) if whole else None
    if relation is not None and is_guide(path):
        return [relation] * len(parts)
    found: list[Relation | None] = []
    end = parts[-1].lines[1] if relation is not None and parts else 0
    for part in parts:
        heading = part.name or lines[part.lines[0] - 1]
        version = _find_version(heading, is_inner=part.lines[0] <= end)
        if version is not None:
            relation = upgrade.relate(version[0], is_series=version[1])
            end = max(end, part.span[1])
        found.append(relation)
    return found


def _find_version(heading: str, *, is_inner: bool) -> tuple[Version, bool] | None:
    """Return the version in a heading, and whether it is a series of versions."""
    if (both := _FROM_TO.search(heading)) is not None and not is_inner:
        return read_version(both[1]), False
    if _UNRELEASED.match(heading) and not is_inner:
        return _UNKNOWN, False
    found = (_INNER_ENTRY if is_inner else _ENTRY).match(heading)
    if found is None:
        return None
    *numbers, series = found.groups()
    version = read_version(next(filter(None, numbers)))
    return None if len(version) == 1 and version[0] >= _YEAR else (version, bool(series))


def _find_in_name(name: str) -> Version | None:
    both, alone = _FROM_TO.search(name), _IN_NAME.search(name)
    written = both[1] if both else next(filter(None, alone.groups()), "") if alone else ""
    version = read_version(written) if written else ()
    return version if any(version) else None


def read_version(written: str) -> Version:
    """Return the numbers of a version: 4 and 2 of `v4.2.x`."""
    return tuple(int(one) for one in re.findall(r"\d+", written.partition(".x")[0])) or _UNKNOWN


def _strip(version: Version) -> Version:
    """Return a version without the zeros at its end: 5, 5.0 and 5.0.0 are one."""
    end = max((at for at, number in enumerate(version, 1) if number), default=0)
    return version[:end]
