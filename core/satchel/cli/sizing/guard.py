"""`satchel guard`: watch a local model's window and free memory, and print one event per line."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from satchel.cli.parsing import (
    CommandPlan,
    Outcome,
    Parser,
    add_store,
    add_workspace,
    parse_seconds,
    whole_number,
)
from satchel.cli.setup import load_config, plan
from satchel.config import Config

if TYPE_CHECKING:
    from satchel.guarding import Actions
    from satchel.guarding.gauges import Reading
    from satchel.host import Host

DESCRIPTION = """\
Watch a window and the free memory beside it, and print what changes as JSON Lines. satchel does nothing
to the server: each event says what its level calls for, and your program does it (satchel.guarding). With
--session, the session is compacted, and saved before an emergency; its next window is the smaller one."""

EXAMPLES = """\
  satchel guard --window http://127.0.0.1:8080
  satchel guard --window ollama:qwen3 --every 10 --margin 1GiB
  satchel guard --window http://127.0.0.1:8080 --session fix-login"""


def fill(parser: Parser) -> None:
    """Add the arguments of `guard`."""
    watched = parser.add_argument_group("what is watched")
    watched.add_argument("--window", required=True, metavar="URL|ollama:NAME", help="the server to ask")
    watched.add_argument(
        "--every", default="5", metavar="S", help="seconds between two readings (default: 5)"
    )
    watched.add_argument(
        "--rounds", type=whole_number(1), metavar="N", help="stop after N readings (default: never)"
    )
    watched.add_argument("--margin", default="512MiB", metavar="SIZE", help="memory that must stay free")
    saved = parser.add_argument_group("whose window it is")
    saved.add_argument(
        "--session",
        metavar="ID",
        help="compact this session when a level calls for it, and save it before that",
    )
    add_store(saved)
    add_workspace(parser)


def main(args: argparse.Namespace) -> CommandPlan:
    """Plan the watching."""
    from satchel.guarding import Guard, Limits, poll
    from satchel.guarding.gauges import check_window_name
    from satchel.host.observing import event_line
    from satchel.sizing.devices import parse_memory

    config = load_config(args)
    window = check_window_name(args.window)
    every = parse_seconds(args.every, "--every", least=0.1)
    limits = Limits(margin_bytes=parse_memory(args.margin, what="--margin"))

    def _work(host: Host) -> Outcome:
        read = partial(_read, host, config, window)
        guard = Guard(actions=_actions(args, config, host), limits=limits)
        events = poll(read, guard, every_seconds=every, rounds=args.rounds)
        return Outcome("", following=map(event_line, events))

    return plan(config, _work)


def _actions(args: argparse.Namespace, config: Config, host: Host) -> Actions:
    """Return the actions on a session, empty if no session is named."""
    from satchel.guarding import Actions

    if args.session is None:
        return Actions()
    from satchel.guarding.acting import actions_for
    from satchel.session.session import Session
    from satchel.session.window import WindowOptions

    session = Session.open(args.session, store=args.store, root=args.root)
    options = WindowOptions(root=args.root, store=args.store, config=config)
    return actions_for(session, options, host=host, keep=config.snapshots)


def _read(host: Host, config: Config, window: str) -> Reading:
    from satchel.guarding.gauges import Reading, cells
    from satchel.sizing.devices import devices

    free = [device.free_bytes for device in devices(host, config)]
    return Reading(*cells(window), min(free, default=None))
