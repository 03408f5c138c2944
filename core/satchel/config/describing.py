"""The JSON Schema of the configuration, for editors."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from satchel.config.values import BY_NAME, KINDS, SETTINGS, USED

if TYPE_CHECKING:
    from satchel.host import Host, Loaded

_JSON_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
_ARRAYS = (list, tuple, set, frozenset)


def described(host: Host | None) -> dict[str, Any]:
    """Return the schema of `satchel.toml`; plugins of the host get a table each."""
    properties: dict[str, Any] = {
        setting.name: {"description": setting.meaning, **setting.schema, "default": _plain(setting.default)}
        for setting in SETTINGS
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
    properties = {field.alias or field.name: _property(plugin.cls, field) for field in fields}
    return {**plain, "properties": properties, "additionalProperties": False}


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
    """Translate a type to a JSON Schema; what has no counterpart becomes {}, anything."""
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
