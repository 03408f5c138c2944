"""Reads definitions, imports and uses off a tree-sitter tree, with one query per language."""

from __future__ import annotations

import functools
import itertools
import re
import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.plugin_api import Part, lazily, lines_of
from satchel_plugins.representers.naming import name_node, names_of
from satchel_plugins.representers.outlines import keyword_definitions, plain_parts
from satchel_plugins.representers.partition import CALLABLES, NO_LINES, TYPES, Definition, Outline, partition

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Point, Query, Range, Tree


@attrs.frozen(eq=False)
class Grammar:
    """A tree-sitter grammar and satchel's queries for its trees.

    Captures named `ref`, `import`, `comment`, `attribute`, `wrap`, `called`, `callback`, `embedded`, `error`
    and `broken` have a meaning of their own; every other capture is a definition of that kind. A `callback`
    is a call that is given a name and a function: a handler, a route, a test.
    """

    module: str
    """Import name of the wheel."""
    queries: tuple[str, ...]
    """Names of the files in `grammars`."""
    function: str = "language"
    """The function of the wheel that returns the grammar."""
    calls: Mapping[str, str] = attrs.field(factory=dict)
    """Kinds of nodes captured as `called`, by the called name: query predicates are slower."""
    preprocessed: bool = False
    """Whether lines that begin with `#define` are definitions anywhere."""
    attributes_in_head: bool = True
    """Whether attributes of up to two lines above a name belong to its head, as decorators do."""

    @property
    def query(self) -> str:
        """Return the query text for all of it."""
        folder = Path(__file__).with_name("grammars")
        texts = [(folder / f"{name}.scm").read_text(encoding="utf-8") for name in self.queries]
        return "\n".join(("(ERROR) @error", *texts))


_RUBY_CALLS = {
    **dict.fromkeys(("attr", "attr_reader", "attr_writer", "attr_accessor", "cattr_accessor"), "property"),
    **dict.fromkeys(
        ("cattr_reader", "mattr_accessor", "class_attribute", "alias_method", "scope"), "property"
    ),
    **dict.fromkeys(("define_method", "define_singleton_method"), "method"),
    **dict.fromkeys(("require", "require_relative", "load", "autoload"), "import"),
}
_SHELL_CALLS = {"source": "import", ".": "import", "alias": "constant"}
_REQUIRE = {"require": "import"}
_TYPESCRIPT = "tree_sitter_typescript"

GRAMMARS = {
    "PYTHON": Grammar("tree_sitter_python", ("python",)),
    "RUBY": Grammar("tree_sitter_ruby", ("ruby",), calls=_RUBY_CALLS),
    "PHP": Grammar("tree_sitter_php", ("php",), "language_php", {"define": "constant"}),
    "SHELL": Grammar("tree_sitter_bash", ("shell",), calls=_SHELL_CALLS),
    "JAVASCRIPT": Grammar("tree_sitter_javascript", ("ecma", "javascript", "jsx"), calls=_REQUIRE),
    "TYPESCRIPT": Grammar(_TYPESCRIPT, ("ecma", "typescript"), "language_typescript", _REQUIRE),
    "TSX": Grammar(_TYPESCRIPT, ("ecma", "typescript", "jsx"), "language_tsx", _REQUIRE),
    "GO": Grammar("tree_sitter_go", ("go",)),
    "RUST": Grammar("tree_sitter_rust", ("rust",), attributes_in_head=False),
    "C": Grammar("tree_sitter_c", ("c_family",), preprocessed=True),
    "CPP": Grammar("tree_sitter_cpp", ("c_family", "cpp"), preprocessed=True),
    "JAVA": Grammar("tree_sitter_java", ("java",)),
    "CSHARP": Grammar("tree_sitter_c_sharp", ("csharp",)),
}


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
    """Reading a text takes longer than it is worth."""


@functools.cache
def _load(grammar: Grammar) -> tuple[Language, Query]:
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
    """Return the captured nodes; the insides of macros' braces are read as code of their own.

    Raises OutOfTimeError after four seconds, and at once for a text that is known to take longer.
    """
    if _depth(source) > _DEEPEST_BRACKETS:
        raise OutOfTimeError("brackets nest too deep")
    from tree_sitter import QueryCursor

    _, query = _load(grammar)
    merged: dict[str, list[Node]] = {}
    ranges: list[Range] = []
    for _ in range(_MOST_EMBEDDED):
        cursor = QueryCursor(query)
        cursor.set_max_start_depth(_DEEPEST_MATCH)
        found = cursor.captures(_sane(_parse(source, grammar, ranges)).root_node)
        for kind, nodes in found.items():
            merged.setdefault(kind, []).extend(nodes)
        ranges = list(_find_embedded(source, found.get("embedded", ())))
        if not ranges:
            break
    return merged


def _find_embedded(source: bytes, nodes: Sequence[Node]) -> Iterator[Range]:
    """Yield the insides of braces that hold definitions."""
    from tree_sitter import Point, Range

    covered = 0
    for node in sorted(nodes, key=lambda node: node.start_byte):
        first, last = node.start_byte, node.end_byte
        if first >= covered and source[first : first + 1] == b"{" and _ITEM.search(source, first, last):
            start, end = node.start_point, node.end_point
            covered = last
            inside = Point(start.row, start.column + 1), Point(end.row, max(0, end.column - 1))
            yield Range(*inside, first + 1, last - 1)


def _parse(source: bytes, grammar: Grammar, ranges: Sequence[Range] = ()) -> Tree:
    from tree_sitter import Parser

    parser = Parser(_load(grammar)[0], included_ranges=ranges or None)
    deadline = time.monotonic() + _PATIENCE_SECONDS

    def chunk(offset: int, _: Point) -> bytes:
        return source[offset : offset + _CHUNK]

    try:
        return parser.parse(chunk, progress_callback=lambda *_: time.monotonic() > deadline)
    except ValueError as error:  # tree-sitter raises it when the callback says to stop
        raise OutOfTimeError(grammar.module) from error


def _sane(tree: Tree) -> Tree:
    """Return `tree`; raise OutOfTimeError where an error has so many children that a query takes minutes."""
    root = tree.root_node
    nodes = [root, *root.children] if root.child_count < 1_000 else [root]
    if any(node.is_error and node.child_count > _WIDEST_ERROR for node in nodes):
        raise OutOfTimeError("too many tokens in one error")
    return tree


_DEFINE = lazily(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(?:[^\n\\]|\\\r?\n|\\.)*", re.MULTILINE)
_AFTER = lazily(rb"[\s\w:]{0,200}?([;{])")
_TOKEN = lazily(rb"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[{}]", re.DOTALL)
_LIKELY = frozenset({"function", "class", "struct", "interface", "enum", "trait", "module", "namespace"})
_LONGEST_BODY = 60_000


def lost(source: bytes, errors: Sequence[tuple[int, int]]) -> Iterator[Definition]:
    """Yield apparent definitions on the lines of syntax errors; indentation shows their ends."""
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


def repair(source: bytes, captured: Mapping[str, Sequence[Node]]) -> Iterator[Definition]:
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
    """Yield the prototype or function that a lone declarator begins, by the text after its parentheses."""
    names = names_of(node, source)
    after = _AFTER.match(source, node.end_byte)
    if not names or after is None or len(names[0]) < 2:
        return
    first, sign_last = node.start_point.row + 1, node.end_point.row + 1
    if after[1] == b";":
        kind, last = "prototype", sign_last
    else:
        kind, last = "function", sign_last + _braces(source, after.start(1), node)
    yield Definition(names[0], kind, first, last, (first, min(sign_last, first + 5)))


def _braces(source: bytes, start: int, head: Node) -> int:
    """Return how many lines after a head the brace at `start` is closed, 0 if it never is.

    Both branches of an `#ifdef` may open one: then the next brace at the margin closes a function that
    begins there.
    """
    depth, since = 0, head.end_byte
    for token in _TOKEN.finditer(source, start, start + _LONGEST_BODY):
        depth += (token[0] == b"{") - (token[0] == b"}")
        if depth == 0 and token[0] == b"}":
            return source.count(b"\n", since, token.end())
    line = source.rfind(b"\n", 0, head.start_byte) + 1
    closing = -1 if source[line : line + 1].isspace() else source.find(b"\n}", start, start + _LONGEST_BODY)
    return source.count(b"\n", since, closing + 1) if closing >= 0 else 0


_EXPORTED = lazily(
    rb"\b((?:class|struct)[ \t]+)((?:[A-Z][A-Z0-9_]{2,60}(?:\([^()\n]{0,60}\))?[ \t]+){1,2})"
    rb"(?=[A-Za-z_]\w{0,100}\s{0,40}(?:final\s{0,40})?(?:\{|:(?!:)))"
)
"""Macros between `class` and a name, which no grammar knows: `class SPDLOG_API sink {`."""
_SPECIAL = frozenset(
    {"ref", "import", "comment", "attribute", "wrap", "called", "callback", "embedded", "error", "broken"}
)
_NAMED_OUTSIDE = frozenset({"function_expression", "call_expression", "call"})
_WEAK = ("variable", "constant", "type", "object")
_LONGEST_NAME = 200
_SHORTEST_CALLBACK = 5
"""Lines of the shortest call with a function that is a definition of its own."""
_LONGEST_HEAD = 40
"""Lines of the longest head; a definition with a longer one has none, because a head is shown whole."""


class _FoundDefinition(NamedTuple):
    """A definition's node and its kind."""

    start: int
    end: int
    kind: str
    node: Node


class _SyntaxScope(NamedTuple):
    """A definition that is still open while its inner ones are read."""

    end: int
    name: str
    own: str
    kind: str


def read(text: str, grammar: Grammar) -> Outline:
    """Return the outline of `text`; raise OutOfTimeError if reading takes longer than it is worth."""
    # NUL ends a text for some external scanners; a lone surrogate has no bytes in UTF-8.
    source = text.encode("utf-8", "replace").replace(b"\0", b" ")
    if grammar.preprocessed:
        source = _EXPORTED.sub(lambda found: found[1] + b" " * len(found[2]), source)
    return _SyntaxReading(source, grammar, captures(source, grammar)).outline()


class _SyntaxReading:
    """One text being read."""

    def __init__(self, source: bytes, grammar: Grammar, captured: Mapping[str, Sequence[Node]]) -> None:
        self.source, self.grammar, self.captured = source, grammar, captured
        called = list(self._find_calls())
        self.called = [found for found in called if found.kind != "import"]
        imports = [found.node for found in called if found.kind == "import"]
        self.imports = sorted(_lines(node) for node in (*captured.get("import", ()), *imports))
        self.comments = self._leading("comment")
        self.attributes = self._leading("attribute")

    def outline(self) -> Outline:
        """Return everything that was found."""
        found = list(self._definitions())
        known = {each.first for each in found} | {each.head[0] for each in found}
        extra = repair(self.source, self.captured) if self.grammar.preprocessed else ()
        errors = [_lines(node) for node in self.captured.get("error", ())]
        for each in (*extra, *lost(self.source, errors)):
            if each.head[0] not in known:
                known.add(each.head[0])
                found.append(each)
        return Outline(tuple(found), tuple(self.imports), tuple(self._refs()))

    def _leading(self, kind: str) -> dict[int, tuple[int, int]]:
        """Map the last line of each comment that begins its line to its first line and column."""
        found = {}
        for node in self.captured.get(kind, ()):
            start, end = node.start_point, node.end_point
            if self._begins_line(node.start_byte, start.column):
                first, last = _lines_between(start, end)
                found[last] = (first, start.column)
        return found

    def _begins_line(self, start: int, column: int) -> bool:
        return column == 0 or self.source[start - column : start].isspace()

    def _refs(self) -> Iterator[tuple[int, str]]:
        # tree-sitter gives captures in no stable order
        nodes = self.captured.get("ref", ())
        line, before, source = 1, 0, self.source
        for start, end in sorted([(node.start_byte, node.end_byte) for node in nodes]):
            if 1 < end - start < 80:
                line += source.count(b"\n", before, start)
                before = start
                yield line, source[start:end].decode("utf-8", "replace")

    def _find_calls(self) -> Iterator[_FoundDefinition]:
        """Yield the calls that define or import something, by the called name."""
        for node in self.captured.get("called", ()):
            name = node.child_by_field_name("method") or node.child_by_field_name("function")
            name = name or node.child_by_field_name("name")
            text = b"" if name is None else self.source[name.start_byte : name.end_byte]
            kind = self.grammar.calls.get(text.decode("utf-8", "replace"))
            if kind is not None:
                yield _FoundDefinition(node.start_byte, node.end_byte, kind, node)

    def _found(self) -> list[_FoundDefinition]:
        """Return the nodes of all definitions, each once, and of their wrappers, outer first."""
        by_id: dict[int, _FoundDefinition] = {}
        kinds = [kind for kind in self.captured if kind == "wrap" or kind not in _SPECIAL]
        for kind in sorted(kinds, key=lambda kind: (kind not in _WEAK, kind)):
            for node in self.captured[kind]:
                by_id[node.id] = _FoundDefinition(node.start_byte, node.end_byte, kind, node)
        for node in self.captured.get("callback", ()):
            if node.end_point.row - node.start_point.row + 1 >= _SHORTEST_CALLBACK:
                kind = "function" if node.type == "variable_declarator" else "callback"
                by_id[node.id] = _FoundDefinition(node.start_byte, node.end_byte, kind, node)
        by_id |= {found.node.id: found for found in self.called}
        return sorted(
            by_id.values(), key=lambda each: (each.start, -each.end, each.kind != "wrap", each.kind)
        )

    def _definitions(self) -> Iterator[Definition]:
        scopes: list[_SyntaxScope] = []
        wrapper: _FoundDefinition | None = None
        imported = {line for first, last in self.imports for line in range(first, last + 1)}
        for each in self._found():
            while scopes and scopes[-1].end <= each.start:
                scopes.pop()
            wrapper = _find_wrapper(each, wrapper)
            is_import = each.kind == "variable" and each.node.start_point.row + 1 in imported
            if each.kind == "wrap" or is_import:
                continue
            parent = scopes[-1] if scopes else _SyntaxScope(0, "", "", "")
            yield from self._name_definitions(each, wrapper, parent, scopes)
            wrapper = None

    def _name_definitions(
        self,
        each: _FoundDefinition,
        wrapper: _FoundDefinition | None,
        parent: _SyntaxScope,
        scopes: list[_SyntaxScope],
    ) -> Iterator[Definition]:
        """Yield the definitions of one node and open its scope."""
        if each.node.type in _NAMED_OUTSIDE and 0 <= parent.end - each.end <= 1:
            return  # the target of its assignment has a name already
        names = names_of(each.node, self.source)
        if not names or not names[0] or (parent.kind == "typedef" and names[0] == parent.own):
            return
        kind = _refine_kind(each.kind, names[0], parent)
        first, last, head = self._extent(each.node, wrapper, kind)
        for name in names:
            full = f"{parent.name}.{name}" if parent.name else name
            yield Definition(full[:_LONGEST_NAME], kind, first, last, head)
        full = parent.name if kind == "typedef" else f"{parent.name}.{names[0]}".lstrip(".")
        scopes.append(_SyntaxScope(each.end, full[:_LONGEST_NAME], names[0], kind))

    def _extent(
        self, node: Node, wrapper: _FoundDefinition | None, kind: str
    ) -> tuple[int, int, tuple[int, int]]:
        """Return the first line with decorators and comments, the last line, and the head."""
        outer = wrapper.node if wrapper is not None else node
        first, last = _lines(node)
        sign = first
        outer_first, outer_last = _lines(outer)
        first, last = (
            min(first, outer_first),
            max(last, min(outer_last, last + 1) if outer is not node else last),
        )
        column = outer.start_point.column
        if self._begins_line(outer.start_byte, column):
            bare, first = first, self._above(first, column, self.attributes)
            sign = self._sign(node, first if self.grammar.attributes_in_head else bare, sign)
            leading = self.attributes | self.comments if self.attributes else self.comments
            first = self._above(first, column, leading)
        else:
            sign = self._sign(node, first, sign)
        return first, last, self._head(node, sign, last, kind)

    @staticmethod
    def _above(first: int, column: int, leading: Mapping[int, tuple[int, int]]) -> int:
        """Return the first of the comments or attributes directly above line `first`."""
        while (above := leading.get(first - 1)) is not None and above[1] <= column:
            first = above[0]
        return first

    @staticmethod
    def _sign(node: Node, first: int, own: int) -> int:
        """Return the first line of the head, with the decorators if they take at most two lines."""
        named = name_node(node).start_point.row + 1
        near = (line for line in (first, own) if named - line <= 2)
        return next(near, named)

    def _head(self, node: Node, sign: int, last: int, kind: str) -> tuple[int, int]:
        body = _body(node)
        if body is not None:
            start = body.start_point
            until = start.row + 1
            opens = self.source[body.start_byte : body.start_byte + 1] == b"{"  # a brace belongs to the head
            if not opens and until > sign and self._begins_line(body.start_byte, start.column):
                until = _first_of_body(body) - 1
        elif (kind in CALLABLES or kind == "prototype") and kind != "macro" and node.type != "call":
            until = last
        else:
            until = sign
        until = max(sign, min(until, last))
        if until >= sign + _LONGEST_HEAD:
            return NO_LINES
        return (sign, until) if sign <= last else NO_LINES


def _find_wrapper(each: _FoundDefinition, wrapper: _FoundDefinition | None) -> _FoundDefinition | None:
    """Return the outermost wrapper at a node, which may be the node itself; an ended one wraps nothing."""
    if wrapper is not None and wrapper.end >= each.end:
        return wrapper
    return each if each.kind == "wrap" else None


def _lines(node: Node) -> tuple[int, int]:
    """Return the first and the last line of a node; one that ends with a newline ends on the line before."""
    return _lines_between(node.start_point, node.end_point)


def _lines_between(start: Point, end: Point) -> tuple[int, int]:
    last = end.row if end.column == 0 and end.row > start.row else end.row + 1
    return start.row + 1, last


def _first_of_body(body: Node) -> int:
    """Return the first line of a body with the comments above it; some grammars don't count them in."""
    first, before = body.start_point.row + 1, body.prev_sibling
    while before is not None and before.type == "comment":
        above = before.prev_sibling
        if above is not None and above.end_point.row == before.start_point.row:
            break
        first, before = before.start_point.row + 1, above
    return first


def _body(node: Node) -> Node | None:
    for field in ("body", "accessors"):
        body = node.child_by_field_name(field)
        if body is not None:
            return body
    for field in ("value", "right", "declarator", "block"):
        inner = node.child_by_field_name(field)
        if (
            inner is not None
            and (body := inner.child_by_field_name("body") or _find_given_body(inner)) is not None
        ):
            return body
    return _find_given_body(node)


def _find_given_body(call: Node) -> Node | None:
    """Return the body of the last function among a call's arguments."""
    arguments = call.child_by_field_name("arguments")
    given = [] if arguments is None else arguments.named_children
    functions = [
        each.named_children[-1] if each.type == "argument" and each.named_children else each for each in given
    ]
    bodies = [body for each in functions if (body := each.child_by_field_name("body")) is not None]
    return bodies[-1] if bodies else None


def _refine_kind(kind: str, name: str, parent: _SyntaxScope) -> str:
    """Return the kind within its parent: a function in a class is a method."""
    if kind == "default":
        return "function"
    if kind == "function" and (parent.kind in TYPES or "." in name):
        return "method"
    return kind


_MOST_CHARACTERS = 1_500_000
_MINIFIED = 2_000
"""Characters per line from which a text is not written by hand."""


def parts_of(text: str, grammar: str) -> Sequence[Part]:
    """Return the definitions of a text and the text between; a too large or slow text is cut plainly."""
    if len(text) > _MOST_CHARACTERS or len(text) > _MINIFIED * (text.count("\n") + 50):
        return plain_parts(text)
    return partition(text, read_code(text, grammar))


def read_code(text: str, grammar: str) -> Outline:
    """Return the outline of a text, an empty one if reading takes longer than it is worth."""
    try:
        return read(text, GRAMMARS[grammar])
    except OutOfTimeError:
        return Outline()
