"""`satchel session log|checkpoint|undo|redo|branch|switch|tangent`: move the head."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from satchel.cli.parsing import Outcome, whole_number
from satchel.cli.session import answer, open_session
from satchel.errors import UsageError
from satchel.escaping import visible
from satchel.spelling import format_count
from satchel.view.tables import clip_text

if TYPE_CHECKING:
    from satchel.session.history import Moved
    from satchel.session.nodes import Node
    from satchel.session.session import Session

_MOST_TOLD = 10_000
"""Nodes that are read to describe an undo."""


def fill_checkpoint(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session checkpoint`."""
    parser.add_argument("name", nargs="?", default="", help="its name (default: checkpoint-1, -2, ...)")
    parser.add_argument("--list", action="store_true", help="list the checkpoints")


def main_checkpoint(args: argparse.Namespace) -> Outcome:
    """Name the session's current state, or list the names."""
    if args.list and args.name:
        raise UsageError(f"--list prints all checkpoints; leave out {args.name!r}")
    with open_session(args) as session:
        made = session.checkpoints() if args.list else [session.checkpoint(args.name)]
        rows = [{"checkpoint": one.name, "head": one.node, "at": one.at} for one in made]
        told = {"session": session.id, "checkpoints": rows}
    return answer(args, told, "".join(f"{one.name}\n" for one in made))


def fill_undo(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session undo`."""
    parser.add_argument(
        "--steps",
        type=whole_number(1),
        metavar="N",
        help="how many steps back (default: 1): a person's message with what followed, a compaction, a pin",
    )
    parser.add_argument(
        "--to", default="", metavar="PLACE", help="go back to a checkpoint, or to a node by its id in the log"
    )


def main_undo(args: argparse.Namespace) -> Outcome:
    """Take back steps."""
    if args.steps is not None and args.to:
        raise UsageError("--steps and --to each say how far back; give one of them")
    with open_session(args) as session:
        moved = session.undo(args.steps or 1, to=args.to)
        told = _say_between(session, moved.after, moved.before)
        return _render_move(moved, args, session.id, f"undone, {_name_place(moved)} now:\n{told}")


def fill_redo(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session redo`."""
    parser.add_argument(
        "--steps", type=whole_number(1), default=1, metavar="N", help="how many steps (default: 1)"
    )


def main_redo(args: argparse.Namespace) -> Outcome:
    """Reverse an undo."""
    with open_session(args) as session:
        moved = session.redo(args.steps)
        told = _say_between(session, moved.before, moved.after)
        return _render_move(moved, args, session.id, f"redone, {_name_place(moved)} now:\n{told}")


def fill_branch(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session branch`."""
    parser.add_argument("name", nargs="?", default="", help="the new branch (default: list the branches)")
    parser.add_argument("--at", default="", metavar="PLACE", help="a checkpoint or node (default: the head)")


def main_branch(args: argparse.Namespace) -> Outcome:
    """Create a branch and switch to it, or list the branches."""
    if args.at and not args.name:
        raise UsageError("--at needs the name of the new branch: satchel session branch NAME --at PLACE")
    with open_session(args) as session:
        if args.name:
            return _render_move(session.branch(args.name, args.at), args, session.id)
        branches = session.branches()
    rows = [
        {"branch": one.name, "head": one.head, "messages": one.messages, "current": one.current}
        | ({"home": one.home} if one.home else {})
        for one in branches
    ]
    marks = [
        f"{'*' if one.current else ' '} {one.name}  {format_count(one.messages, 'message')}\n"
        for one in branches
    ]
    return answer(args, {"session": session.id, "branches": rows}, "".join(marks))


def fill_switch(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session switch`."""
    parser.add_argument("name", help="the branch")


def main_switch(args: argparse.Namespace) -> Outcome:
    """Switch to another branch."""
    with open_session(args) as session:
        return _render_move(session.switch(args.name), args, session.id)


def fill_tangent(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session tangent`."""
    parser.add_argument("name", nargs="?", default="", help="its name (default: tangent-1, -2, ...)")
    parser.add_argument("--back", action="store_true", help="end it and go back to where it began")
    parser.add_argument(
        "--keep",
        choices=("none", "last-pair"),
        default="none",
        help="what comes back with --back: nothing (default), or the last question and its answer",
    )


def main_tangent(args: argparse.Namespace) -> Outcome:
    """Begin or end a tangent."""
    if args.name and args.back:
        raise UsageError("--back ends the current tangent; it takes no name")
    with open_session(args) as session:
        keep = args.keep.replace("-", " ")
        moved = session.come_back(keep) if args.back else session.tangent(args.name)
        return _render_move(moved, args, session.id)


def fill_log(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session log`."""
    parser.add_argument(
        "--last", type=whole_number(1), default=100, metavar="N", help="how many (default: 100)"
    )


def main_log(args: argparse.Namespace) -> Outcome:
    """List the nodes of the branch and the moves of heads, newest last."""
    with open_session(args) as session:
        nodes = session.happenings(last=args.last)
        moves = session.moves(args.last)
    rows = [{"id": node.id, "parent": node.parent, "kind": node.kind, "at": node.at} for node in nodes]
    told = {"session": session.id, "nodes": rows, "moves": [move._asdict() for move in moves]}
    lines = [f"{node.id}  {say_node(node)}\n" for node in nodes]
    lines += [
        f"{move.what} on {move.branch}: {move.before or 'start'} -> {move.after or 'start'}\n"
        for move in moves
    ]
    return answer(args, told, "".join(lines))


def _say_between(session: Session, first: str, last: str) -> str:
    """Return the nodes between two nodes in words: those taken back or put back."""
    found: list[Node] = []
    while last and last != first and len(found) < _MOST_TOLD:
        node = session.node(last)
        found.append(node)
        last = node.parent
    return say_taken(found[::-1])


def _name_place(moved: Moved) -> str:
    return f"{format_count(moved.messages, 'message')} on branch {moved.branch}"


def _render_move(moved: Moved, args: argparse.Namespace, session: str, told: str = "") -> Outcome:
    text = told or f"now on branch {moved.branch}, {format_count(moved.messages, 'message')}\n"
    return answer(args, {"session": session, **moved._asdict()}, text)


_LONGEST = 60
"""Characters of a message."""
_LONGEST_PATH = 40
"""Characters of a path."""
_NAMED = 3
"""Nodes of one step that are named one by one."""
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


def say_node(node: Node) -> str:
    """Return one line: `user: fix the login bug`, `assistant calls read_file app.py`, `pin app.py`."""
    body: Mapping[str, Any] = node.body if isinstance(node.body, dict) else {}
    if node.kind == "message":
        return _say_message(body)
    if "reader" in body and "sent" in body:
        return visible(f"window for {body['reader']}: {_say_window(body)}")
    title, say = _KINDS.get(node.kind, (node.kind, _say_other))
    return visible(f"{title}{say(body)}")


def say_taken(nodes: Sequence[Node]) -> str:
    """Return lines on nodes taken back or put back, the oldest first: the first ones, then a count."""
    lines = [f"  {say_node(node)}\n" for node in nodes[:_NAMED]]
    rest = len(nodes) - _NAMED
    return "".join([*lines, f"  and {rest:,} more\n"] if rest > 0 else lines)


def _say_message(body: Mapping[str, Any]) -> str:
    texts, calls, results = _parts(body)
    role = str(body.get("role") or body.get("type") or "message")
    said = clip_text(" ".join(texts), _LONGEST)
    if calls:
        made = f"{role} calls {', '.join(calls[:_NAMED])}{' and more' if len(calls) > _NAMED else ''}"
        said = clip_text(" ".join(texts), _LONGEST // 2)
        return visible(f"{made}: {said}" if said else made)
    if role in ("tool", "function") or results:
        lines = sum(text.rstrip("\n").count("\n") + 1 for text in results or texts)
        first = clip_text(" ".join(results or texts), _LONGEST)
        return visible(f"result, {format_count(lines, 'line')}: {first}")
    return visible(f"{role}: {said}")


def _parts(body: Mapping[str, Any]) -> tuple[list[str], list[str], list[str]]:
    """Return the texts of a message of any format, its called tools, and its results."""
    texts: list[str] = []
    calls = [_name_function(call) for call in _list_objects(body.get("tool_calls"))]
    results: list[str] = []
    content = body.get("content")
    if body.get("type") in ("function_call", "custom_tool_call"):
        calls.append(_name_call(body.get("name"), body.get("arguments", body.get("input"))))
    if body.get("type") in ("function_call_output", "custom_tool_call_output"):
        results.append(str(body.get("output", "")))
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else _list_objects(content):
        if block.get("type") == "tool_use":
            calls.append(_name_call(block.get("name"), block.get("input")))
        elif block.get("type") == "tool_result":
            results.append(" ".join(_texts_of(block.get("content"))))
        elif isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif block.get("type") not in _THOUGHTS:
            texts.append(f"[{block.get('type', 'content')}]")
    return texts, calls, results


def _texts_of(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [str(block.get("text", "")) for block in _list_objects(content)]


def _list_objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _name_function(call: Mapping[str, Any]) -> str:
    function = call.get("function")
    made = function if isinstance(function, dict) else call
    return _name_call(made.get("name"), made.get("arguments"))


def _name_call(name: object, given: object) -> str:
    """Return a call as `Read …/shop/cart.py` or `Bash pytest -q`."""
    from satchel.showing.anatomy import describe_call

    tool = str(name or "a tool")
    if not given or given == "{}":
        return tool
    what = describe_call(tool, given if isinstance(given, str) else json.dumps(given)).what
    what = what.removeprefix(tool).strip()
    if "/" in what and " " not in what and len(what) > _LONGEST_PATH:
        what = f"…{what[-_LONGEST_PATH:]}"  # of a path, the end tells most
    return f"{tool} {clip_text(what, _LONGEST)}" if what else tool


def _say_entry(body: Mapping[str, Any]) -> str:
    code = "" if body.get("exit_code") is None else f", exit code {body['exit_code']}"
    size = format_count(body.get("lines", 0), "line")
    return f"$ {clip_text(str(body.get('command') or 'unknown command'), _LONGEST)}{code}, {size}"


def _say_edit(body: Mapping[str, Any]) -> str:
    return f"{body.get('path', 'a file')}, {clip_text(str(body.get('why', '')), _LONGEST)}"


def _say_window(body: Mapping[str, Any]) -> str:
    sent = len(_list(body.get("sent")))
    task = clip_text(str(body.get("judged", "")), _LONGEST)
    return f"{format_count(sent, 'message')} sent{f' for: {task}' if task else ''}"


def _say_compaction(body: Mapping[str, Any]) -> str:
    dialogue = body.get("dialogue")
    kept = len(_list(dialogue.get("messages"))) if isinstance(dialogue, dict) else 0
    return f"the dialogue is cut to {format_count(kept, 'message')}"


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _say_ref(body: Mapping[str, Any]) -> str:
    return clip_text(str(body.get("ref", "")), _LONGEST)


def _say_text(body: Mapping[str, Any]) -> str:
    return clip_text(str(body.get("text", "")), _LONGEST)


def _say_other(body: Mapping[str, Any]) -> str:
    fields: Iterable[str] = (
        f"{key} {clip_text(str(value), _LONGEST)}" for key, value in list(body.items())[:_NAMED]
    )
    return ", ".join(fields)


_KINDS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], str]]] = {
    "compaction": ("compaction: ", _say_compaction),
    "window": ("window: ", _say_window),
    "entry": ("", _say_entry),
    "edit": ("edit of ", _say_edit),
    "pin": ("pin ", _say_ref),
    "unpin": ("unpin ", _say_ref),
    "read_only": ("read-only ", _say_ref),
    "writable": ("writable again ", _say_ref),
    "step": ("step: ", _say_text),
    "note": ("note: ", _say_text),
}
"""Kind of a node -> its name, and its description."""
