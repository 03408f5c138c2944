"""`satchel hook`: answer a hook of Claude Code, and never block it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from satchel.cli.parsing import Outcome, Parser, add_running

DESCRIPTION = """\
Answer a hook of Claude Code: its JSON on stdin, the answer on stdout. `satchel install claude-code` puts
these commands into its settings.

user-prompt-submit  a small pack for the prompt, nothing if nothing is relevant
session-start       the uncommitted changes; after a compaction, where the conversation before it is kept
post-tool-use       a large output, squeezed
pre-compact         keep the conversation in the archive
serve               keep running and keep the index of --root fresh for the other hooks; exits by itself

The exit code is always 0: a failure prints one line on stderr, and nothing on stdout."""

EXAMPLES = """\
  satchel hook user-prompt-submit < input.json
  satchel hook serve --root ~/src/shop"""


def fill(parser: Parser) -> None:
    """Add the arguments of `hook`."""
    parser.add_argument("event", help="see above")
    parser.add_argument("--root", default=".", metavar="DIR", help="with serve: the workspace")
    add_running(parser)


def main(args: argparse.Namespace) -> Outcome:
    """Answer the hook; any failure is reported in one line."""
    try:
        text = _serve(args.root) if args.event == "serve" else _answer(args.event)
    except (Exception, MemoryError) as error:
        # Another exit code may keep Claude Code from going on, and so does text on stdout that it can't read.
        from satchel.cli.streams import tell

        if args.debug:
            import traceback

            tell(traceback.format_exc().rstrip())
        tell(f"satchel: {_describe(error)}")
        return Outcome("")
    return Outcome(text)


def _describe(error: BaseException) -> str:
    """Return an error in one line; for a file its name and the reason, as all commands report it."""
    from satchel.cli.streams import describe_os_error

    text = describe_os_error(error) if isinstance(error, OSError) else str(error)
    return " ".join(text.split()) or type(error).__name__


def _serve(root: str) -> str:
    from satchel.agents.resident import serve

    serve(Path(root).resolve())
    return ""


def _answer(event: str) -> str:
    from satchel.agents.hooks import answer, check_event
    from satchel.cli.streams import input_text
    from satchel.errors import SatchelError

    check_event(event)
    try:
        told: Any = json.loads(input_text("the hook's input"))
    except (ValueError, RecursionError) as error:
        raise SatchelError(f"the hook's input is not JSON: {error}") from error
    if not isinstance(told, dict):
        raise SatchelError("the hook's input is not a JSON object")
    made = answer(event, told)
    return json.dumps(made) + "\n" if made else ""
