"""Finds definitions that a parser lost: after a syntax error, or among C macros that it can't expand."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from satchel.patterns import lazily
from satchel_plugins.representers.definitions import Definition, lines_of
from satchel_plugins.representers.naming import names_of
from satchel_plugins.representers.outline import keyword_definitions

if TYPE_CHECKING:
    from tree_sitter import Node

_DEFINE = lazily(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(?:[^\n\\]|\\\r?\n|\\.)*", re.MULTILINE)
_AFTER = lazily(rb"[\s\w:]{0,200}?([;{])")
_TOKEN = lazily(rb"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[{}]", re.DOTALL)
_LIKELY = frozenset({"function", "class", "struct", "interface", "enum", "trait", "module", "namespace"})
_LONGEST_BODY = 60_000


def lost(source: bytes, errors: Sequence[tuple[int, int]]) -> Iterator[Definition]:
    """Yield what looks like a definition on the lines of syntax errors; indentation tells its end."""
    if not errors:
        return
    lines = lines_of(source.decode("utf-8", "replace"))
    ranges = sorted(errors)
    starts = [first for first, _ in ranges]
    reach = list(itertools.accumulate((last for _, last in ranges), max))
    for each in keyword_definitions(lines):
        at = bisect_right(starts, each.head[0]) - 1
        if at >= 0 and reach[at] >= each.head[0] and each.kind in _LIKELY:
            yield each


def repaired(source: bytes, captured: Mapping[str, Sequence[Node]]) -> Iterator[Definition]:
    """Yield every `#define` outside comments, and the functions whose lines the parser gave up on."""
    comments = sorted((node.start_byte, node.end_byte) for node in captured.get("comment", ()))
    starts = [start for start, _ in comments]
    for match in _DEFINE.finditer(source):
        at = bisect_right(starts, match.start()) - 1
        if at < 0 or comments[at][1] <= match.start():
            first = source.count(b"\n", 0, match.start()) + 1
            last = first + source.count(b"\n", match.start(), match.end())
            yield Definition(match[1].decode("ascii", "replace"), "macro", first, last, (first, first))
    for node in sorted(captured.get("broken", ()), key=lambda node: node.start_byte):
        yield from _function(source, node)


def _function(source: bytes, node: Node) -> Iterator[Definition]:
    """Yield the prototype or function that a lone declarator begins, by what follows its parentheses."""
    names = names_of(node, source)
    after = _AFTER.match(source, node.end_byte)
    if not names or after is None or len(names[0]) < 2:
        return
    first, sign_last = node.start_point.row + 1, node.end_point.row + 1
    if after[1] == b";":
        kind, last = "prototype", sign_last
    else:
        kind, last = "function", sign_last + _braces(source, after.start(1), node.end_byte)
    yield Definition(names[0], kind, first, last, (first, min(sign_last, first + 5)))


def _braces(source: bytes, start: int, since: int) -> int:
    """Return how many lines after offset `since` the brace at `start` is closed, 0 where it never is."""
    depth = 0
    for token in _TOKEN.finditer(source, start, start + _LONGEST_BODY):
        depth += (token[0] == b"{") - (token[0] == b"}")
        if depth == 0 and token[0] == b"}":
            return source.count(b"\n", since, token.end())
    return 0
