"""Shared steps of commands: load the configuration, read the task, report problems."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from satchel import config as configuration
from satchel.cli.parsing import CommandPlan, Outcome
from satchel.cli.streams import check_folder, input_pieces, say, tell
from satchel.config import Config
from satchel.errors import ConfigError, Problem, SatchelError, UsageError

if TYPE_CHECKING:
    import argparse
    import socket

    from satchel.conversation import Formats
    from satchel.conversation.transcripts import Transcript
    from satchel.host import Host
    from satchel.host.observing import EventFile


def flags_of(args: argparse.Namespace, *names: str) -> dict[str, object]:
    """Return the settings in options: those of these names, plugins that are off, and `--strict`."""
    return {name: getattr(args, name, None) for name in (*names, "disable", "strict")}


def load_config(args: argparse.Namespace, *names: str, root: str = "") -> Config:
    """Read the configuration of `--root`, or of another workspace; its warnings go to stderr.

    Options of these names are settings of the same names.
    """
    folder = check_folder(root or args.root)
    config = configuration.load(
        folder, env=os.environ, flags=flags_of(args, *names), find_more=_find_wrong_tables
    )
    for warning in config.warnings:
        tell(f"satchel: warning: {warning}")
    if config.model:
        _warn_of_unknown_model(config)
    return config


def _find_wrong_tables(config: Config) -> Sequence[str]:
    """Return the mistakes in tables of plugins; () if the check would load third-party plugins."""
    from satchel.host.isolation import third_parties_of

    try:
        host = opener(config)(())
        if not third_parties_of(host):
            configuration.check_tables(config, host)
    except ConfigError as error:
        return error.errors
    except SatchelError:
        pass  # the mistakes that were found already come first
    return ()


def _warn_of_unknown_model(config: Config) -> None:
    """Warn once that a model is unknown and estimated; with `auto`, that is an error later."""
    import warnings

    from satchel.tokens.models import UnknownModelWarning, find_or_estimate, is_local

    if is_local(config.model):
        return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UnknownModelWarning)
        found = find_or_estimate(config.model)
    is_error = config.budget == "auto" and not found.context_tokens
    for one in told if not is_error else ():
        tell(f"satchel: warning: {one.message}")
    warnings.simplefilter("ignore", UnknownModelWarning)


def opener(config: Config) -> Callable[[Sequence[str]], Host]:
    """Return a function that opens a host of all installed plugins, given distributions to leave out."""
    from satchel.installed import find_plugins  # here because `satchel config show` needs no host

    def _open_host(lost: Sequence[str]) -> Host:
        return find_plugins(config, without=lost, announce=say)

    return _open_host


def isolate(work: Callable[[], Any], *, reads_stdin: bool = False) -> Any:
    """Do work on texts outside workspaces, which third-party scanners may see; return its result as JSON.

    If third-party plugins are installed, the work runs in a child process, which they can't harm.
    """
    import tempfile

    from satchel.host import Host
    from satchel.host.isolation import run_in_child, third_parties_of
    from satchel.private_files import cache_folder

    if not third_parties_of(Host.installed(cache_dir=cache_folder())):
        return work()
    open_host = opener(configuration.load(None, env=os.environ))
    if not third_parties_of(open_host(())):
        return work()
    if not reads_stdin:
        return run_in_child(lambda _: work(), open_host)
    with tempfile.TemporaryFile() as spool:
        for piece in input_pieces("the input"):
            spool.write(piece)
        spool.flush()
        return run_in_child(lambda _: work(), open_host, stdin=spool)


def plan(config: Config, work: Callable[[Host], Outcome]) -> CommandPlan:
    """Plan work with all installed plugins; warn first about tables of plugins that are not installed."""

    def _work(host: Host) -> Outcome:
        for warning in configuration.check_tables(config, host):
            tell(f"satchel: warning: {warning}")
        try:
            return work(host)
        except SatchelError as error:  # a plugin that could not be made may be the cause
            report_problems([problem for problem in host.problems if str(problem) != str(error)])
            raise

    return CommandPlan(opener(config), _work)


LOOPBACK = "127.0.0.1"
_LARGEST_PORT = 65_535


def listen(port: int, option: str) -> socket.socket:
    """Return a socket that listens on a port of loopback, on a free one for 0.

    Raises:
        UsageError: there is no such port.
        SatchelError: it is taken, or may not be used.
    """
    import socket

    if port > _LARGEST_PORT:
        raise UsageError(
            f"{option} {port} is not a port; give one up to {_LARGEST_PORT}, or 0 for any free one"
        )
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":  # elsewhere it would let another process listen on the same port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen()  # who reads the address can connect at once
    except OSError as error:
        listening.close()
        raise SatchelError(
            f"can't listen on {LOOPBACK}:{port}: {error.strerror or error}; name another {option} PORT"
        ) from error
    return listening


def read_task(argument: str) -> str:
    """Return the task, from stdin if the argument is `-`; invalid UTF-8 is replaced."""
    task = _read_stdin() if argument == "-" else argument
    if not task.strip():
        where = "stdin" if argument == "-" else "the task"
        raise UsageError(f'{where} is empty; say what to do: satchel pack "fix the login bug"')
    return task.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _read_stdin() -> str:
    if sys.stdin is None:
        return ""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig", "replace")
    except OSError as error:
        raise SatchelError(f"can't read the task from stdin: {error.strerror}") from error


def find_transcript(data: bytes, name: str, formats: Formats) -> Transcript | None:
    """Return the session file of an agent, None for anything else; its problems go to stderr."""
    from satchel.conversation.transcripts import find_transcript

    transcript = find_transcript(data, name, formats)
    for problem in transcript.problems if transcript else ():
        tell(f"satchel: problem: {name}: {problem}")
    return transcript


def open_events(args: argparse.Namespace) -> EventFile | None:
    """Return the writer of events into the file of `--events`, None without that option."""
    from satchel.host.observing import EventFile

    try:
        return EventFile(args.events) if args.events else None
    except SatchelError as error:
        raise UsageError(str(error)) from error


def report_problems(problems: Sequence[Problem]) -> None:
    """Write each problem to stderr."""
    for problem in dict.fromkeys(problems):
        tell(f"satchel: problem: {problem}")


def exit_code(problems: Sequence[Problem], config: Config) -> int:
    """Return 3 if there were problems and the configuration is strict, else 0."""
    return 3 if problems and config.strict else 0
