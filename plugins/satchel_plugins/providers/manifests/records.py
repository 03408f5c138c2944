"""What every reader of manifests and lock files answers with, and how it finds lines."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import attrs

from satchel.plugin_api import lazily

_HEADER = lazily(r"\s*\[\[?\s*([^\[\]\n]{1,300}?)\s*\]\]?\s*(?:#.*)?$")
_KEY = lazily(r"\s*((?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')(?:\s?\.\s?(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*'))*)\s*=\s*")
_PIECE = lazily(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|#.*|[\[\]{}]")
_NAME = lazily(r"[\w-]+|\"[^\"\n]*\"|'[^'\n]*'")
_FIELD = lazily(r"([\w.-]+)\s*=\s*(\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|true|false)")
_LONGEST_LINE = 4_000


class Value(NamedTuple):
    """A string of a document, or an inline table as it is written, with the table and key that hold it."""

    table: tuple[str, ...]
    key: tuple[str, ...]
    text: str
    line: int

    @property
    def fields(self) -> dict[str, str]:
        """Return the strings of an inline table; {} for a plain string."""
        return fields(self.text) if self.text.startswith("{") else {}


def fields(text: str) -> dict[str, str]:
    """Return the strings and truth values of an inline table by key."""
    return {name: value.strip("\"'") for name, value in _FIELD.findall(text)}


def values(text: str) -> Iterator[Value]:
    """Yield every string and inline table, those of an array one by one."""
    scan = _Scan()
    for number, line in enumerate(text.split("\n"), 1):
        yield from scan.line(line[:_LONGEST_LINE], number)


def _names(dotted: str) -> tuple[str, ...]:
    return tuple(name.strip("\"'") for name in _NAME.findall(dotted))


class _Scan:
    """Where a reading stands: the table, and the key whose array or long string is still open."""

    def __init__(self) -> None:
        self.table: tuple[str, ...] = ()
        self.key: tuple[str, ...] = ()
        self.depth = 0
        self.quotes = ""

    def line(self, line: str, number: int) -> Iterator[Value]:
        """Yield the values of one line."""
        if self.quotes:
            self.quotes = "" if self.quotes in line else self.quotes
            return
        if self.depth:
            yield from self._pieces(line, number)
            return
        header = _HEADER.match(line)
        if header:
            self.table, self.key = _names(header[1]), ()
        elif key := _KEY.match(line):
            self.key = _names(key[1])
            yield from self._value(line[key.end() :], number)

    def _value(self, rest: str, number: int) -> Iterator[Value]:
        for quotes in ('"""', "'''"):
            if rest.startswith(quotes):
                self.quotes = "" if quotes in rest[3:] else quotes
                return
        if rest.startswith(("[", "{", '"', "'")):
            yield from self._pieces(rest, number)
        else:
            yield Value(self.table, self.key, rest.partition("#")[0].strip(), number)

    def _pieces(self, rest: str, number: int) -> Iterator[Value]:
        """Yield strings; an inline table is one value, as far as it stands on this line."""
        opened = -1
        for piece in _PIECE.finditer(rest):
            first = piece[0][0]
            if first == "#":
                break
            if first == "{" and opened < 0:
                opened = piece.start()
            elif first == "}" and opened >= 0:
                yield Value(self.table, self.key, rest[opened : piece.end()], number)
                opened = -1
            elif first in "[]" and opened < 0:
                self.depth = max(0, self.depth + (1 if first == "[" else -1))
            elif first in "\"'" and opened < 0:
                yield Value(self.table, self.key, piece[0][1:-1], number)


MOST_ENTRIES = 5_000
"""Entries that are taken from one manifest; no person writes more."""
_USERINFO = lazily(r"(?<=://)[^/@\s]{1,500}@")
_BLANKS = lazily(r"\s+")
_LONGEST_NOTE = 60
_MOST_VERSIONS = 100
"""Of one package in one lock file; only a file that wants to take time has more."""


class Sort(enum.StrEnum):
    """What a manifest says about a package."""

    DECLARED = "declared"
    INDIRECT = "indirect"
    """Written down by a tool: nothing of this project asks for it itself."""
    MANAGED = "managed"
    """A version for whoever declares the package: constraints, workspace tables, catalogs."""
    PROPERTY = "property"
    """A name for a version that other entries use as `${name}`."""
    INCLUDE = "include"
    """Another manifest, by a path relative to this one."""
    INCLUDE_MANAGED = "include-managed"
    """Another manifest whose entries are constraints alone."""


class Requirement(NamedTuple):
    """A line of a manifest: a package and what is wanted of it."""

    name: str
    wanted: str
    """Constraint, version, `${property}`, or "" for any."""
    line: int
    group: str = ""
    """`dev`, `test`, the extra's name; "" for what is always needed."""
    sort: Sort = Sort.DECLARED
    alias: str = ""
    """Another name under which code or manifests of the project know it."""


class Locked(NamedTuple):
    """A package in a lock file, at the version that is installed."""

    name: str
    version: str
    line: int
    inner: bool = False
    """Installed within another package, for that one alone."""


def known_homes(ecosystem: str) -> Mapping[str, tuple[str, ...]]:
    """Return of each import the packages that may hold it, likeliest first, as `homes.txt` has them."""
    sections = Path(__file__).with_name("homes.txt").read_text("utf-8").split("[")
    rows = next(one for one in sections if one.startswith(f"{ecosystem}]")).split()[1:]
    cells = (row.partition("=") for row in rows)
    return {imported: tuple(packages.split(",")) for imported, _, packages in cells}


def lower(name: str) -> str:
    """Return the form in which names of most ecosystems are compared."""
    return name.lower()


def same(name: str) -> str:
    """Return the name as it is: case counts."""
    return name


def tidy(text: str) -> str:
    """Return a constraint on one short line, without the user and password that a URL may hold."""
    plain = _BLANKS.sub(" ", _USERINFO.sub("", text[:1_000])).strip()
    return plain if len(plain) <= _LONGEST_NOTE else f"{plain[: _LONGEST_NOTE - 3]}..."


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


Owns = Callable[[str, str], bool]
Reader = Callable[[str], Iterable[Requirement]]


@attrs.frozen
class Ecosystem:
    """How one language's world writes down and uses packages; every function is linear in its text."""

    name: str
    suffixes: frozenset[str]
    """Of source files, without the dot."""
    reader: Callable[[str], Reader | None]
    """The reader of a manifest, by its path; None for any other path."""
    locks: Mapping[str, tuple[re.Pattern[str], ...]]
    """By file name what finds the packages, groups `name` and `version`; the first that fits counts."""
    imports: Callable[[str], Iterator[str]]
    """What a source text imports, as it is written."""
    candidates: Callable[[str], tuple[str, ...]]
    """Names of packages that an import may mean."""
    owns: Owns | None = None
    """Whether a package, by its name, holds an import; None where the candidates say all."""
    normal: Callable[[str], str] = lower
    """The form in which names are compared."""
    bare_is_exact: bool = True
    """Whether a version without a sign is that version, not a range."""
    manifest_of: Mapping[str, str] = attrs.field(factory=dict)
    """Of a lock file's name the manifest that it belongs to, where an ecosystem has several."""


def find_locked(
    text: str, patterns: Sequence[re.Pattern[str]], *, normal: Callable[[str], str] = lower
) -> dict[str, list[Locked]]:
    """Return the packages by normal name: each version once, those inside others last."""
    pattern = next((one for one in patterns if one.search(text)), None)
    found: dict[str, list[Locked]] = {}
    if pattern is None:
        return found
    lines = Lines(text)
    for match in pattern.finditer(text):
        name, version = normal(match["name"]), match["version"]
        known = found.get(name, ())
        if len(known) == _MOST_VERSIONS or any(one.version == version for one in known):
            continue
        versions = found.setdefault(name, [])
        start = match.start("name")
        inner = text.startswith("/node_modules/", start - 14)
        one = Locked(match["name"], version, lines.of(start), inner)
        versions.insert(len(versions) if inner else sum(not other.inner for other in versions), one)
    return found
