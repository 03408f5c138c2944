"""Definitions: what a language's reader found in a text, before it is cut into parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

NO_LINES = (0, 0)

CALLABLES = frozenset({"function", "method", "constructor", "property", "macro", "operator"})
MINOR = frozenset(
    {"prototype", "variable", "constant", "type", "typedef", "macro", "property", "module", "key", "event"}
)
TYPES = frozenset(
    {"class", "interface", "struct", "enum", "trait", "impl", "record", "object", "union", "annotation"}
)


class Definition(NamedTuple):
    """A named run of lines; `depth` is the number of definitions around it."""

    name: str
    kind: str
    first: int
    """From its doc comment or first decorator on."""
    last: int
    head: tuple[int, int] = NO_LINES
    depth: int = 0

    @property
    def size(self) -> int:
        """Return the number of lines."""
        return self.last - self.first + 1

    @property
    def is_minor(self) -> bool:
        """Return whether it is too small to stand alone: a prototype, a constant, a one-line macro."""
        return self.kind in MINOR and self.size <= 4


class Outline(NamedTuple):
    """All that a reader found; definitions in order of their first line, outer before inner."""

    definitions: Sequence[Definition] = ()
    imports: Sequence[tuple[int, int]] = ()
    """Lines of statements that name other files."""
    refs: Sequence[tuple[int, str]] = ()
    """Names that are called or used as types, each with its line."""


def lines_of(text: str) -> list[str]:
    """Return the lines without their newline; only a newline ends a line, the last one may lack it."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def nested(found: Iterable[Definition]) -> list[Definition]:
    """Return the definitions sorted, each with its depth; one that ends outside its parent is cut to it."""
    ordered = sorted(found, key=lambda each: (each.first, -each.last))
    open_until: list[int] = []
    result = []
    for each in ordered:
        while open_until and open_until[-1] < each.first:
            open_until.pop()
        name, kind, first, last, head, _ = each
        last = min(last, open_until[-1]) if open_until else last
        result.append(Definition(name, kind, first, last, head, len(open_until)))
        open_until.append(last)
    return result


def tidy(text: str, limit: int = 120) -> str:
    """Return `text` on one line, at most `limit` characters."""
    return " ".join(text.split())[:limit]
