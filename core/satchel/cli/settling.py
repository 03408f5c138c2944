"""What commands settle before and after their work: the configuration, the task, the problems."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from satchel import config as configuration
from satchel.cli.parsing import Outcome, Plan
from satchel.cli.streams import say, tell
from satchel.config import Config
from satchel.errors import Problem, SatchelError, UsageError, WorkspaceError

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.host.entries import Table


def configured(root: str, *, flags: Mapping[str, object]) -> Config:
    """Read the configuration of a workspace; its warnings go to stderr."""
    folder = Path(root)
    if not folder.is_dir():
        raise WorkspaceError(root, "is no folder, name one with --root")
    config = configuration.load(folder, env=os.environ, flags=flags)
    for warning in config.warnings:
        tell(f"satchel: warning: {warning}")
    return config


def plan(config: Config, work: Callable[[Host], Outcome], table: Table | None = None) -> Plan:
    """Plan work with everything that is installed; tables of what is not are warned about first.

    `table` is what was found installed a moment ago.
    """
    # Imported here because `satchel config show` needs neither.
    from satchel.host import Host
    from satchel.workspace.places import cache_folder

    def _open_host(lost: Sequence[str]) -> Host:
        return Host.installed(
            disable=(*config.disable, *lost),
            cache_dir=cache_folder(),
            announce=say,
            deadline_seconds=config.deadline_seconds,
            table=table,
        )

    def _work(host: Host) -> Outcome:
        for warning in configuration.unknown_tables(config, host):
            tell(f"satchel: warning: {warning}")
        return work(host)

    return Plan(_open_host, _work)


def read_task(argument: str) -> str:
    """Return the task, from stdin where the argument is `-`; bytes that are no UTF-8 are replaced."""
    task = _standard_input() if argument == "-" else argument
    if not task.strip():
        where = "stdin" if argument == "-" else "the task"
        raise UsageError(f'{where} is empty, say what the window is for: satchel pack "fix the login bug"')
    return task.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _standard_input() -> str:
    if sys.stdin is None:
        return ""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig", "replace")
    except OSError as error:
        raise SatchelError(f"can't read the task from stdin: {error.strerror}") from error


def report_problems(problems: Sequence[Problem]) -> None:
    """Write each problem to stderr."""
    for problem in dict.fromkeys(problems):
        tell(f"satchel: problem: {problem}")


def exit_code(problems: Sequence[Problem], config: Config) -> int:
    """Return 3 where there were problems and the person wants to know, else 0."""
    return 3 if problems and config.strict else 0
