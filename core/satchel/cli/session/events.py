"""`satchel session edit|entry|step|pin|read-only|pool`: record events other than messages."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.cli.parsing import CommandPlan, Outcome, add_events, parse_exit_code
from satchel.cli.session import answer, open_session
from satchel.cli.setup import load_config, plan
from satchel.cli.streams import input_pieces, input_text, read_file
from satchel.errors import UsageError

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.session.entries import Entry

_LONGEST_STEP = 2_000


def fill_edit(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session edit`."""
    parser.add_argument("path", metavar="PATH", help="the file, below --root")
    parser.add_argument("--old", metavar="FILE", help="its text before (default: what git has at HEAD)")
    parser.add_argument("--new", metavar="FILE", help="its text after (default: the file as it is)")
    add_events(parser)


def main_edit(args: argparse.Namespace) -> CommandPlan:
    """Record the edit of a file."""
    if args.new is not None and args.old is None:
        raise UsageError("--new needs --old FILE; an empty file where there was none")
    config = load_config(args)

    def _work(host: Host) -> Outcome:
        from satchel.runs import open_run
        from satchel.session.edits.recording import record_edit

        run = open_run(args.root, config=config, host=host)
        try:
            with open_session(args) as session:
                texts = _texts(args) if args.old is not None else None
                edit, node = record_edit(session, args.path, run=run, texts=texts, store=args.store)
        finally:
            run.workspace.close()
        told = {"id": node.id, **node.body}
        told["shown"] = told.pop("shown")  # the last key, as the schema has it
        return answer(args, told, f"{edit.strategy}: {edit.shown[-1]}")

    return plan(config, _work)


def _texts(args: argparse.Namespace) -> tuple[str | None, str | None]:
    return _read(args.old), _read(args.new if args.new is not None else str(Path(args.root, args.path)))


def _read(path: str) -> str | None:
    """Return the text of a file, None for an empty one or the null device, which mean no file."""
    from satchel.session.edits.recording import text_of

    data = read_file(path, "the text")
    return text_of(data, path) if data else None


def fill_entry(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session entry`."""
    parser.add_argument("--command", default="", metavar="CMD", help="the command whose output is on stdin")
    parser.add_argument("--exit-code", type=parse_exit_code, metavar="N", help="its exit code")
    parser.add_argument("--list", action="store_true", help="list the entries instead")
    add_events(parser)


def main_entry(args: argparse.Namespace) -> Outcome:
    """Record an output, or list the recorded ones."""
    from satchel.session.entries import entries_of, record_entry

    if args.list and (args.command or args.exit_code is not None):
        raise UsageError("--list prints the recorded entries; leave out --command and --exit-code")
    with open_session(args, create=not args.list) as session:
        if args.list:
            entries: Sequence[Entry] = entries_of(session, last=1_000)
        else:
            pieces = input_pieces("the output")
            entries = [
                record_entry(
                    session, pieces, command=args.command, exit_code=args.exit_code, store=args.store
                )
            ]
    told = [
        {
            "number": entry.number,
            "id": entry.node,
            "at": entry.at,
            "command": entry.command,
            "exit_code": entry.exit_code,
            "lines": entry.lines,
            "pointer": entry.pointer or None,
        }
        for entry in entries
    ]
    return answer(args, {"entries": told}, "".join(f"{entry.headline}\n" for entry in entries))


def fill_step(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session step`."""
    parser.add_argument("text", metavar="TEXT", help="what is done")


def main_step(args: argparse.Namespace) -> Outcome:
    """Record a finished step."""
    from satchel.installed import make_user_scanners

    text = " ".join(args.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").split())
    if not text or len(text) > _LONGEST_STEP:
        raise UsageError(f"describe the step in 1 to {_LONGEST_STEP:,} characters")
    with open_session(args) as session:
        node = session.record("step", {"text": make_user_scanners().redact(text).text})
    return Outcome(f"{node.id}\n", is_shown=True)


def fill_pin(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session pin`."""
    _fill_reference(parser, "src/app.py, src/app.py:10-40, Class.method, message:3, message:-1")


def main_pin(args: argparse.Namespace) -> Outcome | CommandPlan:
    """Add, list or remove pins; a new one must name something in the workspace, or a message."""
    _refuse_superfluous(args)
    if args.what != "add" or _is_found_without_index(args):
        return _change_pins(args)

    def _work(host: Host) -> Outcome:
        from satchel.packing.resolving import check_pin
        from satchel.runs import open_run

        run = open_run(args.root, config=config, host=host)
        try:
            check_pin(run, args.ref)
        finally:
            run.workspace.close()
        return _change_pins(args)

    config = load_config(args)
    return plan(config, _work)


def _is_found_without_index(args: argparse.Namespace) -> bool:
    """Return whether a pin is a message or a whole file, so that nothing has to be searched for it."""
    from satchel.session.pins import MESSAGE

    ref = _ref(args)
    return ref.startswith(MESSAGE) or Path(args.root, ref).is_file()


def _change_pins(args: argparse.Namespace) -> Outcome:
    from satchel.session.pins import add_pin, pins_of, remove

    with open_session(args) as session:
        if args.what == "add":
            add_pin(session, _ref(args), args.root)
        elif args.what == "remove":
            remove(session, "pin", _ref(args))
        return _render_list([pin.ref for pin in pins_of(session)], args, "pins")


def fill_read_only(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session read-only`."""
    _fill_reference(parser, "a path, a folder/ or a glob below the root")


def main_read_only(args: argparse.Namespace) -> Outcome:
    """Add, list or remove read-only files; a new path must exist, and a new glob may match later."""
    from satchel.session.pins import add_read_only, read_only_of, remove

    _refuse_superfluous(args)
    with open_session(args) as session:
        if args.what == "add":
            add_read_only(session, _ref(args), args.root)
        elif args.what == "remove":
            remove(session, "read-only", _ref(args))
        return _render_list(read_only_of(session), args, "read_only")


def _fill_reference(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("what", choices=("add", "list", "remove"), help="what to do")
    parser.add_argument("ref", nargs="?", metavar="REF", help=what)


def _refuse_superfluous(args: argparse.Namespace) -> None:
    if args.what == "list" and args.ref:
        raise UsageError(f"{args.ref!r} is superfluous: list takes no REF, and prints all")


def _ref(args: argparse.Namespace) -> str:
    if not args.ref:
        raise UsageError(f"missing: REF; name what to {args.what} after {args.what!r}")
    return str(args.ref)


def _render_list(names: Sequence[str], args: argparse.Namespace, key: str) -> Outcome:
    text = "".join(f"{name}\n" for name in names) if args.what == "list" else ""
    return answer(args, {key: list(names)}, text)


def fill_pool(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `session pool`."""
    parser.add_argument("what", choices=("add", "list"), help="what to do")
    parser.add_argument(
        "--pool", required=True, metavar="NAME", help="the pool; created if it does not exist"
    )
    parser.add_argument("--text", metavar="TEXT", help="the note (default: stdin)")
    parser.add_argument("--path", default="", metavar="FILE", help="the file that the note is about")


def main_pool(args: argparse.Namespace) -> Outcome:
    """Add a note to a pool, or list its notes."""
    import attrs

    from satchel.session.pools import add_note, notes_of

    if args.what == "list":
        notes = notes_of(args.pool, store=args.store, root=args.root)
    else:
        given = args.text if args.text is not None else input_text("the output")
        text = given.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        author = args.session or ""
        notes = [add_note(args.pool, text, store=args.store, root=args.root, author=author, path=args.path)]
    text = "".join(one.texts[0] for one in notes) if args.what == "list" else f"{notes[0].id}\n"
    return answer(args, {"pool": args.pool, "notes": [attrs.asdict(one) for one in notes]}, text)
