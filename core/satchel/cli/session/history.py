"""`satchel session log|checkpoint|undo|redo|branch|switch|tangent`: move the head."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from satchel.cli.parsing import Outcome, whole_number
from satchel.cli.session import answer, open_session
from satchel.errors import UsageError
from satchel.spelling import format_count

if TYPE_CHECKING:
    from satchel.session.history import Moved
    from satchel.session.nodes import Node
    from satchel.session.session import Session

_MOST_TOLD = 10_000
"""Nodes that are looked at to say what was taken back."""


def fill_checkpoint(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session checkpoint`."""
    parser.add_argument("name", nargs="?", default="", help="its name (default: checkpoint-1, -2, ...)")
    parser.add_argument("--list", action="store_true", help="list the checkpoints")


def main_checkpoint(args: argparse.Namespace) -> Outcome:
    """Name the session's current state, or list the names."""
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
        default=1,
        metavar="N",
        help="how many steps back (default: 1): a person's message with what followed, a compaction, a pin",
    )
    parser.add_argument(
        "--to", default="", metavar="PLACE", help="go back to a checkpoint, or to a node by its id in the log"
    )


def main_undo(args: argparse.Namespace) -> Outcome:
    """Take back steps."""
    with open_session(args) as session:
        moved = session.undo(args.steps, to=args.to)
        told = _say_between(session, moved.after, moved.before)
        return _render_move(moved, args, session.id, f"taken back, {_name_place(moved)} now:\n{told}")


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
        return _render_move(moved, args, session.id, f"put back, {_name_place(moved)} now:\n{told}")


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
        raise UsageError("--back ends the tangent that the session is on, it takes no name")
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
    from satchel.cli.session.speaking import say_node

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
    """Return what came after one node up to another, in words: what was taken back or put back."""
    from satchel.cli.session.speaking import say_taken

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
