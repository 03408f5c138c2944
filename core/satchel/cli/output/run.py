"""`satchel run`: run a command and print the part of its output that matters."""

from __future__ import annotations

import argparse
import codecs
import shlex
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from satchel.cli.output.squeeze import add_cutting, observer, squeeze_pieces
from satchel.cli.parsing import Outcome, Parser, parse_seconds, parse_tokens
from satchel.cli.streams import say, tell, terminal_writer
from satchel.errors import SatchelError, UsageError
from satchel.redaction.scanning import redact_secrets

if TYPE_CHECKING:
    from satchel.output.running import Running

DESCRIPTION = """\
Run a command and print what matters in its output, stdout and stderr together. On a terminal all of it
is shown while the command runs; the shortened form is for programs that read it.
The exit code is the command's own; 125 if satchel fails, 126 and 127 as for env, 128+N after a
signal. Input, signals and Ctrl-C reach the command. What is left out is archived, and each gap
[… lines A-B] can be expanded."""

EXAMPLES = """\
  satchel run -- pytest -q
  satchel run --budget 800 --time-limit 300 -- make -j4"""


def fill(parser: Parser) -> None:
    """Add the arguments of `run`."""
    from satchel.output.running import FAILED

    parser.exit_code = FAILED  # 2 may be the command's own
    parser.add_argument(
        "words", nargs=argparse.REMAINDER, metavar="-- CMD ARGS...", help="the command, after --"
    )
    parser.add_argument("--time-limit", metavar="S", help="stop the command after this many seconds")
    add_cutting(parser)


def main(args: argparse.Namespace) -> Outcome:
    """Run the command; its exit code is the outcome's."""
    from satchel.output.running import FAILED, CommandError

    words = args.words[1:] if args.words[:1] == ["--"] else args.words
    try:
        return _run(words, args)
    except CommandError as error:
        tell(f"satchel: {error}")
        return Outcome("", error.exit_code)
    except (SatchelError, OSError) as error:
        tell(f"satchel: {error}")
        return Outcome("", FAILED)


def _run(words: list[str], args: argparse.Namespace) -> Outcome:
    from satchel.output.running import FAILED, Running

    if not words:
        raise UsageError("name the command after --, for example: satchel run -- make test")
    if args.budget is not None:
        parse_tokens(args.budget, "--budget")  # before the command starts, so that it is reported at once
    observer(args)
    limit = None if args.time_limit is None else parse_seconds(args.time_limit, "--time-limit")
    show = terminal_writer() if args.format == "text" else None
    running = Running(words, time_limit=limit)
    pieces = running.pieces(ticks=show is not None)
    try:
        if show is None:
            text = squeeze_pieces(args, pieces, shlex.join(words), running.exit_code)
        else:
            text = _watch(args, show, pieces, shlex.join(words), running)
    except SatchelError as error:
        pieces.close()  # the command may be waiting for a reader of its output
        _tell(running, limit)
        tell(f"satchel: {error}")
        return Outcome("", running.exit_code() or FAILED)
    _tell(running, limit)
    return Outcome(text, running.exit_code(), unwritten=FAILED, is_shown=True)


def _watch(
    args: argparse.Namespace,
    show: Callable[[str], None],
    pieces: Iterable[bytes],
    command: str,
    running: Running,
) -> str:
    """Show the output while it comes; return the line with its archive address, "" for a short one."""
    live = Live(show, redact_secrets, tell=say)
    text = squeeze_pieces(args, live.pass_on(pieces), command, running.exit_code)
    last = text.rstrip("\n").rpartition("\n")[2]
    return f"{last}\n" if last.startswith("[satchel: ") else ""


def _tell(running: Running, limit: float | None) -> None:
    if running.has_timed_out:
        unit = "second" if limit == 1 else "seconds"
        say(f"satchel: the command was stopped after its time limit of {limit:g} {unit}")


Redact = Callable[[str], str]

_PROMPT_SECONDS = 0.2
"""Pause after which the beginning of a line is shown: it may be a prompt."""
_SILENT_SECONDS = 30.0
"""Interval of notes that a silent command is alive."""
_MOST_HELD = 65_536
"""Characters of a line that are held back until it ends."""


class Live:
    """Writes a command's output, without secrets: whole lines at once, a prompt after a moment."""

    def __init__(self, write: Callable[[str], None], redact: Redact, *, tell: Callable[[str], None]) -> None:
        """Take the writer to the terminal, the redactor, and the reporter of silent commands."""
        self._write, self._redact, self._tell = write, redact, tell
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self._began = self._last = self._said = time.monotonic()

    def pass_on(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the pieces of an output, each shown first; an empty one marks a passed moment."""
        for piece in pieces:
            self._take(piece)
            if piece:
                yield piece
        self._show(len(self._held))

    def _take(self, piece: bytes) -> None:
        now = time.monotonic()
        if piece:
            self._held += self._decoder.decode(piece)
            self._last = self._said = now
            end = max(self._held.rfind("\n"), self._held.rfind("\r")) + 1
            self._show(end if end or len(self._held) < _MOST_HELD else len(self._held))
        elif self._held and now - self._last >= _PROMPT_SECONDS:
            self._show(len(self._held))
        elif now - self._said >= _SILENT_SECONDS:
            self._said = now
            self._tell(f"satchel: the command is running, for {now - self._began:.0f} s so far")

    def _show(self, end: int) -> None:
        text, self._held = self._held[:end], self._held[end:]
        if text:
            self._write(self._redact(text))
