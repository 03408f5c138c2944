"""`satchel diff`: compare two packs, or two strategies on one task."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_model, add_shown, add_workspace
from satchel.cli.setup import load_config, plan, read_task
from satchel.cli.streams import is_result_seen, read_file
from satchel.config import Config
from satchel.errors import SatchelError
from satchel.view.tables import color, json_text, terminal_width

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.showing.differences import PackSide

DESCRIPTION = """\
Compare two packs: which items were added or removed, which levels changed, and what that costs. A and B are
files that satchel pack --format json wrote; with --task they are the names of two strategies."""

EXAMPLES = """\
  satchel diff monday.json tuesday.json
  satchel diff hybrid relevance --task "login fails with a 500" --budget 8k"""


def fill(parser: Parser) -> None:
    """Add the arguments of `diff`."""
    parser.add_argument("before", metavar="A", help="a pack's JSON, or a strategy")
    parser.add_argument("after", metavar="B", help="another one")
    choice = parser.add_argument_group("what is compared")
    choice.add_argument("--task", metavar="TASK", help="pack for it with strategies A and B")
    choice.add_argument("--budget", metavar="N|auto", help="tokens of these packs, like 16000 or 16k")
    add_model(choice, "model that they are for")
    add_shown(parser)
    add_workspace(parser)


def main(args: argparse.Namespace) -> Outcome | CommandPlan:
    """Compare two files, or plan to pack twice."""
    names = (args.before, args.after)
    if args.task is None:
        return _render([_read_file(name) for name in names], args)
    task = read_task(args.task)
    config = load_config(args, "budget", "model")

    def _work(host: Host) -> Outcome:
        return _render([_pack(name, task, args.root, config=config, host=host) for name in names], args)

    return plan(config, _work)


def _read_file(name: str) -> PackSide:
    from satchel.conversation import parse
    from satchel.showing.differences import read_side

    data = read_file(name, "the pack", hint="; to compare two strategies, add --task TASK")
    if not data.strip():
        raise SatchelError(f"{name}: empty; expected what satchel pack --format json prints")
    return read_side(parse(data, source=name), name)


def _pack(strategy: str, task: str, root: str, *, config: Config, host: Host) -> PackSide:
    from satchel.packing.bundle import PackOptions, pack
    from satchel.showing.differences import read_side

    bundle = pack(task, root, host=host, options=PackOptions(strategy=strategy, config=config))
    return read_side(bundle.to_dict(), strategy)


def _render(sides: Sequence[PackSide], args: argparse.Namespace) -> Outcome:
    from satchel.showing.differences import compare, difference_text

    difference = compare(*sides)
    if args.format == "json":
        return Outcome(json_text(difference))
    seen = is_result_seen()
    return Outcome(color(difference_text(difference, terminal_width(is_seen=seen)), is_seen=seen))
