"""Reading configuration files: TOML, and the `llm_context.json` of older tools."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from satchel.config.values import (
    BY_NAME,
    KINDS,
    OF_PERSON,
    SPELLED,
    TABLES,
    USED,
    find_objection,
    format_value,
    nearest,
    spell_key,
)
from satchel.private_files import why_not_a_persons
from satchel.spelling import join_reason

# A configuration is a page; more is a mistake or an attack.
_MOST_BYTES = 1 << 20


OLD_TOOL = "llm_context.json"
"""The file in which projects of an older tool keep their window."""


class ConfigEntry(NamedTuple):
    """One value and its origin; `key` is `(name,)` or `(kind, plugin, setting)`."""

    key: tuple[str, ...]
    value: object
    origin: str


class ConfigSource(NamedTuple):
    """The values of one source, and all its errors."""

    entries: tuple[ConfigEntry, ...] = ()
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class _Source(NamedTuple):
    name: str
    """The name of the file in messages."""
    table: tuple[str, ...] = ()
    """The table that holds satchel's keys."""
    root: Path | None = None
    """The workspace that the file belongs to; None for the person's own file."""


def of_workspace(root: Path) -> list[ConfigSource]:
    """Read the three files of a workspace, the weakest first."""
    return [
        _old_tool(root, OLD_TOOL),
        _toml(root / "pyproject.toml", _Source("pyproject.toml", ("tool", "satchel"), root)),
        _toml(root / "satchel.toml", _Source("satchel.toml", root=root)),
    ]


def of_person(path: Path) -> ConfigSource:
    """Read the person's own file; one that somebody else may have written is skipped with a warning."""
    if reason := why_not_a_persons(path):
        return ConfigSource(warnings=(f"{path} is not read: it {reason}",))
    return _toml(path, _Source(str(path)))


def load_lessons(path: Path) -> list[ConfigSource]:
    """Read the learned weights, if there are any."""
    return [of_person(path)] if os.path.isfile(path) else []  # False too if its folder can't be read


def _toml(path: Path, source: _Source) -> ConfigSource:
    try:
        text = _text(path, source)
        table = _parse_toml(text) if text else {}
    except (ValueError, OSError, RecursionError) as error:
        return _make_broken_source(path, source, error)
    for name in source.table:
        table = table.get(name, {}) if isinstance(table, dict) else {}
    if not isinstance(table, dict):
        return ConfigSource(errors=(f"{source.name}: {spell_key(source.table)}: expected a table",))
    return _check_table(table, source)


def _parse_toml(text: str) -> object:
    import tomllib  # most workspaces have no file to read

    return tomllib.loads(text)


def _text(path: Path, source: _Source) -> str:
    """Return the file's text, "" if there is no file.

    ValueError if it is a link out of its workspace, too large, or not UTF-8.
    """
    if not path.is_file():
        return ""
    if source.root is not None and not path.resolve().is_relative_to(source.root.resolve()):
        raise ValueError("is a link out of the workspace and is not read")
    with path.open("rb") as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ValueError("is larger than 1 MiB")
    return content.decode("utf-8-sig").replace("\r\n", "\n")


def _make_broken_source(path: Path, source: _Source, error: Exception) -> ConfigSource:
    message = _complaint(path, source, error)
    # A pyproject.toml in the middle of a merge must not keep a person from asking about that merge.
    foreign = source.table and not isinstance(error, OSError) and b"tool.satchel" not in _bytes(path)
    return ConfigSource(warnings=(message,)) if foreign else ConfigSource(errors=(message,))


def _bytes(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(_MOST_BYTES)


def _complaint(path: Path, source: _Source, error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"{source.name} is not UTF-8 at byte {error.start}; save it as UTF-8"
    if isinstance(error, json.JSONDecodeError):
        return f"{source.name}:{error.lineno}:{error.colno}: {_lower_first(error.msg)}"
    if isinstance(error, RecursionError):
        return f"{source.name} is nested too deeply"
    if isinstance(error, OSError):
        return f"{source.name} can't be read: {error.strerror or error}"
    import tomllib

    if not isinstance(error, tomllib.TOMLDecodeError):
        return join_reason(source.name, _lower_first(str(error)))
    place = re.search(r" \(at line (\d+), column (\d+)\)$", str(error))
    if place:
        return f"{source.name}:{place[1]}:{place[2]}: {_lower_first(str(error)[: place.start()])}"
    lines = _bytes(path).decode("utf-8", "replace").split("\n")
    what = str(error).removesuffix(" (at end of document)")
    return f"{source.name}:{len(lines)}:{len(lines[-1]) + 1}: {_lower_first(what)}"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def of_assignments(text: str) -> ConfigSource:
    """Read lines of `KEY=VALUE`: a setting, or `kind.plugin.setting` with a value as in TOML."""
    entries: list[ConfigEntry] = []
    errors: list[str] = []
    for line in filter(str.strip, text.split("\n")):
        try:
            entries.append(_parse_assignment(line))
        except ValueError as error:
            errors.append(f"--set {format_value(line)}: {error}")
    return ConfigSource(tuple(entries), tuple(errors))


def _parse_assignment(line: str) -> ConfigEntry:
    left, sign, right = line.partition("=")
    key = tuple(part.strip() for part in left.split("."))
    if len(key) == 2 and key[0] in TABLES:
        key = (TABLES[key[0]].get(key[1], left.strip()),)
    if len(key) == 2 and key[1] == "use" and key[0] in USED:
        key = (USED[key[0]],)
    if not sign or not all(key):
        raise ValueError("expected KEY=VALUE, like budget=8k or scorer.recency.weight=0.5")
    if len(key) not in (1, 3):
        near = nearest(key[-1], BY_NAME) or "; keys are like budget or scorer.recency.weight"
        raise ValueError(f"unknown key{near}")
    if len(key) == 1:
        if key[0] not in BY_NAME:
            raise ValueError(f"unknown key{nearest(key[0], BY_NAME)}")
        return ConfigEntry(key, BY_NAME[key[0]].kind.from_text(right.strip()), "--set")
    if key[0] not in KINDS:
        raise ValueError(f"unknown kind of plugin{nearest(key[0], KINDS)}")
    return ConfigEntry(key, _value(right.strip()), "--set")


def _value(text: str) -> object:
    """Return a value as TOML reads it, a number like `.9` too, and anything else as a text."""
    import tomllib

    with contextlib.suppress(ValueError):
        return tomllib.loads(f"value = {text}")["value"]
    with contextlib.suppress(ValueError):
        return float(text)
    return text


def _check_table(table: Mapping[str, Any], source: _Source) -> ConfigSource:
    entries: list[ConfigEntry] = []
    errors: list[str] = []
    for key, value in _flat(table):
        wrong = _wrong(key, value, source)
        if wrong:
            spelled = SPELLED.get(key[0]) or key[0].split(".", 1) if len(key) == 1 else key
            errors.append(f"{source.name}: {spell_key((*source.table, *spelled))}: {wrong}")
        elif len(key) == 1:
            entries.append(ConfigEntry(key, BY_NAME[key[0]].kind.check(value), source.name))
        else:
            entries.append(ConfigEntry(key, value, source.name))
    return ConfigSource(tuple(entries), tuple(errors))


def _flat(table: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yield each key; a plugin's table first as such, then its settings."""
    for name, value in table.items():
        if name in TABLES and isinstance(value, dict):
            for key, setting in value.items():
                yield (TABLES[name].get(key, f"{name}.{key}"),), setting
            continue
        if name not in KINDS or not isinstance(value, dict):
            yield (name,), value
            continue
        for plugin, settings in value.items():
            # TOML can't hold both `tokenizer = "x"` and `[tokenizer.x]`.
            if plugin == "use" and name in USED:
                yield (USED[name],), settings
                continue
            yield (name, plugin), settings
            if isinstance(settings, dict):
                yield from (((name, plugin, key), setting) for key, setting in settings.items())


def _wrong(key: tuple[str, ...], value: object, source: _Source) -> str:
    if len(key) == 2:
        if key[0] in ("scanner", "redaction_rule") and source.root is not None:
            return find_objection(key[0], value, source.root)
        return "" if isinstance(value, dict) else "expected a table of the plugin's settings"
    if len(key) == 1:
        wrong = _wrong_at_top(key[0], value)
        if wrong:
            return wrong
        usual = BY_NAME[key[0]].default
        usual = list(usual) if isinstance(usual, tuple) else usual
        if key[0] in OF_PERSON and source.root is not None and value != usual:
            return (
                "a workspace can't say where your sessions go, how long they stay or whom you trust, set it "
                "in your user file"
            )
    return find_objection(key[-1], value, source.root) if source.root is not None else ""


def _wrong_at_top(name: str, value: object) -> str:
    if name == "tool":
        return "unknown key: this file needs no [tool.satchel], its keys are at the top level"
    if name not in BY_NAME:
        known = (*BY_NAME, *KINDS, *(".".join(spelled) for spelled in SPELLED.values()))
        return "expected a table" if name in (*KINDS, *TABLES) else f"unknown key{nearest(name, known)}"
    try:
        BY_NAME[name].kind.check(value)
    except ValueError as error:
        return f"{error}, not {format_value(value)}"
    return ""


def _old_tool(root: Path, name: str) -> ConfigSource:
    """Read the keys that map onto satchel's settings, and report the others."""
    path, source = root / name, _Source(name, root=root)
    try:
        text = _text(path, source)
        table = json.loads(text) if text.strip() else {}
    except (ValueError, OSError, RecursionError) as error:
        return _make_broken_source(path, source, error)
    if not isinstance(table, dict):
        return ConfigSource(errors=(f"{name}: expected an object",))
    entries: list[ConfigEntry] = []
    errors: list[str] = []
    flat = dict(_flatten_table(table))
    for key, setting in _MAPPED.items():
        if key not in flat:
            continue
        value = flat[key]
        number = isinstance(value, str) and setting not in _TEXTS
        wrong = "expected a number" if number else _wrong_at_top(setting, value)
        if wrong:
            errors.append(f"{name}: {key}: {wrong}")
        else:
            entries.append(ConfigEntry((setting,), BY_NAME[setting].kind.check(value), name))
    entries += [ConfigEntry(setting, value, name) for setting, value in _apply_switches(flat)]
    return ConfigSource(tuple(entries), tuple(errors), tuple(_list_ignored_keys(name, flat)))


_MAPPED = {
    "targetSize": "budget",
    "vramBuffer": "vram_margin",
    "compression.strategy": "compressor",
    "compression.threshold": "compact_at",
    "snapshots.maxCount": "snapshots",
    "snapshots.autoThreshold": "snapshot_at",
}
"""Keys of llm_context.json that are settings of satchel's."""
_TEXTS = frozenset({"compressor"})
_SWITCHES: Mapping[str, tuple[bool, str, object]] = MappingProxyType(
    {
        "autoSize": (True, "budget", "auto"),
        "compression.enabled": (False, "compact_at", 1.0),
        "snapshots.enabled": (False, "snapshot_at", 0.0),
        "snapshots.autoCreate": (False, "snapshot_at", 0.0),
    }
)
"""Its truth values: the significant one, and its setting and value."""
_GROUPS = ("compression", "snapshots")


def _flatten_table(table: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield its keys, those of groups with the group's name."""
    for key, value in table.items():
        if key in _GROUPS and isinstance(value, dict):
            yield from ((f"{key}.{inner}", held) for inner, held in value.items())
        else:
            yield key, value


def _apply_switches(flat: Mapping[str, object]) -> Iterator[tuple[tuple[str], object]]:
    for key, (telling, setting, value) in _SWITCHES.items():
        if flat.get(key) is telling:
            yield (setting,), value


def _list_ignored_keys(name: str, table: Mapping[str, object]) -> Iterator[str]:
    for key, value in table.items():
        if key in _SWITCHES:
            if not isinstance(value, bool):
                yield f"{name}: {key}: expected true or false, not {format_value(value)}"
        elif key in _GROUPS:
            yield f"{name}: {key}: expected an object, not {format_value(value)}"
        elif key not in _MAPPED:
            spelled = (
                ".".join(spell_key((part,)) for part in key.split(".", 1))
                if "." in key
                else spell_key((key,))
            )
            yield f"{name}: {spelled}: ignored, satchel has no such setting"
