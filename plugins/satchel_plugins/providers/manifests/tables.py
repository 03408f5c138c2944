"""Reads the keys and strings of TOML with their lines; what is damaged costs its own line only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from satchel.patterns import lazily

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
