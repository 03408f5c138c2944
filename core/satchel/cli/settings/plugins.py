"""`satchel plugins`: list the installed plugins and their states, or write a package for a new one."""

from __future__ import annotations

import argparse
import keyword
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_shown, add_workspace
from satchel.cli.setup import exit_code, load_config, plan, report_problems
from satchel.config import Config
from satchel.errors import UsageError
from satchel.host.kinds import PluginKind
from satchel.patterns import lazily
from satchel.view.tables import json_text, table

if TYPE_CHECKING:
    from satchel.host import Host, Loaded


DESCRIPTION = """\
List every plugin, the distribution that it comes from, and whether it is on.
A plugin that is off says why; plugins that failed to load are listed on stderr.
`satchel plugins new KIND NAME` writes a package for a plugin of your own that passes its tests right away."""

EXAMPLES = """\
  satchel plugins
  satchel plugins --no-plugin churn --format json
  satchel plugins new scorer owners"""


def fill(parser: Parser) -> None:
    """Add the arguments of `plugins`."""
    new = parser.add_argument_group("a new plugin")
    new.add_argument(
        "new",
        nargs="*",
        metavar="new KIND NAME",
        help=f"write the package of a plugin, like `new scorer owners`; kinds: {', '.join(_list_kinds())}",
    )
    new.add_argument(
        "--into", metavar="DIR", help="create the package in this folder (default: the current one)"
    )
    add_shown(parser)
    add_workspace(parser, strict=True)


def main(args: argparse.Namespace) -> Outcome | CommandPlan:
    """Plan the list, or write a package."""
    if args.new or args.into is not None:
        return _plan_package(args.new, args.into)
    config = load_config(args)
    return plan(config, lambda host: _list_plugins(host, args, config))


def _list_kinds() -> list[str]:
    return [kind.replace("_", "-") for kind in (*PluginKind, *_VARIANTS)]


def _plan_package(words: list[str], into: str | None) -> CommandPlan:
    if words[:1] != ["new"] or len(words) != 3:
        raise UsageError(
            "expected `satchel plugins new KIND NAME`, for example: satchel plugins new scorer owners"
        )
    _, kind = _parse_kind(words[1])

    def _work(host: Host) -> Outcome:
        if any(one.name == words[2] and one.builtin for one in host.registered(kind)):
            told = f"a built-in {kind.value.replace('_', ' ')} is called {words[2]!r}"
            raise UsageError(f"{told}; choose another name")
        return _new_package(words, into)

    return plan(Config(), _work)


def _new_package(words: list[str], into: str | None) -> Outcome:
    files = write_package(words[1], words[2], Path(into or "."))
    folder = files[0].parent
    lines = [f"wrote {file}" for file in files]
    lines.append(f"try it: pip install -e '{folder}[test]' && pytest {folder}")
    return Outcome("\n".join(lines) + "\n")


def _list_plugins(host: Host, args: argparse.Namespace, config: Config) -> Outcome:
    loaded = all_plugins(host)
    report_problems(host.problems)
    text = json_text(_json(host, loaded)) if args.format == "json" else _text(host, loaded)
    return Outcome(text, exit_code(host.problems, config))


def all_plugins(host: Host) -> list[Loaded]:
    """Return the plugins of all kinds, including those that are off, by kind and name."""
    return [plugin for kind in PluginKind for plugin in host.registered(kind)]


def _text(host: Host, loaded: list[Loaded]) -> str:
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
    keys = ("name", "distribution", "version", "builtin", "enabled", "off")
    return {"kind": str(plugin.kind), **{key: getattr(plugin, key) for key in keys}}


_NAME = lazily(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
_LONGEST_NAME = 60


_SETTINGS_LINES = {
    PluginKind.PROVIDER: 'folder = "docs/notes"',
    PluginKind.SCORER: "weight = 0.8",
    PluginKind.WORTH_MODEL: "factor = 3.0",
    PluginKind.GPU_BACKEND: 'file = "/tmp/devices.json"',
    PluginKind.REDACTION_RULE: 'prefix = "acme"',
    PluginKind.SESSION_STORE: 'file = "team.sqlite"',
}
"""An example line of the configuration table of a kind's template, if it has settings."""
_VARIANTS = {"message_scorer": PluginKind.SCORER}
"""Templates of a kind besides the one that has its name."""
_CONTRACTS = {PluginKind.REDACTION_RULE: "RedactionRulesContract"}
"""Contract classes of `satchel.testing.contracts` that are not named after their kind."""
_ABOUT = lazily(r'(?m)^class .*\n    """(.*)"""$')
"""The docstring of a template's class."""


def write_package(kind: str, name: str, folder: Path) -> list[Path]:
    """Write the package `satchel-NAME` into a new folder of that name; return the files in order.

    Args:
        kind: a kind of plugin, a value of `PluginKind`, or `message_scorer`; a hyphen may replace an
            underscore.
        name: the plugin's name in lower case.
        folder: where the package's folder is created.

    Raises:
        UsageError: unknown kind, a name that can't be a module's, or an existing folder.
    """
    template, chosen = _parse_kind(kind)
    if keyword.iskeyword(name):
        raise UsageError(f"{name!r} can't name a plugin: it is a keyword of Python; choose another name")
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        raise UsageError(
            f"{name[:_LONGEST_NAME]!r} can't name a plugin; use a to z, digits and single hyphens"
        )
    root = folder / f"satchel-{name.replace('_', '-')}"
    if root.exists() or root.is_symlink():
        raise UsageError(f"{root} already exists; choose another name, or another folder with --into")
    written = []
    for path, text in _render_files(chosen, name, template).items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        written.append(place)
    return written


def _parse_kind(kind: str) -> tuple[str, PluginKind]:
    """Return the name of the template for a kind as a person writes it, and the kind."""
    template = kind.replace("-", "_")
    try:
        return template, _VARIANTS.get(template) or PluginKind(template)
    except ValueError:
        kinds = ", ".join(_list_kinds())
        raise UsageError(f"no kind of plugin is called {kind!r}; the kinds are {kinds}") from None


def _render_files(kind: PluginKind, name: str, template: str) -> dict[str, str]:
    """Return the files of a package by path; `plugin_templates` has the modules."""
    module = f"satchel_{name.replace('-', '_')}"
    spoken = template.replace("_", " ")
    article = "an" if spoken[0] in "aeiou" else "a"
    facts = {
        "kind": spoken,
        "a_kind": f"{article.capitalize()} {spoken}",
        "of_a_kind": f"{article} {spoken}",
        "name": name,
        "scheme": name.replace("_", "-"),
        "distribution": f"satchel-{name.replace('_', '-')}",
        "module": module,
        "cls": _join_words(name),
        "contract": _CONTRACTS.get(kind, f"{_join_words(kind.value)}Contract"),
    }
    code = _fill(f"{template}.txt", facts)
    facts["about"] = "".join(_ABOUT.findall(code)[:1])
    line = _SETTINGS_LINES.get(kind, "")
    facts["settings"] = _fill("package/settings.txt", facts, kind=kind.value, line=line) if line else ""
    return {
        "pyproject.toml": _fill("package/pyproject.txt", facts),
        "README.md": _fill("package/readme.txt", facts),
        f"{module}/__init__.py": code,
        f"{module}/py.typed": "",
        f"tests/test_{name.replace('-', '_')}.py": _fill("package/test.txt", facts),
    }


def _fill(template: str, facts: Mapping[str, str], **more: str) -> str:
    text = resources.files("satchel.cli").joinpath("plugin_templates", template).read_text("utf-8")
    return Template(text).substitute(facts, **more)


def _join_words(name: str) -> str:
    return "".join(word.capitalize() for word in name.replace("-", "_").split("_"))
