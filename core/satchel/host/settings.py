"""Convert a plugin's config table: strict types, finite numbers, all bad keys reported together."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, get_origin

import attrs

from satchel.errors import ConfigError
from satchel.host.answers import a, check_setting
from satchel.spelling import nearest

if TYPE_CHECKING:
    from cattrs import Converter

    from satchel.host.kinds import PluginKind


def structure_settings(
    cls: type[Any], table: Mapping[str, object], places: Mapping[str, str], kind: PluginKind
) -> dict[str, Any]:
    """Convert the table's values to the types of the class, by argument name.

    `places` names each key in the ConfigError: `satchel.toml: scorer.churn.weight`.
    """
    known = attrs.fields(attrs.resolve_types(cls)) if attrs.has(cls) else ()
    fields = {field.alias or field.name: field for field in known if field.init}
    converter = _converter()
    values: dict[str, Any] = {}
    errors: list[str] = []
    for key, value in table.items():
        if key not in fields:
            errors.append(f"{places[key]}: {_suggest_key(key, fields)}")
            continue
        if not _is_finite(value):
            errors.append(f"{places[key]}: {_format_value(value)} is not a finite number")
            continue
        try:
            values[key] = converter.structure(value, fields[key].type or Any)
            check_setting(kind, key, values[key], "it")
        except Exception as error:  # cattrs raises what the type's own constructor raises
            errors.extend(f"{places[key]}{inner}: {reason}" for inner, reason in _reasons(error))
    if errors:
        raise ConfigError(errors)
    return values


def _suggest_key(key: str, known: Mapping[str, object]) -> str:
    near = nearest(key, known)
    if near:
        return f"unknown key, did you mean {near}?"
    return (
        f"unknown key; known are {', '.join(sorted(known))}" if known else "unknown key; it has no settings"
    )


def _reasons(error: BaseException) -> list[tuple[str, str]]:
    """Return each failure inside a value as a path below the key and a reason."""
    if not isinstance(error, BaseExceptionGroup):
        extra = getattr(error, "extra_fields", None)
        if extra:
            return [(f".{name}", "unknown key") for name in sorted(extra)]
        return [("", str(error) or type(error).__name__)]
    found: list[tuple[str, str]] = []
    for inner in error.exceptions:
        step = _step(inner)
        found.extend((f"{step}{path}", reason) for path, reason in _reasons(inner))
    return found


def _step(error: BaseException) -> str:
    for note in getattr(error, "__notes__", ()):
        if hasattr(note, "index"):
            return f"[{note.index!r}]" if isinstance(note.index, int) else f".{note.index}"
        if hasattr(note, "name"):
            return f".{note.name}"
    return ""


def _converter() -> Converter:
    """Return a converter that never coerces: cattrs alone would read "3" as 3."""
    from cattrs import Converter
    from cattrs.strategies import configure_union_passthrough

    converter = Converter(forbid_extra_keys=True, use_alias=True)
    for kind, hook in ((bool, _exactly(bool)), (int, _exactly(int)), (str, _exactly(str)), (float, _number)):
        converter.register_structure_hook(kind, hook)
    configure_union_passthrough(bool | int | float | str | None, converter)
    plain = converter.copy()
    converter.register_structure_hook_factory(_is_collection, lambda kind: _from_array(plain, kind))
    return converter


def _exactly(kind: type[Any]) -> Callable[[Any, Any], Any]:
    def check(value: object, _: object) -> object:
        if type(value) is not kind:
            raise TypeError(f"{_format_value(value)} is {a(value)}, expected {kind.__name__}")
        return value

    return check


def _number(value: object, _: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{_format_value(value)} is {a(value)}, expected float")
    try:
        return float(value)
    except OverflowError as error:
        raise ValueError(f"{_format_value(value)} is too large a number") from error


def _format_value(value: object) -> str:
    return f"{value!r:.40}"


def _is_collection(kind: Any) -> bool:
    origin = get_origin(kind) or kind
    return origin in (list, tuple, set, frozenset) or origin in (Sequence, Set)


def _from_array(converter: Converter, kind: Any) -> Callable[[Any, Any], Any]:
    """Convert a collection from an array only: a text would become its letters."""

    def check(value: object, _: object) -> object:
        if not isinstance(value, list | tuple):
            raise TypeError(f"{_format_value(value)} is {a(value)}, expected an array")
        return converter.structure(value, kind)

    return check


def _is_finite(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)
