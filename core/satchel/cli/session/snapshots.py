"""`satchel session snapshot|restore|export|import`: save sessions to files and read them back."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satchel import config as configuration
from satchel.cli.parsing import Outcome, add_events, whole_number
from satchel.cli.session import answer, name_of, open_session
from satchel.cli.setup import find_transcript, load_config
from satchel.cli.streams import tell
from satchel.errors import ConversationError, SatchelError, UsageError
from satchel.session.nodes import SessionError
from satchel.spelling import agree, format_count

if TYPE_CHECKING:
    from satchel.interfaces import Blobs
    from satchel.session.session import Session
    from satchel.session.shared_snapshots import SharedRestored, SharedSnapshot
    from satchel.session.snapshots import SessionSnapshot
    from satchel.session.transfer import Imported

_EXPORT = b'{"satchel":"session"'
"""The beginning of an export."""
_TOGETHER = 200
"""Lines that are written to stdout at once."""


def fill_snapshot(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session snapshot`."""
    parser.add_argument("--list", action="store_true", help="list the snapshots, and verify each")
    parser.add_argument("--reason", default="by hand", metavar="TEXT", help="the reason, shown in the list")
    parser.add_argument("--keep", type=whole_number(1), metavar="N", help="how many stay (default: 5)")
    _add_share(parser, "also put it at ADDRESS for others, without secrets")
    add_events(parser)


def _add_share(parser: argparse.ArgumentParser, meaning: str) -> None:
    told = f"{meaning} (default: share_snapshots in [session] of your configuration)"
    parser.add_argument("--share", metavar="ADDRESS", help=told)


def open_shared(address: str | None) -> contextlib.AbstractContextManager[Blobs | None]:
    """Open the place of shared snapshots: the address, else the configured one; None if there is neither."""
    from satchel.shared_archive import borrow_blobs

    return borrow_blobs(
        address if address is not None else configuration.load(None, env=os.environ).shared_snapshots
    )


def main_snapshot(args: argparse.Namespace) -> Outcome:
    """Take a snapshot, or list them."""
    from satchel.session.shared_snapshots import list_shared
    from satchel.session.snapshots import list_snapshots

    shared: list[SharedSnapshot] = []
    with open_session(args) as session, open_shared(args.share) as blobs:
        if args.list:
            found = list_snapshots(session.folder, session.id, verified=True)
            if blobs is not None:
                shared = list_shared(blobs, session.id, session.folder)
        else:
            keep = args.keep or load_config(args).snapshots
            found = [session.snapshot(args.reason, keep=keep)]
            if blobs is not None:
                shared = [_share(session, found[0], blobs, keep)]
        session_id = session.id
    told = [one.snapshot._asdict() | {"withheld": list(one.withheld)} for one in shared]
    facts = {"session": session_id, "snapshots": [one._asdict() for one in found]}
    text = "".join([*map(_row, found), *map(_render_shared, shared)])
    return answer(args, facts | ({"shared": told} if shared else {}), text)


def _share(session: Session, taken: SessionSnapshot, blobs: Blobs, keep: int) -> SharedSnapshot:
    from satchel.installed import make_user_scanners
    from satchel.session.shared_snapshots import share_snapshot

    try:
        return share_snapshot(session, taken, blobs, scanners=make_user_scanners(), keep=keep)
    except SatchelError as error:
        raise SatchelError(
            f"snapshot {taken.id} was taken on this machine and not shared: {error}"
        ) from error


def _row(one: SessionSnapshot) -> str:
    if one.damage:
        return f"{one.id}  damaged: {one.damage}\n"
    return f"{one.id}  {format_count(one.messages, 'message')}  {one.bytes:,} bytes  {one.reason}\n"


def _render_shared(one: SharedSnapshot) -> str:
    from satchel.session.shared_snapshots import WITHHELD

    row = _row(one.snapshot).removesuffix("\n")
    withheld = f", {len(one.withheld)} of its nodes {WITHHELD}" if one.withheld else ""
    return f"{row}  shared{withheld}\n"


def fill_restore(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session restore`."""
    parser.add_argument("snapshot", nargs="?", default="", help="its id (default: the newest intact one)")
    parser.add_argument(
        "--rebuild",
        action="store_true",
        help="set an unreadable store aside, and make a new one from the newest snapshot of each session",
    )
    _add_share(parser, "take it from ADDRESS, where others share theirs")
    add_events(parser)


def main_restore(args: argparse.Namespace) -> Outcome:
    """Go back to a snapshot."""
    if args.rebuild:
        return _rebuild(args)
    if args.share is not None or not _has_snapshots(args):
        with open_shared(args.share) as blobs:
            if blobs is not None:
                return _restore_shared(args, blobs)
    with open_session(args) as session:
        restored = session.restore(args.snapshot)
        count, session_id = session.count(), session.id
    _tell_skipped(restored.skipped)
    facts = {
        "session": session_id,
        "snapshot": restored.snapshot.id,
        "before": restored.before,
        "mended": restored.mended,
        "skipped": list(restored.skipped),
        "messages": count,
    }
    text = f"restored from snapshot {restored.snapshot.id}: {format_count(count, 'message')}"
    if restored.mended:
        verb = agree(restored.mended, "was", "were")
        text += f", {format_count(restored.mended, 'node')} of the store {verb} mended"
    return answer(args, facts, f"{text}\n")


def _tell_skipped(skipped: Sequence[str]) -> None:
    for why in skipped:
        tell(f"satchel: problem: snapshot {why}; the one before it is used")


def _has_snapshots(args: argparse.Namespace) -> bool:
    """Return whether this machine has a snapshot of the session."""
    from satchel.session.places import find_store
    from satchel.session.snapshots import list_snapshots

    if find_store(args.store, args.root) is None:
        return False
    try:
        with open_session(args) as session:
            return bool(list_snapshots(session.folder, session.id))
    except SessionError:
        return False


def _restore_shared(args: argparse.Namespace, blobs: Blobs) -> Outcome:
    from satchel.session.places import open_place
    from satchel.session.shared_snapshots import restore_shared

    name = name_of(args)
    place = open_place(args.store, args.root, create=True)
    with contextlib.closing(place.store) as store:
        restored = restore_shared(store, blobs, name, folder=place.folder, id=args.snapshot, now=time.time())
    _tell_skipped(restored.skipped)
    if restored.withheld:
        tell(f"satchel: problem: {_describe_withheld(restored)}")
    taken = restored.shared.snapshot
    facts = {
        "session": name,
        "snapshot": taken.id,
        "mended": restored.mended,
        "is_new": restored.is_new,
        "skipped": list(restored.skipped),
        "withheld": list(restored.withheld),
        "messages": taken.messages,
    }
    text = f"restored from shared snapshot {taken.id}: {format_count(taken.messages, 'message')}"
    if restored.is_new:
        text += ", the session is new in this store"
    if restored.mended:
        text += f", {format_count(restored.mended, 'node')} added that this store did not have"
    return answer(args, facts, f"{text}\n")


def _describe_withheld(restored: SharedRestored) -> str:
    ids, most = restored.withheld, 10
    came = "1 node came" if len(ids) == 1 else f"{len(ids)} nodes came"
    more = f" and {len(ids) - most} more" if len(ids) > most else ""
    told = "with marks instead of secrets, which stay on the machine that made it"
    return f"{came} {told}: {', '.join(ids[:most])}{more}"


def _rebuild(args: argparse.Namespace) -> Outcome:
    from satchel.session.places import choose_place, file_of, is_file
    from satchel.session.snapshots import rebuild

    if args.snapshot or args.session:
        raise UsageError("--rebuild makes the whole store anew; it takes neither --session nor a snapshot")
    place = choose_place(args.store)
    if not is_file(place):
        raise UsageError("--rebuild makes the file of a folder anew; restore a database from its own backup")
    made = rebuild(file_of(place, args.root))
    for name, snapshot in made:
        if snapshot is None:
            tell(f"satchel: problem: session {name}: no snapshot is intact, it was left out")
    whole = [one for _, one in made if one is not None]
    rows = [{"session": one.session, "snapshot": one.id, "messages": one.messages} for one in whole]
    text = "".join(f"{one.session}  {format_count(one.messages, 'message')}\n" for one in whole)
    return answer(args, {"rebuilt": rows}, text)


def main_export(args: argparse.Namespace) -> Outcome:
    """Write the session as JSON Lines."""
    return Outcome("", following=_export(args))


def _export(args: argparse.Namespace) -> Iterator[str]:
    from satchel.session.transfer import export_lines, reload

    with open_session(args) as session, session.store.reading() as moment:
        lines = export_lines(moment, reload(moment, session))
        while together := "".join(islice(lines, _TOGETHER)):
            yield together


def fill_import(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session import`."""
    parser.add_argument(
        "file",
        nargs="?",
        default="-",
        help="what export wrote, a snapshot, an agent's session file, or messages as JSON (default: stdin)",
    )


def main_import(args: argparse.Namespace) -> Outcome:
    """Read an export, a snapshot, an agent's session file or messages, completely or not at all."""
    source = "stdin" if args.file == "-" else args.file
    lines = _lines(args.file)
    first = next(lines, b"")
    is_export = first.lstrip().startswith(_EXPORT) or args.file.endswith(".gz")
    came = _bring(chain([first], lines), source, args) if is_export else _read_in(first, lines, source, args)
    return answer(
        args, came._asdict(), f"imported {format_count(came.nodes, 'node')} into session {came.session}\n"
    )


def _bring(lines: Iterable[bytes], source: str, args: argparse.Namespace) -> Imported:
    from satchel.session.places import borrow_store
    from satchel.session.transfer import bring

    with borrow_store(args.store, args.root, create=True) as store:
        return bring(store, lines, source=source, name=args.session or "")


def _read_in(first: bytes, lines: Iterable[bytes], source: str, args: argparse.Namespace) -> Imported:
    """Put messages, or those of an agent's session file, into a new session named like the file."""
    from satchel.session.transfer import Imported

    data = first + b"".join(lines)
    if not data.strip():
        raise ConversationError(source, "empty; nothing was imported")
    messages, made_by = _read_messages(data, source)
    if not messages:
        return _bring(data.splitlines(keepends=True), source, args)  # which says what is wrong with it
    if args.session is None:
        args.session = made_by if args.file == "-" else Path(args.file).stem
    with open_session(args, create=True) as session:
        if session.messages(last=1):
            raise SatchelError(
                f"session {session.id!r} has messages already; choose another name with --session"
            )
        nodes = session.record_many([("message", message) for message in messages])
        return Imported(session.id, len(nodes), session.branch_name, nodes[-1].id)


def _read_messages(data: bytes, source: str) -> tuple[Sequence[Any], str]:
    """Return the messages of a session file or a document, and their author; () for anything else.

    Raises:
        ConversationError: it is JSON without messages.
    """
    from satchel.conversation import parse
    from satchel.installed import find_user_formats

    formats = find_user_formats()
    transcript = find_transcript(data, source, formats) if data.strip() else None
    if transcript is not None:
        return transcript.document, transcript.source
    try:
        document = parse(data, source=source)
    except ConversationError:
        return (), ""
    try:
        formats.refuse_empty(document, source)
        return formats.list_all(document), "messages"
    except ConversationError as error:
        told = "is not an export, an agent's session file, or messages that satchel compact reads"
        why = error.reason if error.place == source else error
        raise ConversationError(source, f"{told}: {why}; nothing was imported") from None


def _lines(name: str) -> Iterator[bytes]:
    if name == "-":
        yield from sys.stdin.buffer
    elif name.endswith(".gz"):
        from satchel.session.snapshots import lines_of

        yield from lines_of(Path(name))
    else:
        try:
            with open(name, "rb") as file:
                yield from file
        except OSError as error:
            raise SatchelError(f"{name}: the conversation can't be read: {error.strerror}") from error
