"""`satchel session`: stored conversations, with one module for each group of subcommands."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_running, add_settings, add_store
from satchel.errors import UsageError

DESCRIPTION = """\
Keep a conversation, and everything that happened in it, so that nothing is lost: add messages, go back,
branch off, take snapshots. `satchel session SUBCOMMAND --help` lists the options of one."""

EXAMPLES = """\
  satchel session add --session fix-login --role user --text "fix the login bug"
  satchel session show --session fix-login --last 10
  satchel session undo --session fix-login
  satchel session list"""

SUBCOMMANDS = {
    "new": ("messages", "begin a session"),
    "add": ("messages", "keep a message; exit code 0 means that it is on the disk"),
    "show": ("messages", "print messages, or everything about them as JSON"),
    "replay": ("messages", "send the messages that wait on this machine for a server, or list them"),
    "list": ("tidying", "list the sessions of a store, by name, age or size"),
    "log": ("history", "list what happened, and every place that the session moved away from"),
    "checkpoint": ("history", "name the place where the session is"),
    "undo": ("history", "take back turns, compactions and pins; files on disk and the archive stay"),
    "redo": ("history", "put back what undo took"),
    "branch": ("history", "create a branch and switch to it, or list the branches"),
    "switch": ("history", "switch to another branch"),
    "tangent": ("history", "branch off, talk about something else, come back with --back"),
    "snapshot": ("snapshots", "write the session to a file of its own and verify it, or list them"),
    "restore": ("snapshots", "go back to a snapshot, and repair the store from it"),
    "export": ("snapshots", "write the session as JSON Lines"),
    "import": ("snapshots", "create a session from an export, an agent's session file, or messages"),
    "prune": ("tidying", "delete sessions that are too old or too many, with the texts that only they need"),
    "delete": ("tidying", "delete a session for good, with its snapshots and the texts that only it needs"),
    "window": ("window", "print what the model is sent next: workspace, dialogue, and what happened"),
    "edit": ("events", "record the edit of a file, from two texts or from git"),
    "entry": ("events", "record the output of a command from stdin"),
    "step": ("events", "record a step that is done"),
    "pin": ("events", "keep a file, lines or a message in every window: add, list, remove"),
    "read-only": ("events", "mark files as read-only: add, list, remove"),
    "pool": ("events", "share notes with other sessions: add, list"),
}
"""Name -> module in this folder, which has `main_NAME`, and `fill_NAME` for arguments; a description."""
_SCANNED = frozenset({"entry", "step", "pool"})
"""Subcommands that use secret scanners, which may be third-party plugins."""
_OWN_FORM = frozenset({"step", "export", "window"})
"""Subcommands that don't choose between text and JSON."""
_OF_STORE = frozenset({"list", "prune"})
"""Subcommands on a store, not on one session."""


def fill(parser: Parser) -> None:
    """Add the subcommands of `session`, each with its arguments."""
    group = parser.add_subparsers(dest="sub", metavar="SUBCOMMAND", required=True, prog=parser.prog)
    for name, (_, about) in SUBCOMMANDS.items():
        _fill_one(name, group.add_parser(name, help=about, **_describe(name)))


def make_subparser(words: Sequence[str]) -> Parser | None:
    """Return the parser of the subcommand that the words begin with; None if there is none."""
    if not words or words[0] not in SUBCOMMANDS:
        return None
    parser = Parser(prog=f"satchel session {words[0]}", **_describe(words[0]))
    parser.set_defaults(sub=words[0])
    _fill_one(words[0], parser)
    return parser


def _describe(name: str) -> dict[str, Any]:
    about = SUBCOMMANDS[name][1]
    return {
        "description": f"{about[:1].upper()}{about[1:]}.",
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "allow_abbrev": False,
    }


def _fill_one(name: str, parser: Parser) -> None:
    fill: Callable[[Parser], None] | None = getattr(_module(name), f"fill_{_word(name)}", None)
    if fill is not None:
        fill(parser)
    if name not in _OWN_FORM:
        parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    _add_place(parser, session=name not in _OF_STORE)


def main(args: argparse.Namespace) -> Outcome | CommandPlan:
    """Run the subcommand."""
    do: Callable[[argparse.Namespace], Outcome | CommandPlan] = getattr(
        _module(args.sub), f"main_{_word(args.sub)}"
    )
    if args.sub not in _SCANNED:
        return do(args)
    from satchel.cli.setup import isolate

    known = args.sub == "step" or getattr(args, "list", False) or getattr(args, "what", "") == "list"
    reads_stdin = not known and getattr(args, "text", None) is None
    text, code = isolate(lambda: tuple(do(args))[:2], reads_stdin=reads_stdin)
    return Outcome(text, code)


def _add_place(parser: argparse.ArgumentParser, *, session: bool) -> None:
    """Add the options that select the session and its store."""
    group = parser.add_argument_group("which session")
    if session:
        group.add_argument("--session", metavar="ID", help="its name (default: the only one of the store)")
    add_store(group)
    group.add_argument("--root", default=".", metavar="DIR", help="the project (default: the current folder)")
    add_settings(parser.add_argument_group("plugins and settings"))
    add_running(parser)


def name_of(args: argparse.Namespace) -> str:
    """Return the session's name; raise UsageError if none is given and the store has several or none."""
    if args.session is not None:
        return str(args.session)
    from satchel.session.opening import sessions_of
    from satchel.session.places import find_store
    from satchel.session.pools import is_pool

    store = find_store(args.store, args.root)
    if store is None:
        raise UsageError("there is no session yet; name one with --session")
    try:
        names = [known.name for known in sessions_of(store) if not is_pool(known.name)]
    finally:
        store.close()
    if len(names) == 1:
        return names[0]
    listed = f": {', '.join(names[:10])}" if names else ""
    raise UsageError(f"the store has {len(names)} sessions; name one with --session{listed}")


def open_session(args: argparse.Namespace, *, create: bool = False) -> Any:
    """Open the selected session; events go to the file of `--events`, if there is one."""
    from satchel.cli.streams import check_folder
    from satchel.session.session import Session

    if args.store is None:
        check_folder(args.root)
    observe = None
    if getattr(args, "events", None):
        from satchel.cli.setup import open_events

        observe = open_events(args)
    name = name_of(args)
    return Session.open(name, store=args.store, root=args.root, create=create, observe=observe)


def json_line(value: object) -> str:
    """Return a value as one line of JSON without hidden characters."""
    import json

    from satchel.escaping import escape_for_json

    return escape_for_json(json.dumps(value, ensure_ascii=False, default=str)) + "\n"


def answer(args: argparse.Namespace, facts: Mapping[str, object], text: str) -> Outcome:
    """Return the facts as JSON if requested, else the text."""
    return Outcome(json_line({"schema": 1, **facts}) if args.format == "json" else text)


def _module(name: str) -> Any:
    return importlib.import_module(f"satchel.cli.session.{SUBCOMMANDS[name][0]}")


def _word(name: str) -> str:
    return name.replace("-", "_")
