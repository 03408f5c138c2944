"""The configuration as TOML and as JSON."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from satchel.config.values import SETTINGS, dotted, quoted

if TYPE_CHECKING:
    from satchel.config import Config


def as_json(config: Config) -> dict[str, Any]:
    """Return every setting with its value and origin, the plugins' tables as they stand in files."""
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
    """Return what a `satchel.toml` would hold; with `origin`, a comment after each value."""
    return "\n".join(_lines(config, origin=origin)) + "\n"


def _lines(config: Config, *, origin: bool) -> Iterator[str]:
    selected = f"tokenizer = {value(config.tokenizer)}"
    for setting in SETTINGS:
        line = f"{setting.name} = {value(getattr(config, setting.name))}"
        # A file can't hold both `tokenizer = "x"` and a table [tokenizer.x].
        if line == selected and config.plugins.get("tokenizer"):
            line = f"tokenizer.use = {value(config.tokenizer)}"
        yield _noted(line, setting.name, config, origin=origin)
    for kind, tables in config.plugins.items():
        for name, table in tables.items():
            yield f"\n[{dotted((kind, name))}]"
            for key, setting_value in table.items():
                line = f"{dotted((key,))} = {value(setting_value)}"
                yield _noted(line, dotted((kind, name, key)), config, origin=origin)


def _noted(line: str, key: str, config: Config, *, origin: bool) -> str:
    return f"{line}  # {config.origins.get(key, 'default')}" if origin else line


def value(thing: object) -> str:
    """Return a value as TOML spells it."""
    if isinstance(thing, str):
        return quoted(thing)
    if isinstance(thing, bool):
        return "true" if thing else "false"
    if isinstance(thing, list | tuple):
        return f"[{', '.join(map(value, thing))}]"
    if isinstance(thing, Mapping):
        return "{" + ", ".join(f"{quoted(name)} = {value(part)}" for name, part in thing.items()) + "}"
    if isinstance(thing, datetime.date | datetime.time | datetime.datetime):
        return thing.isoformat()
    return str(thing)
