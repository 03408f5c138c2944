"""`satchel session new|add|show|replay`: create sessions, add messages, show and send them."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from satchel import config as configuration
from satchel.addresses import scheme_of
from satchel.cli.parsing import Outcome, parse_seconds, whole_number
from satchel.cli.session import answer, json_line, open_session
from satchel.cli.streams import input_pieces, say
from satchel.config import Config
from satchel.errors import SatchelError, UsageError
from satchel.escaping import visible
from satchel.spelling import format_count

if TYPE_CHECKING:
    from satchel.session.nodes import Node
    from satchel.session.session import Session

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_SPEAKERS = frozenset({"system", "developer", "user"})
"""Roles whose messages have a text; an answer or a result may be empty."""
_TOGETHER = 200
"""Messages that are written to stdout at once."""
_LOOK_SECONDS = 0.25
"""Interval of checks of a followed session."""
_FEW = 50
"""Messages before the new ones that are checked, so that an undo between them hides none."""


def main_new(args: argparse.Namespace) -> Outcome:
    """Create a session."""
    from satchel.session.nodes import SessionError
    from satchel.session.opening import sessions_of
    from satchel.session.places import borrow_store
    from satchel.session.session import Session

    if args.session is None:
        raise UsageError("name the session with --session ID")
    with borrow_store(args.store, args.root, create=True) as store:
        there = args.session in [known.name for known in sessions_of(store)]
    if there:
        raise SessionError(args.session, "already exists; satchel session add adds to it")
    with Session.open(args.session, store=args.store, root=args.root, create=True) as session:
        return answer(args, {"session": session.id, "branch": session.branch_name}, f"{session.id}\n")


def fill_add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session add`."""
    what = parser.add_argument_group("the message (without these: one as JSON, or a list of them, on stdin)")
    what.add_argument("--role", choices=ROLES, metavar="ROLE", help=f"role of its author: {', '.join(ROLES)}")
    what.add_argument("--text", metavar="TEXT", help="its text (default with --role: stdin)")
    what.add_argument(
        "--usage", metavar="JSON", help="token usage that the provider reported for it, as JSON"
    )
    parser.add_argument(
        "--spool",
        action="store_true",
        default=None,
        help="keep it on this machine while the server of an address can't be reached, and send it before "
        "the next one (default: [session] spool of your configuration)",
    )


def main_add(args: argparse.Namespace) -> Outcome:
    """Add a message, or several at once."""
    messages, usage = _messages(args), _usage(args.usage)
    if args.session is None:
        raise UsageError("name the session with --session ID; it is created if it does not exist")
    config = _load_config(args)
    if config is not None and _has_spool(args, config):
        return _add_through_spool(args, messages, usage, config)
    with open_session(args, create=True) as session:
        if len(messages) == 1:
            nodes = [session.add(messages[0], usage=usage)]
        else:
            nodes = session.record_many([("message", message) for message in messages])
        _prune_daily(session, args, config)
        return _render_added(session, nodes, args)


def _render_added(session: Session, nodes: list[Node], args: argparse.Namespace) -> Outcome:
    added = [{"id": node.id, "parent": node.parent, "at": node.at} for node in nodes]
    told = {"session": session.id, "branch": session.branch_name, "added": added}
    return answer(args, told, "".join(f"{node.id}\n" for node in nodes))._replace(is_shown=True)


def _has_spool(args: argparse.Namespace, config: Config) -> bool:
    """Return whether messages may wait on this machine: if requested, and the store is not a file on it."""
    from satchel.session.places import is_file

    place = args.store if args.store is not None else config.store or None
    return bool(config.session_spool if args.spool is None else args.spool) and not is_file(place)


def _add_through_spool(
    args: argparse.Namespace, messages: list[Any], usage: Mapping[str, Any] | None, config: Config
) -> Outcome:
    """Send the waiting messages and then the new ones; if that fails, let them wait, with a note."""
    from satchel.session.spooling import Spool, add_spooled, make_spooled
    from satchel.session.store import StoreError

    spool = Spool.of(args.session, args.store, args.root)
    given = make_spooled(messages, time.time(), usage)
    try:
        with open_session(args, create=True) as session:
            sent = spool.replay(session)
            nodes = add_spooled(session, given)
            if sent:
                waited, verb = format_count(len(sent), "message"), "was" if len(sent) == 1 else "were"
                say(f"satchel: {waited} that waited on this machine {verb} sent first")
            _prune_daily(session, args, config)
            return _render_added(session, nodes, args)
    except StoreError as error:
        waiting = spool.keep(given)
        say(f"satchel: {error}")
        told = "the next session add sends them, and so does session replay"
        say(f"satchel: kept on this machine: {format_count(waiting, 'message')} waiting to be sent; {told}")
    facts = {"session": args.session, "branch": "", "added": [], "waiting": waiting}
    return answer(args, facts, "")._replace(is_shown=True)


def _load_config(args: argparse.Namespace) -> Config | None:
    """Return the person's configuration; None for a named folder, which it does not concern."""
    if args.store is not None and not scheme_of(args.store):
        return None
    return configuration.load(None, env=os.environ)


def _prune_daily(session: Session, args: argparse.Namespace, config: Config | None) -> None:
    """Delete the sessions beyond the person's configured limits, once a day, with a line."""
    if config is None or not (config.session_days or config.session_count or config.session_bytes):
        return
    from satchel.session.tidying import RetentionLimits, prune_daily
    from satchel.sizing.devices import format_bytes

    limits = RetentionLimits(config.session_days, config.session_count, config.session_bytes)
    try:
        gone = prune_daily(
            session.store, limits, folder=session.folder, archive=args.store, now=session.now()
        )
    except (SatchelError, OSError) as error:  # the message is kept, whatever becomes of old ones
        say(f"satchel: old sessions can't be deleted, as [session] says: {error}")
        return
    if gone:
        size, names = format_bytes(sum(one.bytes for one in gone)), ", ".join(one.session for one in gone[:5])
        more = f" and {len(gone) - 5} more" if len(gone) > 5 else ""
        many = format_count(len(gone), "old session")
        say(f"satchel: deleted {many} of {size}, as [session] says: {names}{more}")


def fill_replay(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session replay`."""
    parser.add_argument("--list", action="store_true", help="print what waits, and send nothing")


def main_replay(args: argparse.Namespace) -> Outcome:
    """Send the messages that wait on this machine, in their original order."""
    from satchel.session.spooling import Spool

    if args.session is None:
        raise UsageError("name the session with --session ID")
    spool = Spool.of(args.session, args.store, args.root)
    waiting = spool.waiting()
    sent = 0
    if waiting and not args.list:
        with open_session(args, create=True) as session:
            sent = len(spool.replay(session))
        waiting = []
    rows = [{"at": one.at, "message": one.body} for one in waiting]
    text = (
        "".join(json_line(one.body) for one in waiting)
        if args.list
        else f"{format_count(sent, 'message')} sent\n"
    )
    return answer(args, {"session": args.session, "sent": sent, "waiting": rows}, text)


def _messages(args: argparse.Namespace) -> list[Any]:
    if args.role is None and args.text is not None:
        raise UsageError("--text needs --role")
    if args.role is None:
        given = _parse_json(b"".join(input_pieces("the message")), "stdin")
        messages = given if isinstance(given, list) else [given]
        if not messages:
            raise UsageError("stdin has an empty list; there is no message to add")
        for message in messages:
            _check_message(message)
        return messages
    given = _read_text() if args.text is None else args.text
    text = given.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if args.role in _SPEAKERS and not text.strip():
        raise UsageError("the message is empty; give its text with --text or on stdin")
    return [{"role": args.role, "content": text}]


def _read_text() -> str:
    """Return the text on stdin; UsageError if it is none, so that no message is kept with holes."""
    data = b"".join(input_pieces("the message"))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"stdin is not text: not UTF-8 at byte {error.start}") from error


def _check_message(message: Any) -> None:
    from satchel.session.line import check_message

    check_message(message)
    role = message.get("role")
    if role is not None and role not in ROLES:
        raise UsageError(f"no role is called {str(role)[:40]!r}; roles are {', '.join(ROLES)}")
    if role in ("system", "developer", "user") and message.get("content") is None:
        raise UsageError(f'the {role} message has no "content"')


def _usage(text: str | None) -> Mapping[str, Any] | None:
    if text is None:
        return None
    usage = _parse_json(text.encode("utf-8", "surrogateescape"), "--usage")
    if not isinstance(usage, dict):
        raise UsageError("--usage takes a JSON object, like '{\"input_tokens\": 900}'")
    for key, number in usage.items():
        if isinstance(number, int | float) and number < 0:
            raise UsageError(f"--usage: {key!r} is {number}, but tokens are 0 or more")
    return usage


def _parse_json(content: bytes, source: str) -> Any:
    if not content.strip():
        raise UsageError(f"{source} is empty; give --role and --text, or one message as JSON on stdin")
    try:
        return json.loads(content.decode("utf-8-sig"))
    except RecursionError:
        raise UsageError(f"{source} is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{source} is not JSON: not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        broken = f"{error.msg[:1].lower()}{error.msg[1:]}"
        raise UsageError(
            f"{source} is not JSON at line {error.lineno} column {error.colno}: {broken}"
        ) from None
    except ValueError as error:
        raise UsageError(f"{source} is not JSON that can be read: {error}") from None


def _parse_follow(text: str) -> float:
    return parse_seconds(text, "--follow")


def fill_show(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session show`."""
    parser.add_argument("--last", type=whole_number(1), metavar="N", help="only the newest N messages")
    parser.add_argument("--branch", metavar="NAME", help="a branch other than the current one")
    parser.add_argument(
        "--follow",
        type=_parse_follow,
        metavar="SECONDS",
        help="keep running for SECONDS, and print within a second what others add",
    )
    parser.add_argument(
        "--reader",
        metavar="NAME",
        help="only what NAME, an agent or a person, has not seen yet; the session records what it was shown",
    )


def main_show(args: argparse.Namespace) -> Outcome:
    """Print the messages, or nothing if one of them is damaged."""
    if args.follow is not None:
        if args.format != "text":
            raise UsageError("--follow prints text, leave out --format json")
        if args.reader is not None:
            raise UsageError(
                "--follow and --reader can't be combined; run the command again with --reader for what is new"
            )
        return Outcome("", following=map(_render_message, _follow(args)))
    with open_session(args) as session:
        if args.branch:
            session = session.on(args.branch)
        if args.reader is not None:
            nodes = session.read_new(args.reader)
            nodes = nodes if args.last is None else nodes[max(0, len(nodes) - args.last) :]
        else:
            nodes = session.message_nodes(last=args.last)
        head = session.head
        count = session.count()
    if args.format == "text":
        return Outcome("", following=(_render_message(node) for node in nodes))
    top = {"schema": 1, "session": session.id, "branch": session.branch_name, "head": head, "count": count}
    return Outcome(json_line(top).rstrip("}\n"), following=_render_rest(nodes), is_shown=True)


def _follow(args: argparse.Namespace) -> Iterator[Node]:
    """Yield the messages, then newly added ones; a message that undo took away is not repeated."""
    until = time.monotonic() + args.follow
    with open_session(args) as session:
        line = session.on(args.branch) if args.branch else session
        head, count, last, told = "", 0, args.last, set[str]()
        while True:
            now = line.head
            if now != head:
                nodes = line.message_nodes(last=last)
                yield from (node for node in nodes if node.id not in told)
                told.update(node.id for node in nodes)
                head, count = now, line.count()
            left = until - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(_LOOK_SECONDS, left))
            last = max(_FEW, line.count() - count + _FEW)


def _render_message(node: Node) -> str:
    message = node.body
    content = message.get("content")
    text = (
        content
        if isinstance(content, str)
        else json.dumps(
            content if content is not None else {key: message[key] for key in message if key != "role"},
            ensure_ascii=False,
        )
    )
    return f"{visible(str(message.get('role', message.get('type'))))}: {visible(text)}\n"


def _render_rest(nodes: list[Node]) -> Iterator[str]:
    """Yield the rest of the JSON: the messages as added, then the metadata of each."""
    yield ', "messages": ['
    yield from _rows([node.body for node in nodes])
    yield '], "metadata": ['
    yield from _rows([{"id": node.id, "parent": node.parent, "at": node.at, **node.meta} for node in nodes])
    yield "]}\n"


def _rows(values: list[Any]) -> Iterator[str]:
    for at in range(0, len(values), _TOGETHER):
        lines = [json_line(value).rstrip("\n") for value in values[at : at + _TOGETHER]]
        yield (",\n" if at else "\n") + ",\n".join(lines)
