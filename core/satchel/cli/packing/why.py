"""`satchel why`: explain why something is in a pack or not."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_model, add_shown, add_workspace
from satchel.cli.setup import exit_code, load_config, plan, read_task, report_problems
from satchel.cli.streams import is_result_seen
from satchel.view.tables import color, json_text, terminal_width

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.packing.explaining import Explanation

DESCRIPTION = """\
Explain why something is in the pack for a task, or is not: its rank, its score from each scorer,
which of its parts are shown, and what decided it."""

EXAMPLES = """\
  satchel why src/auth.py "login fails with a 500"
  satchel why Session.renew "login fails with a 500" --format json"""


def fill(parser: Parser) -> None:
    """Add the arguments of `why`."""
    parser.add_argument(
        "ref", metavar="REF", help="a path, a path with lines, a symbol, a commit, or a pointer"
    )
    parser.add_argument("task", metavar="TASK", help="the task of the pack; - reads it from stdin")
    choice = parser.add_argument_group("the pack in question")
    choice.add_argument("--budget", metavar="N|auto", help="tokens of the pack, like 16000 or 16k")
    add_model(choice, "model that the window is for")
    choice.add_argument("--strategy", metavar="S", help="packer to choose with")
    add_shown(parser)
    add_workspace(parser)


def main(args: argparse.Namespace) -> CommandPlan:
    """Plan the explanation."""
    task = read_task(args.task)
    config = load_config(args, "budget", "model", "strategy")

    def _work(host: Host) -> Outcome:
        from satchel.packing.explaining import why

        explained = _render_explanation(why(args.ref, task, args.root, host=host, config=config), args)
        report_problems(host.problems)
        return explained._replace(exit_code=exit_code(host.problems, config))

    return plan(config, _work)


def _render_explanation(explanation: Explanation, args: argparse.Namespace) -> Outcome:
    from satchel.view.packs import as_text, explanation_as_json

    if args.format == "json":
        return Outcome(json_text(explanation_as_json(explanation)))
    seen = is_result_seen()
    return Outcome(color(as_text(explanation, terminal_width(is_seen=seen)), is_seen=seen))
