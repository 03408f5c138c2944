"""The JSON Schema of the configuration, for editors."""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
import types
import typing
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from satchel.config.values import BY_NAME, KINDS, SETTINGS, SPELLED, TABLES, USED, Setting

if TYPE_CHECKING:
    from satchel.host import Host, Loaded

_JSON_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
_ARRAYS = (list, tuple, set, frozenset)
_USUAL = {
    ("scorer", "weight"): "Weight of its scores, relative to the other scorers.",
    ("provider", "max_items"): "Maximum number of items.",
    ("provider", "max_tokens"): "Maximum tokens of text that it adds.",
}
"""The meanings of settings that every plugin of a kind has, if the class does not give them."""


def describe_settings(host: Host | None) -> dict[str, Any]:
    """Return the schema of `satchel.toml`; plugins of the host get a table each."""
    properties: dict[str, Any] = {
        setting.name: _setting(setting) for setting in SETTINGS if setting.name not in SPELLED
    }
    for table, keys in TABLES.items():
        properties[table] = {
            "type": "object",
            "description": f"Settings of the {table}",
            "properties": {key: _setting(BY_NAME[name]) for key, name in keys.items()},
            "additionalProperties": False,
        }
    for kind in KINDS:
        tables = _tables(host, kind)
        properties[kind] = {"anyOf": [properties[kind], tables]} if kind in properties else tables
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://satchel.invalid/schemas/1/config.schema.json",
        "title": "satchel.toml, or [tool.satchel] in pyproject.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }


def _setting(setting: Setting) -> dict[str, Any]:
    return {"description": setting.meaning, **setting.kind.schema, "default": _plain(setting.default)}


def _tables(host: Host | None, kind: str) -> dict[str, Any]:
    from satchel.host import PluginKind

    loaded = host.loaded(PluginKind(kind)) if host is not None else ()
    properties = {plugin.name: _table(plugin) for plugin in loaded}
    if kind in USED:
        properties["use"] = {"type": "string", "description": BY_NAME[USED[kind]].meaning}
    return {
        "type": "object",
        "description": f"Settings of plugins of the kind {kind}, a table for each",
        "properties": properties,
        "additionalProperties": {"type": "object"},
    }


def _table(plugin: Loaded) -> dict[str, Any]:
    plain = {"type": "object", "description": _first_line(plugin.cls)}
    if not (isinstance(plugin.cls, type) and attrs.has(plugin.cls)):
        return plain
    fields = [field for field in attrs.fields(plugin.cls) if field.init]
    said = meanings(plugin.cls, plugin.kind.value)
    properties = {
        name: {**({"description": said[name]} if said.get(name) else {}), **_property(plugin.cls, field)}
        for field in fields
        for name in [field.alias or field.name]
    }
    return {**plain, "properties": properties, "additionalProperties": False}


def meanings(owner: type, kind: str) -> dict[str, str]:
    """Return the meaning of each setting of a plugin's class, "" if there is none.

    It is the field's metadata `help`, else the text below the field in the source.
    """
    below = _texts_below_fields(owner)
    told = {
        field.name: field.metadata.get("help") or below.get(field.name) or _USUAL.get((kind, field.name), "")
        for field in attrs.fields(owner)
    }
    return {
        field.alias or field.name: " ".join(str(told[field.name]).split())
        for field in attrs.fields(owner)
        if field.init
    }


def _texts_below_fields(owner: type) -> dict[str, str]:
    """Return the first paragraph of the text below each field of a class, its base classes' included."""
    found: dict[str, str] = {}
    for cls in reversed(owner.__mro__):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
        except (OSError, TypeError, SyntaxError):  # made at run time, or without its source
            continue
        body = getattr(tree.body[0], "body", [])
        for field, text in itertools.pairwise(body):
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            found.pop(field.target.id, None)
            if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
                found[field.target.id] = str(text.value.value).strip().partition("\n\n")[0]
    return found


def _property(owner: type, field: attrs.Attribute[Any]) -> dict[str, Any]:
    try:
        hint = typing.get_type_hints(owner).get(field.name, Any)
    except (NameError, TypeError, AttributeError):
        # A name that exists for type checkers only: the field is listed without a type.
        hint = Any
    known = _schema_of(hint)
    plain = field.default is None or isinstance(field.default, bool | int | float | str | tuple | list)
    return {**known, "default": _plain(field.default)} if plain else known


def _schema_of(hint: Any) -> dict[str, Any]:
    """Translate a type to a JSON Schema; a type without counterpart becomes {}, anything."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, type) and hint in _JSON_NAMES:
        return {"type": _JSON_NAMES[hint]}
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema_of(argument) for argument in arguments]}
    container = origin or hint
    return _container(container, arguments) if isinstance(container, type) else {}


def _container(container: type, arguments: tuple[Any, ...]) -> dict[str, Any]:
    if issubclass(container, Mapping):
        values = _schema_of(arguments[1]) if len(arguments) == 2 else {}
        return {"type": "object", "additionalProperties": values or True}
    if issubclass(container, _ARRAYS) or container is Sequence:
        return {"type": "array", "items": _schema_of(arguments[0]) if arguments else {}}
    return {}


def _plain(value: object) -> object:
    return [_plain(part) for part in value] if isinstance(value, tuple | list) else value


def _first_line(owner: object) -> str:
    text = (getattr(owner, "__doc__", None) or "").strip()
    return text.splitlines()[0] if text else ""
