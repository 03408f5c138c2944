"""Render the configuration as TOML and as JSON."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Any

from satchel.config import Config
from satchel.config.values import SETTINGS, dotted, quoted


def as_json(config: Config) -> dict[str, Any]:
    """Return every setting with its value and origin, and the plugins' tables as in the files."""
    return {
        "schema": 1,
        "settings": {
            setting.name: {
                "value": getattr(config, setting.name),
                "origin": config.origins.get(setting.name, "default"),
            }
            for setting in SETTINGS
        },
        "plugins": config.plugins,
        "origins": dict(sorted(config.origins.items())),
    }


def as_toml(config: Config, *, origin: bool) -> str:
    """Return the content of an equivalent `satchel.toml`; with `origin`, a comment after each value."""
    return "\n".join(_lines(config, origin=origin)) + "\n"


def _lines(config: Config, *, origin: bool) -> Iterator[str]:
    selected = f"tokenizer = {to_toml(config.tokenizer)}"
    for setting in SETTINGS:
        line = f"{setting.key} = {to_toml(getattr(config, setting.name))}"
        # A file can't hold both `tokenizer = "x"` and a table [tokenizer.x].
        if line == selected and config.plugins.get("tokenizer"):
            line = f"tokenizer.use = {to_toml(config.tokenizer)}"
        yield _add_origin(line, setting.name, config, origin=origin)
    for kind, tables in config.plugins.items():
        for name, table in tables.items():
            yield f"\n[{dotted((kind, name))}]"
            for key, setting_value in table.items():
                line = f"{dotted((key,))} = {to_toml(setting_value)}"
                yield _add_origin(line, dotted((kind, name, key)), config, origin=origin)


def _add_origin(line: str, key: str, config: Config, *, origin: bool) -> str:
    return f"{line}  # {config.origins.get(key, 'default')}" if origin else line


def to_toml(thing: object) -> str:
    """Return a value as TOML spells it."""
    if isinstance(thing, str):
        return quoted(thing)
    if isinstance(thing, bool):
        return "true" if thing else "false"
    if isinstance(thing, list | tuple):
        return f"[{', '.join(map(to_toml, thing))}]"
    if isinstance(thing, Mapping):
        return "{" + ", ".join(f"{quoted(name)} = {to_toml(part)}" for name, part in thing.items()) + "}"
    if isinstance(thing, datetime.date | datetime.time | datetime.datetime):
        return thing.isoformat()
    return str(thing)
