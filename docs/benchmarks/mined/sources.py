"""Which files are source code, which of them are tests, and where definitions begin."""

# ruff: noqa: TID253 - a benchmark starts once: it needs no late imports
from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath
from typing import NamedTuple

from tree_sitter import Language, Node, Parser

GRAMMARS = {
    ".c": ("tree_sitter_c", "language"),
    ".h": ("tree_sitter_c", "language"),
    ".cc": ("tree_sitter_cpp", "language"),
    ".cpp": ("tree_sitter_cpp", "language"),
    ".hpp": ("tree_sitter_cpp", "language"),
    ".cs": ("tree_sitter_c_sharp", "language"),
    ".go": ("tree_sitter_go", "language"),
    ".java": ("tree_sitter_java", "language"),
    ".js": ("tree_sitter_javascript", "language"),
    ".mjs": ("tree_sitter_javascript", "language"),
    ".cjs": ("tree_sitter_javascript", "language"),
    ".jsx": ("tree_sitter_javascript", "language"),
    ".php": ("tree_sitter_php", "language_php"),
    ".py": ("tree_sitter_python", "language"),
    ".rb": ("tree_sitter_ruby", "language"),
    ".rs": ("tree_sitter_rust", "language"),
    ".ts": ("tree_sitter_typescript", "language_typescript"),
    ".mts": ("tree_sitter_typescript", "language_typescript"),
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
}
_DEFINED = re.compile(
    r"(?:abstract_)?(?:class|function|generator_function|method|struct|enum|trait|interface|record|constructor"
    r"|type_alias|preproc_function)_(?:definition|declaration|item|signature|specifier|def)"
    r"|type_spec|macro_definition|type_item|const_item|function_signature_item|class|module|method|singleton_method"
)
_FUNCTIONS = ("arrow_function", "function_expression", "generator_function", "class")
_IDENTIFIERS = ("identifier", "field_identifier", "type_identifier")
_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|testdata|__tests__|e2e|specs?|fixtures?|bench(?:es|marks?)?|playground)(?:/|$)"
    r"|(?:^|/)(?:test_[^/]*|conftest|[^/]*_(?:tests?|spec)|[^/]*\.(?:test|spec)|[^/]*Tests?|tests?)\.\w+$",
)
_ASIDE = re.compile(r"(?:^|/)(?:node_modules|vendor|third_party|dist|deps|examples?|docs?|website)/")
_LARGEST = 1_500_000


class Definition(NamedTuple):
    """A function, type or the like; lines count from 1."""

    name: str
    line: int
    """The line of the name."""
    first: int
    last: int


def is_source(path: str) -> bool:
    """Tell whether a path is source code that a fix could change: no test, no example, nothing vendored."""
    return PurePosixPath(path).suffix in GRAMMARS and not _TEST.search(path) and not _ASIDE.search(path)


def definitions(path: str, content: bytes) -> list[Definition]:
    """Return the definitions of a file in the order in which they begin."""
    if len(content) > _LARGEST:
        return []
    found: list[Definition] = []
    waiting = [_parser(*GRAMMARS[PurePosixPath(path).suffix]).parse(content).root_node]
    while waiting:
        node = waiting.pop()
        found += _defined(node)
        waiting.extend(reversed(node.named_children))
    return found


def innermost(found: list[Definition], line: int) -> Definition | None:
    """Return the smallest definition that holds a line."""
    around = [item for item in found if item.first <= line <= item.last]
    return max(around, key=lambda item: (item.first, -item.last), default=None)


@cache
def _parser(module: str, function: str) -> Parser:
    return Parser(Language(getattr(importlib.import_module(module), function)()))


def _defined(node: Node) -> Iterator[Definition]:
    if not node.is_named or not (_DEFINED.fullmatch(node.type) or _holds_function(node)):
        return
    name = _name(node)
    if name is None or (node.type.endswith("_specifier") and node.child_by_field_name("body") is None):
        return
    text = (name.text or b"").decode(errors="replace")
    yield Definition(text, name.start_point[0] + 1, node.start_point[0] + 1, node.end_point[0] + 1)


def _holds_function(node: Node) -> bool:
    value = node.child_by_field_name("value") if node.type == "variable_declarator" else None
    return value is not None and value.type in _FUNCTIONS


def _name(node: Node) -> Node | None:
    name = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    while name is not None and name.type not in _IDENTIFIERS and name.child_by_field_name("declarator"):
        name = name.child_by_field_name("declarator")
    return name
