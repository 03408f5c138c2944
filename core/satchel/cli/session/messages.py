"""`satchel session new|add|show`: create sessions, add messages and show them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from satchel.cli.parsing import Outcome, whole_number
from satchel.cli.session import add_format, add_place, json_line, open_session
from satchel.cli.streams import input_pieces, input_text
from satchel.errors import UsageError

if TYPE_CHECKING:
    from satchel.session.nodes import Node

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_TOGETHER = 200
"""Messages that are written to stdout at once."""
_LOOK_SECONDS = 0.25
"""How often a session that is followed is looked at."""
_FEW = 50
"""Messages before the new ones that are looked at, so that an undo between them hides none."""


def fill_new(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session new`."""
    add_format(parser)
    add_place(parser)


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
        raise SessionError(args.session, "is there already; satchel session add goes on with it")
    with Session.open(args.session, store=args.store, root=args.root, create=True) as session:
        answer = {"schema": 1, "session": session.id, "branch": session.branch_name}
    return Outcome(json_line(answer) if args.format == "json" else f"{session.id}\n")


def fill_add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session add`."""
    what = parser.add_argument_group("the message (without these: one as JSON, or a list of them, on stdin)")
    what.add_argument("--role", choices=ROLES, metavar="ROLE", help=f"who says it: {', '.join(ROLES)}")
    what.add_argument("--text", metavar="TEXT", help="what it says (default with --role: stdin)")
    what.add_argument("--usage", metavar="JSON", help="what the provider reported for it, kept beside it")
    add_format(parser)
    add_place(parser)


def main_add(args: argparse.Namespace) -> Outcome:
    """Add a message, or several at once."""
    messages, usage = _messages(args), _usage(args.usage)
    if args.session is None:
        raise UsageError("name the session with --session ID; it is made where it is missing")
    with open_session(args, create=True) as session:
        if len(messages) == 1:
            nodes = [session.add(messages[0], usage=usage)]
        else:
            nodes = session.record_many([("message", message) for message in messages])
        if args.format == "json":
            added = [{"id": node.id, "parent": node.parent, "at": node.at} for node in nodes]
            answer = {"schema": 1, "session": session.id, "branch": session.branch_name, "added": added}
            return Outcome(json_line(answer), is_shown=True)
    return Outcome("".join(f"{node.id}\n" for node in nodes), is_shown=True)


def _messages(args: argparse.Namespace) -> list[Any]:
    if args.role is None and args.text is not None:
        raise UsageError("--text needs --role")
    if args.role is None:
        given = _parse_json(b"".join(input_pieces("the message")), "stdin")
        messages = given if isinstance(given, list) else [given]
        if not messages:
            raise UsageError("stdin holds an empty list, there is no message to add")
        for message in messages:
            _check_message(message)
        return messages
    if args.text is None:
        return [
            {
                "role": args.role,
                "content": input_text("the message"),
            }
        ]
    text = args.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return [{"role": args.role, "content": text}]


def _check_message(message: Any) -> None:
    from satchel.session.history import check_message

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
        raise UsageError("--usage is a JSON object, like '{\"input_tokens\": 900}'")
    return usage


def _parse_json(content: bytes, source: str) -> Any:
    if not content.strip():
        raise UsageError(f"{source} is empty; give --role and --text, or one message as JSON on stdin")
    try:
        return json.loads(content.decode("utf-8-sig"))
    except RecursionError:
        raise UsageError(f"{source} is nested too deeply") from None
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"{source} is not JSON ({reason[:120]})") from None


def fill_show(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session show`."""
    parser.add_argument("--last", type=whole_number(0), metavar="N", help="only the newest N messages")
    parser.add_argument("--branch", metavar="NAME", help="another branch than the one it is on")
    parser.add_argument(
        "--follow",
        type=float,
        metavar="SECONDS",
        help="keep running for SECONDS and print what others add, within a second",
    )
    add_format(parser)
    add_place(parser)


def main_show(args: argparse.Namespace) -> Outcome:
    """Print the messages, or nothing if one of them is damaged."""
    if args.follow is not None:
        if args.format != "text":
            raise UsageError("--follow prints text, leave out --format json")
        return Outcome("", following=map(_render_message, _follow(args)))
    with open_session(args) as session:
        if args.branch:
            session = session.on(args.branch)
        head, nodes = session.head, session.message_nodes(last=args.last)
        count = session.count()
    if args.format == "text":
        return Outcome("", following=(_render_message(node) for node in nodes))
    top = {"schema": 1, "session": session.id, "branch": session.branch_name, "head": head, "count": count}
    return Outcome(json_line(top).rstrip("}\n"), following=_render_rest(nodes), is_shown=True)


def _follow(args: argparse.Namespace) -> Iterator[Node]:
    """Yield the messages, then those that are added; a message that undo took away is not yielded again."""
    import time

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
    from satchel.escaping import visible

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
