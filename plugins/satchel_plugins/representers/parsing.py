"""Parses source text with tree-sitter and asks one query of the tree, within bounds of time."""

from __future__ import annotations

import functools
import itertools
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from satchel.patterns import lazily

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Point, Query, Range, Tree

    from satchel_plugins.representers.queries import Grammar

_ITEM = lazily(
    rb"^\s*(pub(\([^)]*\))?\s+)?(unsafe\s+|async\s+|const\s+)*(fn|struct|enum|trait|impl|mod|type|static)\b",
    re.M,
)
_PATIENCE_SECONDS = 4.0
_CHUNK = 1 << 16
_MOST_EMBEDDED = 3
_DEEPEST_MATCH = 800
_DEEPEST_BRACKETS = 2_000
_WIDEST_ERROR = 20_000
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[](){}"))
_STEPS = bytes.maketrans(b"[({])}", bytes((2, 2, 2, 0, 0, 0)))


class OutOfTimeError(Exception):
    """A text takes longer to read than is worth it."""


@functools.cache
def _loaded(grammar: Grammar) -> tuple[Language, Query]:
    import importlib

    from tree_sitter import Language, Query

    language = Language(getattr(importlib.import_module(grammar.module), grammar.function)())
    return language, Query(language, grammar.query)


def _depth(source: bytes) -> int:
    """Return how deep the brackets nest, strings and comments counted in; 0 for too few to be of concern."""
    steps = source.translate(_STEPS, _NOT_BRACKETS)
    if steps.count(2) <= _DEEPEST_BRACKETS:
        return 0
    return max(itertools.accumulate(step - 1 for step in steps), default=0)


def captures(source: bytes, grammar: Grammar) -> Mapping[str, Sequence[Node]]:
    """Return the captured nodes; what macros hold in braces is read as code of its own.

    Raises OutOfTimeError after four seconds, and at once for what is known to take longer.
    """
    if _depth(source) > _DEEPEST_BRACKETS:
        raise OutOfTimeError("brackets nest too deep")
    from tree_sitter import QueryCursor

    _, query = _loaded(grammar)
    merged: dict[str, list[Node]] = {}
    ranges: list[Range] = []
    for _ in range(_MOST_EMBEDDED):
        cursor = QueryCursor(query)
        cursor.set_max_start_depth(_DEEPEST_MATCH)
        found = cursor.captures(_sane(_parsed(source, grammar, ranges)).root_node)
        for kind, nodes in found.items():
            merged.setdefault(kind, []).extend(nodes)
        ranges = list(_embedded(source, found.get("embedded", ())))
        if not ranges:
            break
    return merged


def _embedded(source: bytes, nodes: Sequence[Node]) -> Iterator[Range]:
    """Yield the insides of those braces that hold definitions."""
    from tree_sitter import Point, Range

    covered = 0
    for node in sorted(nodes, key=lambda node: node.start_byte):
        first, last = node.start_byte, node.end_byte
        if first >= covered and source[first : first + 1] == b"{" and _ITEM.search(source, first, last):
            start, end = node.start_point, node.end_point
            covered = last
            inside = Point(start.row, start.column + 1), Point(end.row, max(0, end.column - 1))
            yield Range(*inside, first + 1, last - 1)


def _parsed(source: bytes, grammar: Grammar, ranges: Sequence[Range] = ()) -> Tree:
    from tree_sitter import Parser

    parser = Parser(_loaded(grammar)[0], included_ranges=ranges or None)
    deadline = time.monotonic() + _PATIENCE_SECONDS

    def chunk(offset: int, _: Point) -> bytes:
        return source[offset : offset + _CHUNK]

    try:
        return parser.parse(chunk, progress_callback=lambda *_: time.monotonic() > deadline)
    except ValueError as error:  # what tree-sitter raises where the callback says to stop
        raise OutOfTimeError(grammar.module) from error


def _sane(tree: Tree) -> Tree:
    """Return `tree`; raise OutOfTimeError where an error has so many children that a query takes minutes."""
    root = tree.root_node
    nodes = [root, *root.children] if root.child_count < 1_000 else [root]
    if any(node.is_error and node.child_count > _WIDEST_ERROR for node in nodes):
        raise OutOfTimeError("too many tokens in one error")
    return tree
