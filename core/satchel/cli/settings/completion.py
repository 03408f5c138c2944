"""`satchel completion`: print a script that completes commands and options in the shell."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Mapping

from satchel.cli.parsing import Outcome, Parser, add_running
from satchel.config import SETTINGS
from satchel.errors import SatchelError
from satchel.private_files import cache_folder

DESCRIPTION = """\
Print a script that lets your shell complete satchel's commands, options and their values: files, models,
settings, and the plugins that are installed now."""

EXAMPLES = """\
  satchel completion bash > ~/.local/share/bash-completion/completions/satchel
  satchel completion zsh > ~/.zfunc/_satchel"""

_BUDGETS = ("4k", "8k", "16k", "32k", "64k", "128k")
SHELLS = ("bash", "zsh", "fish", "tcsh")


def fill(parser: Parser) -> None:
    """Add the arguments of `completion`."""
    parser.add_argument("shell", choices=SHELLS, help="your shell")
    add_running(parser)


def main(args: argparse.Namespace) -> Outcome:
    """Return the script."""
    import shtab

    if args.shell not in shtab.SUPPORTED_SHELLS:
        raise SatchelError(f"the installed shtab has no {args.shell}: pip install -U shtab")
    return Outcome(shtab.complete(make_parser(), shell=args.shell).rstrip("\n") + "\n", is_shown=True)


def make_parser() -> argparse.ArgumentParser:
    """Return one parser with all commands."""
    import shtab

    from satchel.cli import COMMANDS, name_module

    parser = argparse.ArgumentParser(prog="satchel", allow_abbrev=False)
    parser.add_argument("-V", "--version", action="store_true", help="print the version")
    commands, values = parser.add_subparsers(parser_class=Parser), _list_values()
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, allow_abbrev=False)
        importlib.import_module(name_module(name)).fill(command)
        _complete_values(command, values, shtab)
    commands.add_parser("help", help="tell more about a command").add_argument(
        "command", choices=tuple(COMMANDS), nargs="?"
    )
    return parser


def _list_values() -> dict[str, tuple[str, ...]]:
    """Return the values of options that depend on the installation, by option or argument."""
    from satchel.agents.hooks import EVENTS
    from satchel.host import Host, PluginKind
    from satchel.tokens.models import model_names

    host = Host.installed(cache_dir=cache_folder())
    names = {name for kind in PluginKind for name in host.names(kind)}
    return {
        "--strategy": tuple(sorted(host.names(PluginKind.PACKER))),
        "--compressor": tuple(sorted(host.names(PluginKind.COMPRESSOR))),
        "--format": ("auto", *sorted(host.names(PluginKind.MESSAGE_FORMAT))),
        "--no-plugin": tuple(sorted(names)),
        "--model": tuple(sorted(model_names())),
        "--budget": _BUDGETS,
        "--set": tuple(f"{setting.name}=" for setting in SETTINGS),
        "event": EVENTS,
    }


def _complete_values(
    command: argparse.ArgumentParser, values: Mapping[str, tuple[str, ...]], shtab: object
) -> None:
    for action in command._actions:
        if isinstance(action.choices, Mapping):
            for sub in action.choices.values():
                _complete_values(sub, values, shtab)
            continue
        for word in (*action.option_strings, action.dest):
            if word in values and action.choices is None:
                action.choices = values[word]
        if action.metavar == "N|auto":
            action.choices = (*_BUDGETS, "auto")
        _complete_files(action, shtab)


def _complete_files(action: argparse.Action, shtab: object) -> None:
    name = str(action.metavar or "")
    if name == "DIR":
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    elif name.startswith(("FILE", "REF", "POINTER")):
        action.complete = shtab.FILE  # type: ignore[attr-defined]
