"""How manifests and lock files of each ecosystem name packages, and how its sources import them: patterns.

Nothing is parsed and nothing is run; every pattern takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from satchel.plugin_api import lazily

MOST_ENTRIES = 5_000
"""Most entries of one manifest; no person writes more."""
_LONGEST_NOTE = 60
_MOST_VERSIONS = 20
"""Most versions of one package in one lock file."""
_USERINFO = lazily(r"(?<=://)[^/@\s]{1,500}@")
_VERSION = lazily(r"\bversion\s?=\s?[\"']([^\"'\n]{1,100})[\"']")
_MAVEN_PAIR = lazily(r"</groupId>\s*<artifactId>")
_VARIABLE = lazily(r"\$?[({]?([A-Za-z][\w.-]{0,60})[)}]?")
"""A version that another line of the manifest defines."""
_MOST_VARIABLES = 100
_JOINS = lazily(r"[-_.]+")
_WORDS = lazily(r"(?<=[a-z0-9])(?=[A-Z])")
_KEYS = frozenset(
    """
    branch default-features extras features git markers optional package path python rev source tag url
    version workspace
    """.split()  # noqa: SIM905
)
"""Keys of tables with more about one package."""


class Manifest(NamedTuple):
    """A kind of manifest."""

    files: re.Pattern[str]
    """Finds its path."""
    entry: re.Pattern[str]
    """Finds a package: its name and wanted version, in the first two groups or in the next two."""
    section: re.Pattern[str] | None = None
    """Finds the texts, its first group, that declare packages; None for the whole file."""
    comment: re.Pattern[str] | None = None


class Entry(NamedTuple):
    """A line of a manifest or of a lock file."""

    name: str
    wanted: str
    """Constraint or version, "" for any."""
    line: int


class Ecosystem(NamedTuple):
    """How the tools of one language declare and use packages."""

    name: str
    suffixes: frozenset[str]
    manifests: tuple[Manifest, ...]
    locks: Mapping[str, tuple[re.Pattern[str], ...]]
    """By a lock file's name, its possible forms, with `name` and `version` of each package."""
    imported: tuple[re.Pattern[str], ...]
    joint: str
    """The separator between the words of an import."""

    def declares(self, path: str) -> bool:
        """Return whether a path is that of a manifest."""
        return any(one.files.search(path) for one in self.manifests)

    def find_declarations(self, path: str, text: str) -> list[Entry]:
        """Return the packages that a manifest declares."""
        kinds = [one for one in self.manifests if one.files.search(path)]
        found = chain.from_iterable(_iter_declarations(one, text) for one in kinds)
        return sorted(islice(found, MOST_ENTRIES), key=lambda entry: entry.line)

    def imports(self, text: str) -> list[str]:
        """Return the imports of a source text, as written, each once."""
        found = (next(filter(None, match.groups())) for one in self.imported for match in one.finditer(text))
        words = (name.split() for some in found for name in some.split(","))
        return list(dict.fromkeys(one[0].strip(".;") for one in words if one))

    def candidates(self, imported: str) -> list[str]:
        """Return normal names of packages that an import may mean, the likeliest first."""
        parts = [part for part in imported.split(self.joint) if part]
        prefixes = [parts[:count] for count in range(min(len(parts), 8), 0, -1)]
        known = (_homes(self.name).get(self.joint.join(some), ()) for some in prefixes)
        names = [name for some in known for name in some]
        if self.joint == "\\":  # Monolog\Handler -> monolog/handler, monolog/monolog
            words = [_WORDS.sub("-", part).lower() for part in parts]
            names += [f"{words[0]}/{word}" for word in (*words[1:], *words[:1])] if words else []
        for some in prefixes:
            names.append(self.joint.join(some))
            names.append(_WORDS.sub("-", "-".join(some)))
        return list(dict.fromkeys(map(normal, names)))


def normal(name: str) -> str:
    """Return a name in the form for comparisons."""
    return _JOINS.sub("-", name).lower()


@cache
def _homes(ecosystem: str) -> Mapping[str, tuple[str, ...]]:
    """Return the packages in `homes.txt` that may hold each import, likeliest first."""
    sections = Path(__file__).with_name("homes.txt").read_text("utf-8").split("[")
    rows = next((one for one in sections if one.startswith(f"{ecosystem}]")), "").split()[1:]
    cells = (row.partition("=") for row in rows)
    return {imported: tuple(packages.split(",")) for imported, _, packages in cells}


def tidy(text: str) -> str:
    """Return a constraint on one short line, without the user and password that a URL may hold."""
    told = _VERSION.search(text) if text.startswith("{") else None
    plain = " ".join(_USERINFO.sub("", told[1] if told else text[:1_000]).split()).strip("\"', ")
    plain = "" if plain in ("*", "true") else plain
    return plain if len(plain) <= _LONGEST_NOTE else f"{plain[: _LONGEST_NOTE - 3]}..."


def _iter_declarations(kind: Manifest, text: str) -> Iterator[Entry]:
    plain = kind.comment.sub(lambda found: " " * len(found[0]), text) if kind.comment else text
    lines, known = Lines(text), dict[str, str]()
    sections = [one.span(1) for one in kind.section.finditer(plain)] if kind.section else [(0, len(text))]
    for start, end in sections:
        for found in kind.entry.finditer(plain[start:end]):
            at = 1 if found[1] else 3
            name, wanted = found[at], found[at + 1] or ""
            if name not in _KEYS:
                variable = _VARIABLE.fullmatch(wanted)
                if variable and wanted not in known and len(known) < _MOST_VARIABLES:
                    known[wanted] = _find_value(variable[1], text)
                wanted = tidy(known.get(wanted) or wanted)
                yield Entry(_MAVEN_PAIR.sub(":", name), wanted, lines.of(start + found.start(at)))


def _find_value(name: str, text: str) -> str:
    """Return the version that a manifest gives a name, "" without one."""
    found = re.search(rf"\b{re.escape(name)}\b[>\s=\"']{{1,9}}(\d[\w.+-]{{0,60}})", text)
    return found[1] if found else ""


class Lines:
    """Line numbers of rising offsets, each found from the one before."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at, self._line = 0, 1

    def of(self, offset: int) -> int:
        """Return the line, counted from 1, of an offset that is not below the last one asked for."""
        self._line += self._text.count("\n", self._at, offset)
        self._at = max(offset, self._at)
        return self._line


def find_locked(text: str, patterns: Sequence[re.Pattern[str]]) -> dict[str, list[Entry]]:
    """Return the packages of a lock file by normal name: each version once, nested ones last."""
    pattern = next((one for one in patterns if one.search(text)), None)
    found: dict[str, list[Entry]] = {}
    inner: dict[str, list[Entry]] = {}
    lines = Lines(text)
    for match in pattern.finditer(text) if pattern is not None else ():
        start, name = match.start("name"), normal(match["name"])
        versions = (inner if text.startswith("/node_modules/", start - 14) else found).setdefault(name, [])
        if len(versions) < _MOST_VERSIONS and all(one.wanted != match["version"] for one in versions):
            versions.append(Entry(match["name"], match["version"], lines.of(start)))
    return {name: [*found.get(name, ()), *inner.get(name, ())] for name in {**found, **inner}}


def _read_ecosystems() -> Iterator[Ecosystem]:
    """Yield the ecosystems, as `ecosystems.txt` has them."""
    for section in Path(__file__).with_name("ecosystems.txt").read_text("utf-8").split("\n[")[1:]:
        name, *rows = section.splitlines()
        told: dict[str, str] = {}
        manifests: list[dict[str, re.Pattern[str]]] = []
        locks: dict[str, tuple[re.Pattern[str], ...]] = {}
        imported: list[re.Pattern[str]] = []
        for key, _, value in (row.partition(": ") for row in rows):
            if key == "manifest":
                manifests.append({"files": lazily(value)})
            elif key in Manifest._fields:
                manifests[-1][key] = lazily(value)
            elif key == "import":
                imported.append(lazily(value))
            elif key.startswith("lock "):
                locks |= {file: (*locks.get(file, ()), lazily(value)) for file in key.split()[1:]}
            else:
                told[key] = value
        kinds = tuple(Manifest(**one) for one in manifests)
        suffixes = frozenset(told["suffixes"].split())
        yield Ecosystem(name.rstrip("]"), suffixes, kinds, locks, tuple(imported), told["joint"])


ECOSYSTEMS = tuple(_read_ecosystems())
