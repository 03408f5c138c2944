"""`satchel config`: show the configuration, or print a JSON Schema."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_workspace

if TYPE_CHECKING:
    from satchel.host import Host

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
    shown.add_argument("--origin", action="store_true", help="of show: where each value came from")
    shown.add_argument("--format", choices=("toml", "json"), default="toml", help="of show: toml or json")
    shown.add_argument(
        "--of",
        choices=("config", *PUBLISHED),
        default="config",
        help="of schema: which one (default: config)",
    )
    add_workspace(parser)


def main(args: argparse.Namespace) -> Outcome | CommandPlan:
    """Show the configuration or a schema; the configuration's schema needs the plugins."""
    if args.action == "schema" and args.of != "config":
        from satchel.schemas import published

        return Outcome(published(args.of), is_shown=True)
    from satchel.cli.setup import load_config, plan
    from satchel.view.tables import json_text

    config = load_config(args)
    if args.action == "schema":
        return plan(config, _render_schema)
    from satchel.view.settings import as_json, as_toml

    text = json_text(as_json(config)) if args.format == "json" else as_toml(config, origin=args.origin)
    return Outcome(text)


def _render_schema(host: Host) -> Outcome:
    from satchel.config import schema
    from satchel.view.tables import json_text

    return Outcome(json_text(schema(host)))
