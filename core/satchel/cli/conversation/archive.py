"""`satchel archive`: show and prune the archive of cut texts."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from satchel.cli.parsing import Outcome, Parser, add_archive, add_running, add_settings, parse_days
from satchel.cli.streams import say
from satchel.errors import UsageError
from satchel.spelling import format_count

if TYPE_CHECKING:
    from satchel.archive import ArchiveEntry

DESCRIPTION = """\
Show or prune the archive: the whole texts, without secrets, of what squeeze, run and compact cut.
`prune` removes what is older than 30 days, then the oldest until the rest takes at most 1 GiB;
what a session beside it points to stays, however old it is."""

EXAMPLES = """\
  satchel archive show
  satchel archive prune --days 7
  satchel expand blob:3f9c2a1b7d4e"""

_DAYS, _SIZE = 30.0, "1GiB"
"""Limits of prune if none are given."""


def fill(parser: Parser) -> None:
    """Add the arguments of `archive`."""
    parser.add_argument("action", choices=("show", "prune"), help="list what is kept, or remove what is old")
    add_archive(parser)
    parser.add_argument(
        "--days",
        type=parse_days,
        metavar="N",
        help="age from which prune removes (default: 30)",
    )
    parser.add_argument("--size", metavar="SIZE", help="bytes that prune leaves, like 200MiB (default: 1GiB)")
    add_settings(parser)
    add_running(parser)


def main(args: argparse.Namespace) -> Outcome:
    """Show or prune the archive."""
    from satchel.shared_archive import open_archive

    if args.action == "show" and (args.days is not None or args.size is not None):
        raise UsageError("--days and --size say what prune removes; show lists all texts")
    archive = open_archive(args.store)
    if archive.folder.parent.is_file():
        raise UsageError(f"--store {args.store} is a file; name a folder")
    there = archive.show()
    if not there:
        say(f"satchel: nothing is archived in {archive.place_name}")
    if args.action == "prune":
        from satchel.sizing.devices import parse_bytes

        most = parse_bytes(_SIZE if args.size is None else args.size, what="--size")
        days = _DAYS if args.days is None else args.days
        gone = archive.prune(oldest_seconds=days * 86_400, most_bytes=most, keep=archive.find_needs())
        return Outcome(
            f"removed {format_count(len(gone), 'text')}, "
            f"{format_count(sum(entry.stored_bytes for entry in gone), 'byte')}\n"
        )
    return Outcome("".join(map(_row, there)))


def _row(entry: ArchiveEntry) -> str:
    when = datetime.fromtimestamp(entry.used, UTC)
    return f"blob:{entry.hash[:12]}  {entry.stored_bytes:>12}  {when:%Y-%m-%d %H:%M:%S}\n"
