"""`satchel uninstall`: remove satchel from an agent program's settings."""

from __future__ import annotations

import argparse
import contextlib
import shutil

from satchel.cli.agents.install import PARTS, add_program, check_program, place_of
from satchel.cli.parsing import Outcome, Parser, add_running
from satchel.private_files import state_folder

DESCRIPTION = """\
Remove satchel from the settings of an agent program, the user's and those of the project in --root. Files
that nobody has changed since are restored byte for byte; from others, only satchel's entries are removed."""

EXAMPLES = """\
  satchel uninstall claude-code
  satchel uninstall vscode --scope project --root ~/src/shop"""


def fill(parser: Parser) -> None:
    """Add the arguments of `uninstall`."""
    add_program(parser)
    parser.add_argument("--scope", choices=("user", "project"), help="only those settings (default: both)")
    parser.add_argument("--print", action="store_true", help="print what would change, without changing it")
    add_running(parser)


def main(args: argparse.Namespace) -> Outcome:
    """Uninstall, or print what would change."""
    check_program(args)
    from satchel.agents.clients import NAMES
    from satchel.agents.installing import carry_out, plan_uninstall

    scopes = (args.scope,) if args.scope else ("project", "user")
    steps = [
        step for scope in scopes for step in plan_uninstall(args.program, place_of(args.root, scope, PARTS))
    ]
    if not args.print:
        carry_out(steps)
        if args.program == "claude-code":
            _forget_sessions()
    changed = [step for step in steps if step.is_change]
    if not changed:
        return Outcome(f"satchel is not installed in {NAMES[args.program]}\n")
    what = {True: "file removed", False: "entries removed"}
    rows = "".join(f"  {step.path}: {what[step.after is None]}\n" for step in changed)
    done = "would be uninstalled" if args.print else "uninstalled"
    return Outcome(f"{done} from {NAMES[args.program]}\n{rows}")


def _forget_sessions() -> None:
    """End the resident processes, and remove the hooks' data about sessions.

    The archive stays: it holds the cut texts.
    """
    from satchel.agents.resident import stop_all

    stop_all()
    with contextlib.suppress(OSError):
        shutil.rmtree(state_folder() / "claude-code")
