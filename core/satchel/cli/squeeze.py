"""`satchel squeeze`: what matters of a command's output."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable
from typing import TYPE_CHECKING

from satchel.cli.parsing import Outcome, Parser, add_events
from satchel.cli.streams import input_pieces, say

if TYPE_CHECKING:
    from satchel.terminal.squeezing import Squeezed

DESCRIPTION = """\
Shorten a command's output to what matters of it: errors, failures, warnings, the odd one, totals.
The output is read from stdin. What is left out is archived, and each gap […A-B] can be expanded."""

EXAMPLES = """\
  make 2>&1 | satchel squeeze --command make
  pytest > log.txt 2>&1; satchel squeeze --command pytest --exit-code $? --budget 1k < log.txt
  satchel expand blob:3f9c2a1b7d4e:120-180"""


def fill(parser: Parser) -> None:
    """Add the arguments of `squeeze`."""
    parser.add_argument("--command", default="", metavar="CMD", help="the command whose output it is")
    parser.add_argument("--exit-code", type=int, metavar="N", help="the exit code that it ended with")
    add_cutting(parser)


def add_cutting(parser: Parser) -> None:
    """Add the options that `squeeze` and `run` share."""
    parser.add_argument(
        "--budget", default="3000", metavar="N", help="most tokens of the result (default: 3000)"
    )
    parser.add_argument("--store", metavar="DIR", help="folder of the archive (default: your state folder)")
    parser.add_argument(
        "--no-plugin",
        action="append",
        metavar="NAME",
        dest="disable",
        help="leave out a plugin or a distribution; may be given again",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")
    add_events(parser)
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")


def main(args: argparse.Namespace) -> Outcome:
    """Squeeze what stands on stdin."""
    # A process that ends at once has no cycles to collect; looking for them costs a fifth of the time.
    gc.disable()
    from satchel.archive import Archive
    from satchel.cli.expand import tokens
    from satchel.terminal.plugins import Plugins
    from satchel.terminal.squeezing import squeeze_stream

    observe = observer(args)
    squeezed = squeeze_stream(
        input_pieces("the output"),
        command=args.command,
        exit_code=args.exit_code,
        budget=tokens(args.budget),
        archive=Archive.usual(args.store),
        plugins=Plugins(disable=args.disable or ()),
    )
    observe(args.command, squeezed)
    return Outcome(told(squeezed, form=args.format, exit_code=args.exit_code), is_shown=True)


def observer(args: argparse.Namespace) -> Callable[[str, Squeezed], None]:
    """Return what writes a squeezed output into the file of `--events`; it does nothing without one."""
    if not args.events:
        return lambda command, squeezed: None
    from satchel.events import OutputCompressed
    from satchel.observing import EventFile

    events = EventFile(args.events)
    return lambda command, squeezed: events(
        OutputCompressed(command, squeezed.lines, squeezed.tokens, squeezed.pointer)
    )


def told(squeezed: Squeezed, *, form: str, exit_code: int | None) -> str:
    """Return the result as text or as JSON; problems go to stderr."""
    from satchel.cli.settling import report_problems

    report_problems(squeezed.problems)
    if squeezed.gaps and not squeezed.text:
        where = f"satchel expand {squeezed.pointer}" if squeezed.pointer else "it is not archived"
        say(f"satchel: nothing of {squeezed.lines} lines fits; give a larger --budget; the whole: {where}")
    if form == "text":
        return squeezed.text
    from satchel.view.encoding import json_text

    gaps = [
        {
            "lines": [gap.first, gap.last],
            "pointer": f"{squeezed.pointer}:{gap.first}-{gap.last}" if squeezed.pointer else None,
        }
        for gap in squeezed.gaps
    ]
    return json_text(
        {
            "schema": 1,
            "exit_code": exit_code,
            "tokens": squeezed.tokens,
            "text": squeezed.text,
            "lines": squeezed.lines,
            "pointer": squeezed.pointer or None,
            "gaps": gaps,
            "problems": [str(problem) for problem in squeezed.problems],
        }
    )
