"""`satchel plugins`: list installed plugins and which are off, or write a package for a new one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_shown, add_workspace

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host, Loaded

DESCRIPTION = """\
List every plugin with the distribution that brought it, and whether it takes part.
A plugin that is off says why; plugins that failed to load are listed on stderr.
`satchel plugins new KIND NAME` writes a package for a plugin of your own that passes its tests at once."""

EXAMPLES = """\
  satchel plugins
  satchel plugins --no-plugin churn --format json
  satchel plugins new scorer owners"""


def fill(parser: Parser) -> None:
    """Add the arguments of `plugins`."""
    new = parser.add_argument_group("a new plugin")
    new.add_argument(
        "new", nargs="*", metavar="new KIND NAME", help="write the package of a plugin: `new scorer owners`"
    )
    new.add_argument(
        "--into", metavar="DIR", help="folder in which the package's folder is made (default: this one)"
    )
    add_shown(parser)
    add_workspace(parser, strict=True)


def main(args: argparse.Namespace) -> Outcome | CommandPlan:
    """Plan the list, or write a package."""
    if args.new or args.into is not None:
        return _new_package(args.new, args.into)
    from satchel.cli.setup import load_config, plan

    config = load_config(args.root, flags={"disable": args.disable, "strict": args.strict})
    return plan(config, lambda host: _list_plugins(host, args, config))


def _new_package(words: list[str], into: str | None) -> Outcome:
    from pathlib import Path

    from satchel.errors import UsageError
    from satchel.host.templates import write_package

    if words[:1] != ["new"] or len(words) != 3:
        raise UsageError(
            "expected `satchel plugins new KIND NAME`, for example: satchel plugins new scorer owners"
        )
    files = write_package(words[1], words[2], Path(into or "."))
    folder = files[0].parent
    lines = [f"wrote {file}" for file in files]
    lines.append(f"try it: pip install -e '{folder}[test]' && pytest {folder}")
    return Outcome("\n".join(lines) + "\n")


def _list_plugins(host: Host, args: argparse.Namespace, config: Config) -> Outcome:
    from satchel.cli.setup import exit_code, report_problems
    from satchel.view.tables import json_text

    loaded = all_plugins(host)
    report_problems(host.problems)
    text = json_text(_json(host, loaded)) if args.format == "json" else _text(host, loaded)
    return Outcome(text, exit_code(host.problems, config))


def all_plugins(host: Host) -> list[Loaded]:
    """Return the plugins of all kinds, including those that are off, by kind and name."""
    from satchel.host import PluginKind

    return [plugin for kind in PluginKind for plugin in host.registered(kind)]


def _text(host: Host, loaded: list[Loaded]) -> str:
    from satchel.view.tables import table

    rows = [("kind", "name", "distribution", "version", "state")]
    rows += [
        (str(plugin.kind), plugin.name, plugin.distribution, plugin.version or "-", _state(plugin))
        for plugin in loaded
    ]
    rows += [
        ("-", entry.name, entry.distribution, entry.version or "-", "off: disabled, not loaded")
        for entry in host.entries_off
    ]
    return table(rows) + "\n"


def _state(plugin: Loaded) -> str:
    return "on" if plugin.enabled else f"off: {plugin.off}"


def _json(host: Host, loaded: list[Loaded]) -> dict[str, Any]:
    from satchel.packing.bundle_json import problem_to_dict

    return {
        "schema": 1,
        "plugins": [_plugin(plugin) for plugin in loaded],
        "disabled": [
            {"name": entry.name, "distribution": entry.distribution, "version": entry.version}
            for entry in host.entries_off
        ],
        "problems": [problem_to_dict(problem) for problem in host.problems],
    }


def _plugin(plugin: Loaded) -> dict[str, Any]:
    return {
        "kind": str(plugin.kind),
        "name": plugin.name,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "builtin": plugin.builtin,
        "enabled": plugin.enabled,
        "off": plugin.off,
    }
