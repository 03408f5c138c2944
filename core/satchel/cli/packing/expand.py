"""`satchel expand`: print the text of a pointer."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_archive, add_workspace, parse_tokens
from satchel.cli.setup import exit_code, isolate, load_config, plan, report_problems
from satchel.cli.streams import tell
from satchel.errors import UsageError
from satchel.spelling import join_reason

if TYPE_CHECKING:
    from satchel.host import Host

DESCRIPTION = """\
Print what a pointer stands for, as the full text or at a level.
Takes the pointers of a document (src/app.py:10-40) and of JSON (satchel://...), commits
(commit:4a3eb31f), and definitions: Class.method, src/app.py::main, shop.cart:Cart.total."""

EXAMPLES = """\
  satchel expand src/app.py:10-40
  satchel expand Session.renew
  satchel expand "satchel://file/src/app.py?lines=10-40&v=1a2b3c4d" --budget 500"""

_EMPTY = {
    "excerpt": "has no part that fits; --level full shows it, or a larger --budget more",
    "diff": "has not changed since HEAD",
    "headers": "has no part with a name, so there are no heads; --level full shows it",
    "symbols": "has no part with a name, so there are no heads; --level full shows it",
}
"""Messages for levels with nothing to show."""
LEVELS = ("pointer", "headers", "symbols", "excerpt", "full", "diff")


def fill(parser: Parser) -> None:
    """Add the arguments of `expand`."""
    parser.add_argument("pointer", metavar="POINTER", help="what a pack printed, a path, or a name")
    shown = parser.add_argument_group("what you see")
    shown.add_argument("--level", choices=LEVELS, help="how much to show (default: full)")
    shown.add_argument(
        "--budget",
        metavar="N",
        help="maximum size in tokens, like 500 or 2k; prints the most detailed level that fits",
    )
    shown.add_argument(
        "--raw",
        action="store_true",
        help="print the source unchanged: hidden characters stay, and no line end is added",
    )
    add_archive(shown)
    add_workspace(parser)


def main(args: argparse.Namespace) -> Outcome | CommandPlan:
    """Plan the expansion of the pointer; texts of the archive need no plugin."""
    if args.raw and (args.level not in (None, "full") or args.budget is not None):
        raise UsageError("--raw prints the source unchanged; leave out --level and --budget")
    budget = None if args.budget is None else parse_tokens(args.budget, "--budget")
    archived = isolate(lambda: _read_archive(args.pointer, args.store, budget))
    if archived is not None:
        return Outcome(archived, is_shown=True)
    config = load_config(args)

    def _work(host: Host) -> Outcome:
        from satchel.packing.expanding import expand

        text = expand(
            args.pointer,
            args.root,
            level=args.level,
            budget=budget,
            raw=args.raw,
            store=args.store,
            config=config,
            host=host,
        )
        report_problems(host.problems)
        if not text:
            note = join_reason(args.pointer, _EMPTY.get(args.level, "has no text"))
            tell(f"satchel: note: {note}")
        return Outcome(text, is_shown=True, exit_code=exit_code(host.problems, config))

    return plan(config, _work)


def _read_archive(written: str, store: str | None, budget: int | None) -> str | None:
    """Return the archived text of a pointer, None if it is not in the archive."""
    from satchel.pointers import parse
    from satchel.shared_archive import open_archive

    pointer = parse(written)
    archive = open_archive(store)
    if not pointer.blob or not (archive.has(pointer.blob) or written.startswith("blob:")):
        return None
    text = archive.read(pointer)
    if budget is None:
        return text
    from satchel.output.squeezing import squeeze

    return squeeze(text, budget=budget, store=store).text
