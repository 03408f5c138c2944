"""`satchel pack`: the best context for a task, within a budget."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from satchel.cli.parsing import Outcome, Parser, Plan, add_running, add_workspace
from satchel.cli.streams import say

if TYPE_CHECKING:
    from satchel.bundle import Bundle
    from satchel.config import Config
    from satchel.host import Host

DESCRIPTION = """\
Choose what goes into the window for a task: files, parts of files, diffs, documents.
The document goes to stdout and never costs more than the budget; a line about it goes to stderr."""

EXAMPLES = """\
  satchel pack "login fails with a 500 since the last commit" --budget 8k
  git log -1 --format=%B | satchel pack - --pin src/auth.py --format json > context.json"""


def fill(parser: Parser) -> None:
    """Add the arguments of `pack`."""
    parser.add_argument("task", metavar="TASK", help="what the window is for; - reads it from stdin")
    choice = parser.add_argument_group("what goes in")
    choice.add_argument("--budget", metavar="N|auto", help="tokens, like 16000 or 16k; auto asks the model")
    choice.add_argument("--model", metavar="M", help="model that the window is for")
    choice.add_argument("--strategy", metavar="S", help="packer to choose with (default: hybrid)")
    choice.add_argument(
        "--pin",
        action="append",
        default=[],
        metavar="REF",
        help="what must go in whole: src/app.py, src/app.py:10-40, Class.method; may be given again",
    )
    choice.add_argument(
        "--since",
        default="",
        metavar="REF",
        help="review: the diff since that commit, its callers and its tests come first",
    )
    choice.add_argument(
        "--open",
        action="append",
        default=[],
        metavar="FILE[:LINE]",
        help="a file open in your editor, with the cursor's line; may be given again",
    )
    shown = parser.add_argument_group("what you see")
    shown.add_argument(
        "--format",
        choices=("markdown", "xml", "json"),
        default="markdown",
        help="markdown (default), xml, or json with every score and pointer",
    )
    shown.add_argument("--explain", action="store_true", help="table of items and scores on stderr")
    shown.add_argument(
        "--left-out",
        choices=("best", "all"),
        default="best",
        help="list the 200 best left-out items in JSON (default), or all",
    )
    add_workspace(parser)
    add_running(parser, strict=True)


def main(args: argparse.Namespace) -> Plan:
    """Plan the pack; its text is the document or the JSON."""
    from satchel.cli.settling import configured, plan, read_task

    task = read_task(args.task)
    config = configured(
        args.root,
        flags={
            "budget": args.budget,
            "model": args.model,
            "strategy": args.strategy,
            "disable": args.disable,
            "strict": args.strict,
        },
    )

    def _work(host: Host) -> Outcome:
        return _told(_packed(task, args, config, host), args, config)

    return plan(config, _work)


def _told(bundle: Bundle, args: argparse.Namespace, config: Config) -> Outcome:
    from satchel.cli.settling import exit_code, report_problems

    report_problems(bundle.problems)
    _report(bundle, args)
    return Outcome(_text(bundle, args), exit_code(bundle.problems, config))


def _packed(task: str, args: argparse.Namespace, config: Config, host: Host) -> Bundle:
    from satchel.bundle import PackOptions, pack
    from satchel.view.progress import Progress

    progress = Progress()
    options = PackOptions(
        since=args.since,
        open_files=args.open,
        form="xml" if args.format == "xml" else "markdown",
        left_out=args.left_out,
        config=config,
        progress=progress,
    )
    try:
        return pack(task, args.root, pins=args.pin, host=host, options=options)
    finally:
        progress.end()


def _report(bundle: Bundle, args: argparse.Namespace) -> None:
    from satchel.view.bundles import explained, redactions, summary

    if args.explain:
        say(explained(bundle))
    if bundle.secrets:
        say(f"satchel: {redactions(bundle)}")
    if args.format != "json":
        say(f"satchel: {summary(bundle)}")


def _text(bundle: Bundle, args: argparse.Namespace) -> str:
    if args.format != "json":
        return bundle.text
    from satchel.view.bundles import as_json
    from satchel.view.encoding import json_text

    return json_text(as_json(bundle))
