"""`satchel squeeze`: shorten a command's output to the lines that matter."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from satchel import config as configuration
from satchel.cli.parsing import (
    Outcome,
    Parser,
    add_archive,
    add_events,
    add_no_plugin,
    add_running,
    add_settings,
    parse_exit_code,
    parse_tokens,
)
from satchel.cli.setup import open_events, opener, report_problems
from satchel.cli.streams import add_input, input_pieces, input_size, say, tell
from satchel.config import Config
from satchel.errors import ConfigError
from satchel.private_files import state_folder
from satchel.redaction.scanning import NO_SCANNERS, Scanners
from satchel.spelling import format_count
from satchel.view.progress import Progress
from satchel.view.tables import json_text

if TYPE_CHECKING:
    from satchel.archive import Archive
    from satchel.host import Host
    from satchel.output.squeezing import Squeezed

_PIECE_BYTES = 1 << 20
_OUTPUTS = (".err", ".log", ".out", ".txt")
"""Suffixes of files that hold a command's output."""

DESCRIPTION = """\
Shorten a command's output to what matters: errors, failures, warnings, unusual lines, totals.
What is left out is archived, and each gap [… lines A-B] can be expanded."""

EXAMPLES = """\
  make 2>&1 | satchel squeeze --command make
  pytest > log.txt 2>&1; satchel squeeze log.txt --command pytest --exit-code $? --budget 1k
  satchel squeeze src/login.py --for "why does the login test fail"
  satchel expand blob:3f9c2a1b7d4e:120-180"""


def fill(parser: Parser) -> None:
    """Add the arguments of `squeeze`."""
    add_input(parser, "the output")
    parser.add_argument("--command", default="", metavar="CMD", help="the command whose output it is")
    parser.add_argument("--exit-code", type=parse_exit_code, metavar="N", help="its exit code")
    add_cutting(parser)


def add_cutting(parser: Parser) -> None:
    """Add the options that `squeeze` and `run` share."""
    parser.add_argument(
        "--budget", metavar="N", help="maximum size in tokens (default: 3000, or less if fewer suffice)"
    )
    parser.add_argument(
        "--for",
        default="",
        metavar="QUESTION",
        dest="question",
        help="a question about the output: lines that share words with it come first",
    )
    add_archive(parser)
    add_no_plugin(parser)
    add_settings(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")
    add_events(parser)
    add_running(parser)


def main(args: argparse.Namespace) -> Outcome:
    """Squeeze an output."""
    command = args.command or _reading(args.file)
    with Progress("squeezing") as told:
        pieces = told.follow(input_pieces("the output", args.file), input_size(args.file))
        text = squeeze_pieces(args, pieces, command, lambda: args.exit_code)
    return Outcome(text, is_shown=True)


def _reading(file: str) -> str:
    """Return the command that shows a file of code or prose, "" for stdin and a command's output."""
    suffix = Path(file).suffix.lower()
    return f"cat {shlex.quote(file)}" if suffix and suffix not in _OUTPUTS else ""


def squeeze_pieces(
    args: argparse.Namespace, pieces: Iterable[bytes], command: str, exit_code: Callable[[], int | None]
) -> str:
    """Return the squeezed output; third-party plugins see it only in a child process.

    `exit_code` is called after the last piece.
    """
    from satchel.host.isolation import run_in_child, third_parties_of
    from satchel.installed import brings_rules, make_scanners
    from satchel.output.reading import Plugins
    from satchel.output.squeezing import squeeze_stream

    observe = observer(args)
    budget = None if args.budget is None else parse_tokens(args.budget, "--budget")
    config = _configuration(args)
    open_host = opener(config)

    def _squeeze(host: Host, given: Iterable[bytes], code: int | Callable[[], int | None] | None) -> str:
        scanners = make_scanners(host, config) if brings_rules(host) else NO_SCANNERS
        squeezed = squeeze_stream(
            given,
            command=command,
            exit_code=code,
            question=args.question,
            budget=budget,
            archive=_open_archive(args.store, scanners),
            counts_result=args.format == "json" or bool(args.events),
            plugins=Plugins(host, config=config),
        )
        observe(command, squeezed)
        problems = tuple(dict.fromkeys((*squeezed.problems, *host.problems)))
        ended = code() if callable(code) else code
        return render_result(squeezed._replace(problems=problems), form=args.format, exit_code=ended)

    host = open_host(())
    if not third_parties_of(host):
        return _squeeze(host, pieces, exit_code)
    with _spool(pieces) as spool:  # it is read again if a plugin ends the process
        code = exit_code()
        return str(run_in_child(lambda host: _squeeze(host, _pieces_of(spool), code), open_host))


def _spool(pieces: Iterable[bytes]) -> IO[bytes]:
    """Write an output to an unnamed file and return the file, open for reading only where possible."""
    import tempfile

    spool = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    for piece in pieces:
        spool.write(piece)
    spool.flush()
    try:
        reader = open(f"/proc/self/fd/{spool.fileno()}", "rb")  # noqa: SIM115 - the same
    except OSError:
        return spool
    spool.close()
    return reader


def _pieces_of(spool: IO[bytes]) -> Iterator[bytes]:
    spool.seek(0)
    while piece := spool.read(_PIECE_BYTES):
        yield piece


def _configuration(args: argparse.Namespace) -> Config:
    """Return the configuration of this folder; report an invalid one, but do not lose the output.

    Then the user's own configuration applies, or the defaults if that is invalid too.
    """
    flags = {"disable": args.disable}
    told: set[str] = set()  # a wrong variable or --set is wrong with every folder
    for root, env in ((Path("."), os.environ), (None, os.environ), (None, {})):
        try:
            config = configuration.load(root, env=env, flags=flags)
        except ConfigError as error:
            for line in dict.fromkeys(str(error).splitlines()):
                if line not in told:
                    tell(f"satchel: {line}")
                told.add(line)
            continue
        for warning in config.warnings:
            tell(f"satchel: warning: {warning}")
        return config
    return configuration.load(None, env={}, flags=flags, user_file=Path(os.devnull))


def _open_archive(store: str | None, scanners: Scanners) -> Archive:
    """Open the archive, the default one if the user's configuration is invalid."""
    from satchel.shared_archive import open_archive

    try:
        return open_archive(store, scanners)
    except ConfigError:
        return open_archive(state_folder(), scanners)


def observer(args: argparse.Namespace) -> Callable[[str, Squeezed], None]:
    """Return a function that logs a squeezed output to the file of `--events`, if there is one."""
    events = open_events(args)
    if events is None:
        return lambda command, squeezed: None
    from satchel.events import OutputCompressed

    return lambda command, one: events(OutputCompressed(command, one.lines, one.tokens, one.pointer))


def render_result(squeezed: Squeezed, *, form: str, exit_code: int | None) -> str:
    """Return the result as text or as JSON; problems go to stderr."""
    report_problems(squeezed.problems)
    if squeezed.gaps and not squeezed.text:
        where = f"satchel expand {squeezed.pointer}" if squeezed.pointer else "it is not archived"
        say(
            f"satchel: nothing of {format_count(squeezed.lines, 'line')} fits; "
            f"give a larger --budget; the full text: {where}"
        )
    if form == "text":
        return squeezed.text
    gaps = [
        {
            "lines": [gap.first, gap.last],
            "pointer": f"{squeezed.pointer}:{gap.first}-{gap.last}" if squeezed.pointer else None,
        }
        for gap in squeezed.gaps
    ]
    return json_text(
        {
            "schema": 1,
            "exit_code": exit_code,
            "tokens": squeezed.tokens,
            "text": squeezed.text,
            "lines": squeezed.lines,
            "pointer": squeezed.pointer or None,
            "gaps": gaps,
            "problems": [str(problem) for problem in squeezed.problems],
        }
    )
