"""`satchel install`: put satchel into an agent program's settings."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from satchel.cli.parsing import Outcome, Parser, add_running
from satchel.cli.streams import check_folder, say
from satchel.errors import UsageError

if TYPE_CHECKING:
    from satchel.agents.clients import ClientPlace
    from satchel.agents.installing import InstallStep

DESCRIPTION = """\
Add satchel to the settings of an agent program: its MCP server, and for Claude Code its hooks, the shell
prefix that shortens commands' output, and a status line. Everything else in the files stays, comments
included; installing twice changes nothing, and `satchel uninstall` restores the files."""

EXAMPLES = """\
  satchel install claude-code
  satchel install codex --print
  satchel install vscode --scope project"""

PROGRAMS = ("claude-code", "codex", "gemini", "opencode", "cursor", "vscode", "zed")
PARTS = ("mcp", "hooks", "shell", "status")


def fill(parser: Parser) -> None:
    """Add the arguments of `install`."""
    add_program(parser)
    parser.add_argument(
        "--scope",
        choices=("user", "project"),
        default="user",
        help="the settings of the user (default), or those of the project in --root",
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=PARTS,
        help="install only this part; repeatable (default: all that the program supports)",
    )
    parser.add_argument(
        "--print", action="store_true", help="print what would be written, without writing it"
    )
    add_running(parser)


def add_program(parser: Parser) -> None:
    """Add the program's name and the project."""
    parser.add_argument("program", nargs="?", choices=PROGRAMS, help="the agent program")
    parser.add_argument(
        "--root", default=".", metavar="DIR", help="the project (default: the current folder)"
    )


def check_program(args: argparse.Namespace) -> None:
    """Raise UsageError with the known programs if none is named."""
    if args.program is None:
        raise UsageError(f"name the agent program: {', '.join(PROGRAMS)}")


def main(args: argparse.Namespace) -> Outcome:
    """Install, or print the entries."""
    check_program(args)
    from satchel.agents.clients import NAMES, files_of
    from satchel.agents.installing import fragment

    parts = tuple(args.only or PARTS)
    files = files_of(args.program, place_of(args.root, args.scope, parts))
    if not files:
        raise UsageError(f"--only: {NAMES[args.program]} takes no {' and no '.join(parts)} from satchel")
    if not args.print:
        return Outcome(install(args.program, args.root, args.scope, parts))
    return Outcome("\n".join(f"# {file.path}\n{fragment(file)}" for file in files))


def install(program: str, root: str, scope: str, parts: tuple[str, ...]) -> str:
    """Install, report missing software, and return a summary.

    Raises:
        InstallError: a file can't be read, parsed or written.
        WorkspaceError: the project is not a folder.
    """
    from satchel.agents.clients import NAMES
    from satchel.agents.installing import carry_out, plan_install

    steps = plan_install(program, place_of(root, scope, parts))
    carry_out(steps)
    done = "installed" if any(step.is_change for step in steps) else "already installed"
    _tell_what_is_missing(program)
    return f"{done} in {NAMES[program]}, {scope} settings\n" + "".join(map(_row, steps))


def place_of(root: str, scope: str, parts: tuple[str, ...]) -> ClientPlace:
    """Return where to install; raise WorkspaceError if the project is not a folder."""
    from satchel.agents.clients import ClientPlace, find_command

    return ClientPlace(scope, check_folder(root).resolve(), find_command(scope), parts, os.environ)


def _row(step: InstallStep) -> str:
    rows = f"  {step.path}: {', '.join(step.added) if step.added else 'unchanged'}\n"
    return rows + "".join(f"  {step.path}: {what}: kept yours\n" for what in step.kept)


def _tell_what_is_missing(program: str) -> None:
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        say("satchel: the MCP server needs one more package: pip install 'satchel[mcp]'")
    if program == "gemini":
        say("satchel: Gemini CLI starts MCP servers only in folders that you trust: /permissions trust")
