"""`satchel pack`: print the best context for a task within a budget."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from satchel.cli.parsing import (
    CommandPlan,
    Outcome,
    Parser,
    add_events,
    add_model,
    add_store,
    add_workspace,
    whole_number,
)
from satchel.cli.setup import exit_code, load_config, open_events, plan, read_task, report_problems
from satchel.cli.streams import check_output, say
from satchel.config import Config
from satchel.errors import UsageError
from satchel.view.progress import Progress
from satchel.view.tables import json_text, terminal_width

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.packing.bundle import Bundle
    from satchel.session.window.memory import SessionPins

DESCRIPTION = """\
Choose what goes into the window for a task: files, parts of files, diffs, documents.
The document goes to stdout and never costs more than the budget; a line about it goes to stderr."""

EXAMPLES = """\
  satchel pack "login fails with a 500 since the last commit" --budget 8k
  git log -1 --format=%B | satchel pack - --pin src/auth.py --format json > context.json"""


def fill(parser: Parser) -> None:
    """Add the arguments of `pack`."""
    parser.add_argument("task", metavar="TASK", help="what the window is for; - reads it from stdin")
    choice = parser.add_argument_group("what goes in")
    choice.add_argument("--budget", metavar="N|auto", help="tokens, like 16000 or 16k; auto asks the model")
    choice.add_argument(
        "--max-chars",
        type=whole_number(1),
        metavar="N",
        help="maximum size in characters, in addition to the budget",
    )
    add_model(choice, "model that the window is for")
    choice.add_argument("--strategy", metavar="S", help="packer to choose with (default: hybrid)")
    choice.add_argument(
        "--pin",
        action="append",
        default=[],
        metavar="REF",
        help="include in full: src/app.py, src/app.py:10-40, Class.method; repeatable",
    )
    choice.add_argument(
        "--since",
        default="",
        metavar="REF",
        help="review: the diff since that commit, its callers and its tests come first",
    )
    choice.add_argument(
        "--session", metavar="ID", help="use the pins, read-only files and usage of this session"
    )
    add_store(choice)
    choice.add_argument(
        "--open",
        action="append",
        default=[],
        metavar="FILE[:LINE]",
        help="a file open in your editor, with the cursor's line; repeatable",
    )
    shown = parser.add_argument_group("what you see")
    shown.add_argument(
        "--format",
        choices=("markdown", "xml", "json"),
        default="markdown",
        help="markdown (default), xml, or json with every score and pointer",
    )
    shown.add_argument(
        "--order",
        choices=("best", "path"),
        default="best",
        help="best first below a map (default), or by path, so that a prompt cache holds longer",
    )
    shown.add_argument("--line-numbers", action="store_true", help="number the lines of files")
    shown.add_argument("--with-task", action="store_true", help="put the task on top, for a complete prompt")
    shown.add_argument(
        "--template",
        default="",
        metavar="NAME|FILE",
        help="wrap it in a template: answer, change, commit, review, or a file with {{context}} and {{task}}",
    )
    shown.add_argument("-o", "--output", default="", metavar="FILE", help="write into FILE, not to stdout")
    shown.add_argument("--copy", action="store_true", help="copy it to the clipboard")
    shown.add_argument("--explain", action="store_true", help="print a table of items and scores on stderr")
    shown.add_argument(
        "--left-out",
        choices=("best", "all"),
        default="best",
        help="list the 200 best left-out items in JSON (default), or all",
    )
    add_events(shown)
    add_workspace(parser, strict=True)


def main(args: argparse.Namespace) -> CommandPlan:
    """Plan the pack; its text is the document or JSON."""
    _refuse_options_alone(args)
    check_output(args.output)
    task = read_task(args.task)
    config = load_config(args, "budget", "model", "strategy")
    if args.template:
        from satchel.packing.templating import read_template

        args.template = read_template(args.template)

    def _work(host: Host) -> Outcome:
        bundle = _pack(task, args, config, host=host)
        report_problems(bundle.problems)
        for remark in _remarks(bundle, args):
            say(remark, is_colored="\n" in remark)
        return Outcome(
            _text(bundle, args),
            exit_code=exit_code(bundle.problems, config),
            is_shown=True,
            file=args.output,
            to_clipboard=args.copy,
        )

    return plan(config, _work)


def _refuse_options_alone(args: argparse.Namespace) -> None:
    """Raise UsageError for an option that does nothing without another one, or beside it."""
    if args.store is not None and args.session is None:
        raise UsageError("--store needs --session ID, whose store it names")
    if args.left_out == "all" and args.format != "json":
        raise UsageError("--left-out all needs --format json")
    if args.template and args.with_task:
        raise UsageError("--template places the task itself; leave out --with-task")


def _pack(task: str, args: argparse.Namespace, config: Config, *, host: Host) -> Bundle:
    from satchel.packing.bundle import PackOptions, pack

    pinned = _load_session(args, config)
    progress = Progress("packing")
    options = PackOptions(
        since=args.since,
        open_files=args.open,
        max_chars=args.max_chars,
        form="xml" if args.format == "xml" else "markdown",
        line_numbers=args.line_numbers,
        left_out=args.left_out,
        order=args.order,
        with_task=args.with_task,
        template=args.template,
        reasons=args.explain,
        config=config,
        read_only=pinned.read_only if pinned else (),
        progress=progress,
        usage=pinned.usage if pinned else {},
        observe=open_events(args),
    )
    pins = (*args.pin, *(pinned.pins if pinned else ()))
    with progress:
        return pack(task, args.root, pins=pins, host=host, options=options)


def _load_session(args: argparse.Namespace, config: Config) -> SessionPins | None:
    """Return a session's additions to the pack, None if no session is named."""
    if args.session is None:
        return None
    from satchel.session.session import Session
    from satchel.session.window.memory import carry_over

    with Session.open(args.session, store=args.store, root=args.root) as session:
        return carry_over(session, half_life_seconds=config.half_life)


def _remarks(bundle: Bundle, args: argparse.Namespace) -> Iterator[str]:
    from satchel.view.packs import describe_secrets, explain, summary

    if args.explain:
        yield explain(bundle, terminal_width(is_seen=sys.stderr is not None and sys.stderr.isatty()))
    if bundle.secrets:
        yield f"satchel: {describe_secrets(bundle.secrets)}"
    yield from (f"satchel: hint: {hint}" for hint in bundle.hints)
    if args.format != "json":
        yield f"satchel: {summary(bundle, max_chars=args.max_chars)}"


def _text(bundle: Bundle, args: argparse.Namespace) -> str:
    if args.format != "json":
        return bundle.text
    return json_text(bundle.to_dict())
