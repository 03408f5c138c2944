"""`satchel config`: show the configuration, or print a JSON Schema."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_workspace
from satchel.cli.setup import load_config, plan
from satchel.config import Config, schema
from satchel.config.values import SETTINGS, quote_for_toml, spell_key
from satchel.errors import UsageError
from satchel.view.tables import json_text

if TYPE_CHECKING:
    pass

DESCRIPTION = """\
show    print every setting as satchel.toml would hold it; --origin says where each came from
schema  print a JSON Schema: of the configuration (for your editor), or of a command's JSON"""

EXAMPLES = """\
  satchel config show --origin
  satchel config schema > satchel.schema.json
  satchel config schema --of pack"""

PUBLISHED = ("pack", "why", "diff", "plugins", "suggest", "index", "compact", "session", "window", "show")


def fill(parser: Parser) -> None:
    """Add the arguments of `config`."""
    parser.add_argument("action", nargs="?", choices=("show", "schema"), default="show", help="see above")
    shown = parser.add_argument_group("what you see")
    shown.add_argument("--origin", action="store_true", help="with show: say where each value came from")
    shown.add_argument("--format", choices=("toml", "json"), default="toml", help="with show: toml or json")
    shown.add_argument(
        "--of",
        choices=("config", *PUBLISHED),
        default="config",
        help="with schema: which one (default: config)",
    )
    add_workspace(parser)


def main(args: argparse.Namespace) -> Outcome | CommandPlan:
    """Show the configuration or a schema; the configuration's schema needs the plugins."""
    if args.action == "show" and args.of != "config":
        raise UsageError(f"--of {args.of} needs schema: satchel config schema --of {args.of}")
    if args.action == "schema" and args.origin:
        raise UsageError("--origin needs show: satchel config show --origin")
    if args.action == "schema" and args.of != "config":
        from satchel.schemas import read_schema

        return Outcome(read_schema(args.of), is_shown=True)
    config = load_config(args)
    if args.action == "schema":
        return plan(config, lambda host: Outcome(json_text(schema(host))))
    text = json_text(as_json(config)) if args.format == "json" else as_toml(config, origin=args.origin)
    return Outcome(text)


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
            yield f"\n[{spell_key((kind, name))}]"
            for key, setting_value in table.items():
                line = f"{spell_key((key,))} = {to_toml(setting_value)}"
                yield _add_origin(line, spell_key((kind, name, key)), config, origin=origin)


def _add_origin(line: str, key: str, config: Config, *, origin: bool) -> str:
    return f"{line}  # {config.origins.get(key, 'default')}" if origin else line


def to_toml(thing: object) -> str:
    """Return a value as TOML spells it."""
    if isinstance(thing, str):
        return quote_for_toml(thing)
    if isinstance(thing, bool):
        return "true" if thing else "false"
    if isinstance(thing, list | tuple):
        return f"[{', '.join(map(to_toml, thing))}]"
    if isinstance(thing, Mapping):
        return (
            "{" + ", ".join(f"{quote_for_toml(name)} = {to_toml(part)}" for name, part in thing.items()) + "}"
        )
    if isinstance(thing, datetime.date | datetime.time | datetime.datetime):
        return thing.isoformat()
    return str(thing)
