"""`satchel session list|prune|delete`: the sessions, their sizes, and their deletion."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from satchel import config as configuration
from satchel.cli.parsing import Outcome, parse_days, whole_number
from satchel.cli.session import answer
from satchel.cli.streams import say
from satchel.errors import UsageError
from satchel.spelling import format_count

if TYPE_CHECKING:
    from satchel.session.store import SessionSize
    from satchel.session.tidying import Deleted, RetentionLimits


def fill_list(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session list`."""
    parser.add_argument(
        "--sort",
        choices=("name", "age", "size"),
        default="name",
        help="name (default), age: longest unused first, size: largest first; the last two show both",
    )


def main_list(args: argparse.Namespace) -> Outcome:
    """List the sessions of a store."""
    from satchel.session.opening import describe_sessions
    from satchel.session.places import find_store, name_place
    from satchel.session.pools import is_pool
    from satchel.session.tidying import measure_sessions

    found: list[dict[str, Any]] = []
    store = find_store(args.store, args.root)
    if store is not None:
        with closing(store):
            found = [one for one in describe_sessions(store) if not is_pool(str(one["session"]))]
            sizes = {} if args.sort == "name" else {one.name: one for one in measure_sessions(store)}
        found = _sort_sessions([_with_size(one, sizes) for one in found], args.sort)
    place = name_place(args.store, args.root)
    if not found:
        say(f"satchel: there are no sessions in {place}; satchel session add --session ID begins one")
    return answer(args, {"store": place, "sessions": found}, "".join(map(_row, found)))


def _with_size(one: dict[str, Any], sizes: dict[str, SessionSize]) -> dict[str, Any]:
    size = sizes.get(str(one["session"]))
    return one if size is None else one | {"nodes": size.nodes, "bytes": size.bytes, "used": size.used}


def _sort_sessions(found: list[dict[str, Any]], order: str) -> list[dict[str, Any]]:
    if order == "age":
        return sorted(found, key=lambda one: float(one.get("used", 0)))
    if order == "size":
        return sorted(found, key=lambda one: -int(one.get("bytes", 0)))
    return found


def _row(one: dict[str, Any]) -> str:
    line = f"{one['session']}  {format_count(one['messages'], 'message')}, on branch {one['branch']}"
    if "bytes" not in one:
        return f"{line}\n"
    from satchel.sizing.devices import format_bytes

    age = _format_age(time.time() - float(one["used"]))
    return f"{line}, {format_bytes(int(one['bytes']))}, unused for {age}\n"


def _format_age(seconds: float) -> str:
    for size, unit in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} seconds"


def fill_prune(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session prune`."""
    parser.add_argument(
        "--days", type=parse_days, metavar="N", help="delete sessions that were not used for N days"
    )
    parser.add_argument(
        "--count", type=whole_number(0), metavar="N", help="keep this many sessions, the newest"
    )
    parser.add_argument(
        "--bytes", metavar="SIZE", help="keep at most this many bytes of sessions, like 200MiB"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="print what would be deleted, and delete nothing"
    )


def main_prune(args: argparse.Namespace) -> Outcome:
    """Delete the sessions that are too old or too many."""
    from satchel.session.places import find_store
    from satchel.session.tidying import check_limits, choose_stale, measure_sessions

    limits = check_limits(_read_limits(args))
    store = find_store(args.store, args.root)
    if store is None:
        return _tell([], args)
    with closing(store):
        stale = choose_stale(measure_sessions(store), limits, now=time.time())
    if args.dry_run:
        from satchel.session.tidying import Deleted

        return _tell(
            [Deleted(one.name, one.nodes, one.bytes, 0, 0) for one in stale], args, done="would be deleted"
        )
    return _tell(_delete([one.name for one in stale], args), args)


def _read_limits(args: argparse.Namespace) -> RetentionLimits:
    """Return the limits of the options, or else of the configuration."""
    from satchel.session.tidying import RetentionLimits
    from satchel.sizing.devices import parse_bytes

    if args.days is args.count is args.bytes is None:
        config = configuration.load(None, env=os.environ)
        return RetentionLimits(config.session_days, config.session_count, config.session_bytes)
    most = parse_bytes(args.bytes, what="--bytes") if args.bytes is not None else 0
    return RetentionLimits(args.days or 0, args.count or 0, most)


def main_delete(args: argparse.Namespace) -> Outcome:
    """Delete a session for good."""
    if args.session is None:
        raise UsageError("name the session to delete with --session ID")
    return _tell(_delete([args.session], args), args)


def _delete(names: Sequence[str], args: argparse.Namespace) -> list[Deleted]:
    from satchel.cli.session.snapshots import open_shared
    from satchel.session.places import open_place
    from satchel.session.tidying import delete_sessions
    from satchel.shared_archive import open_archive

    if not names:
        return []
    place = open_place(args.store, args.root)
    with closing(place.store) as store, open_shared(None) as shared:
        archive = open_archive(args.store)
        return delete_sessions(store, names, folder=place.folder, archive=archive, shared=shared)


def _tell(gone: Sequence[Deleted], args: argparse.Namespace, *, done: str = "deleted") -> Outcome:
    from satchel.sizing.devices import format_bytes

    rows = [
        f"{one.session}  {format_count(one.nodes, 'node')}, {format_bytes(one.bytes)}, "
        f"{format_count(one.snapshots, 'snapshot')}, {format_count(one.texts, 'archived text')}\n"
        for one in gone
    ]
    text = f"{''.join(rows)}{format_count(len(gone), 'session')} {done}\n"
    return answer(args, {"deleted": [one._asdict() for one in gone]}, text)
