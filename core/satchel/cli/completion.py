"""`satchel completion`: print a script that completes commands and options in the shell."""

from __future__ import annotations

import argparse
import importlib

from satchel.cli.parsing import Outcome, Parser, add_running

DESCRIPTION = """\
Print a script that lets your shell complete satchel's commands, options and files."""

EXAMPLES = """\
  satchel completion bash > ~/.local/share/bash-completion/completions/satchel
  satchel completion zsh > ~/.zfunc/_satchel"""

SHELLS = ("bash", "zsh", "fish", "tcsh")


def fill(parser: Parser) -> None:
    """Add the arguments of `completion`."""
    parser.add_argument("shell", choices=SHELLS, help="your shell")
    add_running(parser)


def main(args: argparse.Namespace) -> Outcome:
    """Return the script."""
    import shtab

    if args.shell not in shtab.SUPPORTED_SHELLS:
        from satchel.errors import SatchelError

        raise SatchelError(f"the installed shtab has no {args.shell}: pip install -U shtab")
    return Outcome(shtab.complete(make_parser(), shell=args.shell).rstrip("\n") + "\n", is_shown=True)


def make_parser() -> argparse.ArgumentParser:
    """Return one parser with all commands."""
    import shtab

    from satchel.cli import COMMANDS

    parser = argparse.ArgumentParser(prog="satchel", allow_abbrev=False)
    parser.add_argument("-V", "--version", action="store_true", help="print the version")
    commands = parser.add_subparsers(parser_class=Parser)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, allow_abbrev=False)
        importlib.import_module(f"satchel.cli.{name}").fill(command)
        for action in command._actions:
            _complete_files(action, shtab)
    commands.add_parser("help", help="tell more about a command").add_argument(
        "command", choices=tuple(COMMANDS), nargs="?"
    )
    return parser


def _complete_files(action: argparse.Action, shtab: object) -> None:
    name = str(action.metavar or "")
    if name == "DIR":
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    elif name.startswith(("FILE", "REF", "POINTER")):
        action.complete = shtab.FILE  # type: ignore[attr-defined]
