"""Read the names of definitions from the nodes of a tree, as a person would write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.plugin_api import lazily
from satchel_plugins.representers.partition import tidy

if TYPE_CHECKING:
    from tree_sitter import Node

_DECLARED = frozenset(
    {"function_definition", "declaration", "field_declaration", "type_definition", "init_declarator"}
    | {"function_declarator"}
)
_ASSIGNED = frozenset({"assignment", "assignment_expression"})
_EXPORTS = lazily(r"^(module\.)?exports(\.|$)")
_RECEIVER = lazily(r"([^\W\d]\w*)\s*(?:\[[^\]]*\])?\s*\)\s*$")
_LAST = lazily(r"([^\W\d]\w*)\s*$")
_LONGEST_CHAIN = 12
_LONGEST_CALLBACK = 60


def names_of(node: Node, source: bytes) -> list[str]:
    """Return the names that `node` defines, without the names of its owners; [] if it has none."""
    kind = node.type
    if kind in _DECLARED and (declared := _read_declared(node, source)):
        return declared
    if kind in _ASSIGNED:
        return _read_assigned(node, source)
    special = _SPECIAL.get(kind)
    if special is not None:
        return special(node, source)
    names = node.children_by_field_name("name")
    return [name for each in names if (name := _plain(each, source))]


def name_node(node: Node) -> Node:
    """Return the node on the line of the name, or `node` itself if there is no such node."""
    for field in ("name", "declarator", "left", "key", "property"):
        found = node.child_by_field_name(field)
        if found is not None:
            return found
    return node


def _text(node: Node | None, source: bytes) -> str:
    if node is None:
        return ""
    return tidy(
        source[node.start_byte : min(node.end_byte, node.start_byte + 400)].decode("utf-8", "replace")
    )


def _plain(node: Node | None, source: bytes) -> str:
    """Return the text of a name with `.` between its levels and without type arguments or quotes."""
    text = _text(node, source)
    if "<" in text and not text.startswith("operator"):
        text = _strip_arguments(text)
    text = text.replace("::", ".").replace("\\", ".").strip("\"'`.$:#[] ")
    return text.replace(" ", "")


def _strip_arguments(text: str) -> str:
    """Return `text` without anything in angle brackets; an operator's own are kept."""
    head, found, operator = text.partition("operator")
    kept, depth = [], 0
    for character in head:
        depth += character == "<"
        if not depth:
            kept.append(character)
        depth -= character == ">" and depth > 0
    return "".join(kept) + found + operator


def _read_declared(node: Node, source: bytes) -> list[str]:
    """Return the names in C declarators, inside any pointers, references, arrays and parentheses."""
    return [
        name
        for each in node.children_by_field_name("declarator")
        if (name := _declarator(each, source)) and name not in ("if", "while", "switch", "for")
    ]


def _declarator(node: Node, source: bytes) -> str:
    for _ in range(_LONGEST_CHAIN):
        if node.type == "operator_cast":
            return "operator " + _text(node.child_by_field_name("type"), source)
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type in ("reference_declarator", "parenthesized_declarator"):
            inner = next(iter(node.named_children), None)
        if inner is None:
            break
        node = inner
    if node.type.endswith("declarator"):
        return ""
    return _plain(node, source)


def _read_assigned(node: Node, source: bytes) -> list[str]:
    left = node.child_by_field_name("left")
    if left is not None and left.type == "pattern_list":
        return [_plain(each, source) for each in left.named_children if each.type == "identifier"]
    text = _plain(left, source)
    if _EXPORTS.match(text):
        right = node.child_by_field_name("right")
        own = None if right is None else right.child_by_field_name("name")
        return [_EXPORTS.sub("", text) or _plain(own, source) or "exports"]
    return [text.replace(".prototype.", ".").removeprefix("this.")] if text else []


def _pair(node: Node, source: bytes) -> list[str]:
    return [_plain(node.child_by_field_name("key"), source)]


def _property(node: Node, source: bytes) -> list[str]:
    names = [_plain(each, source) for each in node.children if each.type == "property_element"]
    return [name.partition("=")[0] for name in names] or [
        _plain(node.child_by_field_name("name") or node.child_by_field_name("property"), source)
    ]


def _closure(node: Node, source: bytes) -> list[str]:
    return [_plain(node.child_by_field_name("pattern"), source)]


def _short_variable(node: Node, source: bytes) -> list[str]:
    return [_plain(node.child_by_field_name("left"), source)]


def _anonymous(node: Node, source: bytes) -> list[str]:
    return [_plain(node.child_by_field_name("name"), source) or "default"]


def _impl(node: Node, source: bytes) -> list[str]:
    name = _plain(node.child_by_field_name("type"), source).lstrip("&*")
    return [name.rpartition(".")[2]]


def _method_of(node: Node, source: bytes) -> list[str]:
    """Return the name of a method, in Go with its receiver's type in front."""
    receiver = _RECEIVER.search(_text(node.child_by_field_name("receiver"), source))
    name = _plain(node.child_by_field_name("name"), source)
    return [f"{receiver[1]}.{name}" if receiver else name]


def _singleton(node: Node, source: bytes) -> list[str]:
    owner = _plain(node.child_by_field_name("object"), source)
    name = _plain(node.child_by_field_name("name"), source)
    return [name if owner == "self" else f"{owner}.{name}"]


def _call(node: Node, source: bytes) -> list[str]:
    if node.child_by_field_name("block") is not None:
        return _read_callback(node, source)
    arguments = node.child_by_field_name("arguments")
    method = _text(node.child_by_field_name("method"), source)
    given = [] if arguments is None else arguments.named_children
    if not method.startswith(("attr", "cattr", "mattr")):
        given = given[:1]
    return [
        name for each in given if each.type.endswith(("symbol", "string")) and (name := _plain(each, source))
    ]


def _read_callback(node: Node, source: bytes) -> list[str]:
    """Return the first argument of a call: a handler's event, a route's path, a test's title."""
    first = _first_argument(node)
    text = _text(first, source)
    if first is not None and first.type == "member_expression":  # a member of an enumeration: Events.Login
        return [text.rpartition(".")[2]] if text[:1].isupper() else []
    return [text.strip("\"'`:").replace(". ", " ")[:_LONGEST_CALLBACK].strip(" .")]


def _command(node: Node, source: bytes) -> list[str]:
    return [_plain(node.child_by_field_name("argument"), source).partition("=")[0]]


def _read_defined(node: Node, source: bytes) -> list[str]:
    return [_plain(_first_argument(node), source)]


def _first_argument(call: Node) -> Node | None:
    arguments = call.child_by_field_name("arguments")
    return None if arguments is None else next(iter(arguments.named_children), None)


def _constants(node: Node, source: bytes) -> list[str]:
    return [
        _plain(each.named_children[0], source) for each in node.named_children if each.type == "const_element"
    ]


def _variables(node: Node, source: bytes) -> list[str]:
    inner = [each for child in node.named_children for each in child.children_by_field_name("name")]
    inner += [
        name
        for child in node.named_children
        for each in child.named_children
        for name in each.children_by_field_name("name")
    ]
    return [_plain(each, source) for each in inner]


def _operator(node: Node, source: bytes) -> list[str]:
    if node.type == "conversion_operator_declaration":
        return ["operator " + _text(node.child_by_field_name("type"), source)]
    return ["operator" + _text(node.child_by_field_name("operator"), source)]


def _destructor(node: Node, source: bytes) -> list[str]:
    return ["~" + _plain(node.child_by_field_name("name"), source)]


def _indexer(_: Node, source: bytes) -> list[str]:
    return ["this"]


def _alias_statement(node: Node, source: bytes) -> list[str]:
    found = _LAST.search(_text(node.child_by_field_name("left"), source).partition("[")[0])
    return [found[1]] if found else []


_SPECIAL = {
    "pair": _pair,
    "field_definition": _property,
    "property_declaration": _property,
    "let_declaration": _closure,
    "short_var_declaration": _short_variable,
    "function_expression": _anonymous,
    "generator_function": _anonymous,
    "arrow_function": _anonymous,
    "class": _anonymous,
    "impl_item": _impl,
    "method_declaration": _method_of,
    "singleton_method": _singleton,
    "call": _call,
    "call_expression": _read_callback,
    "invocation_expression": _read_callback,
    "scoped_call_expression": _read_callback,
    "member_call_expression": _read_callback,
    "command": _command,
    "function_call_expression": _read_defined,
    "const_declaration": _constants,
    "event_field_declaration": _variables,
    "operator_declaration": _operator,
    "conversion_operator_declaration": _operator,
    "destructor_declaration": _destructor,
    "indexer_declaration": _indexer,
    "type_alias_statement": _alias_statement,
}
