"""`satchel report`: write one page of HTML that shows a window."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.cli.parsing import CommandPlan, Outcome, Parser, add_model, add_workspace, parse_tokens
from satchel.cli.setup import load_config, plan
from satchel.cli.streams import input_pieces, name_messages, read_file, tell, why_unwritable
from satchel.config import Config
from satchel.errors import SatchelError, UsageError
from satchel.private_files import replacing
from satchel.spelling import format_count, join_reason

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.report import ReportRequest

DESCRIPTION = """\
Write a page that shows a window: what takes how much of it, why, what was left out, and how it grew.
INPUT is JSON of satchel pack, squeeze or session window, messages of any provider, a session's name, or
the session file of an agent (Claude Code, Codex, pi, OpenHands, opencode, Gemini CLI,
Qwen Code, Kimi Code, Copilot CLI, Cursor).
The page is one file of HTML: it loads nothing, runs nothing, and opens in any browser."""

EXAMPLES = """\
  satchel pack "fix the login bug" --format json | satchel report window.html
  satchel report chat.html messages.json --compact 32k
  satchel report session.html fix-login
  satchel report claude.html ~/.claude/projects/-home-me-shop/0f9c.jsonl"""
_ENDINGS = (".html", ".htm")
_INPUTS = (".json", ".jsonl", ".txt")
"""Endings of file names, which are no sessions' names."""


def fill(parser: Parser) -> None:
    """Add the arguments of `report`."""
    from satchel.cli.conversation.compact import FORMAT_HELP

    parser.add_argument("file", metavar="FILE.html", help="the page to write")
    parser.add_argument(
        "input",
        metavar="INPUT",
        nargs="?",
        default="-",
        help="a file, a session's name, or - for stdin (default)",
    )
    parser.add_argument(
        "--window", metavar="N", help="tokens of the window, like 200k (default: the model's)"
    )
    add_model(parser, "the model that the window is for")
    parser.add_argument("--format", default="auto", metavar="F", help=FORMAT_HELP)
    compared = parser.add_argument_group("before and after")
    compared.add_argument(
        "--compact", metavar="N", help="compact the messages to N tokens, and show what that does"
    )
    compared.add_argument("--after", metavar="FILE", help="show what a compaction did: its result")
    compared.add_argument(
        "--task", default="", metavar="T", help="what --compact is for (default: the newest user message)"
    )
    parser.add_argument("--store", metavar="DIR", help="folder of the session's store, or of the archive")
    add_workspace(parser, strict=True)


def main(args: argparse.Namespace) -> Outcome | CommandPlan:
    """Plan the page."""
    from satchel.report.opening import ReportRequest

    _check_file(args.file)
    if args.task and not args.compact:
        raise UsageError("--task needs --compact N; it says what the compaction is for")
    config = load_config(args, "model")
    asked = ReportRequest(
        source=args.input,
        root=args.root,
        store=args.store,
        form=args.format,
        window=parse_tokens(args.window, "--window") if args.window else 0,
        compact=parse_tokens(args.compact, "--compact") if args.compact else 0,
        after=None if args.after is None else read_file(args.after, "the result"),
        task=args.task,
    )
    given = _read_input(args.input)

    return plan(config, lambda host: _write_page(args.file, given, asked, host=host, config=config))


def _check_file(file: str) -> None:
    """Raise UsageError for a name that is not a page's, as of the input, or a page that can't be written."""
    if not file.lower().endswith(_ENDINGS):
        raise UsageError(f"{file}: name the page to write first, like satchel report window.html {file}")
    if reason := why_unwritable(file):
        raise UsageError(join_reason(file, reason))


def _read_input(named: str) -> bytes | None:
    """Return the content of a file or of stdin; None if there is no such file."""
    if named == "-":
        return b"".join(input_pieces("the input"))
    is_file = os.path.lexists(named) or os.sep in named or named.lower().endswith(_INPUTS)
    return read_file(named, "the input") if is_file else None


def _write_page(
    file: str, given: bytes | None, asked: ReportRequest, *, host: Host, config: Config
) -> Outcome:
    from satchel.installed import make_scanners
    from satchel.report import open_page, render_page

    with name_messages(asked.source):
        page = open_page(given, asked, host=host, config=config)
    text = render_page(page, make_scanners(host, config))
    size = _write(file, text)
    items = format_count(len(page.entries), "item")
    of_window = "" if page.window_name == "all of it" else f" of {page.window:,}"
    tell(f"satchel: {file}: {page.used:,}{of_window} tokens in {items}; {-(-size // 1000):,} kB")
    return Outcome("")


def _write(file: str, text: str) -> int:
    """Write the page whole or not at all, readable by its owner only; return its bytes."""
    content = text.encode("utf-8", "replace")
    try:
        with replacing(Path(file), durable=False) as stream:
            stream.write(content)
    except OSError as error:
        raise SatchelError(f"{file}: the page can't be written: {error.strerror}") from error
    return len(content)
