"""Outlive plugins that end the process: untried ones run in a forked child first.

A child that dies is started again without the distribution that it was calling. The result of a
child reaches stdout only if it ended by itself, so that nothing half written does.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from typing import IO, Any, NamedTuple

from satchel.errors import Problem, SatchelError
from satchel.host.history import survival_key
from satchel.host.kinds import Origin
from satchel.host.registry import Host


class _Mark(NamedTuple):
    """One line of what a child noted: a call began, or came back."""

    event: str
    plugin: str
    distribution: str
    key: str
    stage: str
    builtin: bool


class _Ended(NamedTuple):
    """How a child ended: by itself, with a verdict; or not."""

    verdict: dict[str, Any] | None
    how: str
    marks: Sequence[_Mark]
    printed: bytes

    def blamed(self) -> _Mark | None:
        """Return the call that was under way at the end, else the last one of a third party."""
        open_calls: list[_Mark] = []
        for mark in self.marks:
            if mark.event == "start":
                open_calls.append(mark)
            else:
                open_calls = [
                    o for o in open_calls if (o.key, o.plugin, o.stage) != (mark.key, mark.plugin, mark.stage)
                ]
        strangers = [mark for mark in self.marks if not mark.builtin]
        return open_calls[-1] if open_calls else strangers[-1] if strangers else None


def supervised(command: Callable[[Host], int], open_host: Callable[[Sequence[str]], Host]) -> int:
    """Return the exit code of `command(open_host(disabled))`, whatever plugins do to the process.

    `open_host` gets the distributions to leave out beside those that the configuration disables.
    In a child, `sys.stdout` and file 1 are a file whose content is forwarded at the end. What the
    command raises of SatchelError is raised here.
    """
    lost: dict[str, Problem] = {}
    while True:
        host = open_host(tuple(lost))
        host.problems.extend(lost.values())
        if not _can_fork() or not host.unproven():
            return command(host)
        ended = _in_child(command, host)
        if ended.verdict is not None:
            return _concluded(ended, ended.verdict, host)
        mark = ended.blamed()
        if mark is None or mark.builtin or mark.distribution in lost:
            where = f" in {mark.stage} of {mark.plugin}" if mark else ""
            raise SatchelError(f"the process was ended: {ended.how}{where}")
        reason = f"ended the process: {ended.how} in {mark.stage}; left out of this run"
        lost[mark.distribution] = Problem(mark.plugin, mark.stage, reason, mark.distribution)


def _can_fork() -> bool:
    return hasattr(os, "fork") and threading.active_count() == 1


def _in_child(command: Callable[[Host], int], host: Host) -> _Ended:
    import tempfile

    with (
        tempfile.TemporaryFile() as printed,
        tempfile.TemporaryFile() as marks,
        tempfile.TemporaryFile() as told,
    ):
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if not child:
            _be_child(command, host, (printed, marks, told))
        status = _waited(child)
        for file in (printed, marks, told):
            file.seek(0)
        lines = [_Mark(*json.loads(line)) for line in marks.read().splitlines()]
        verdict = told.read()
        return _Ended(json.loads(verdict) if verdict else None, _how(status), lines, printed.read())


def _waited(child: int) -> int:
    """Return the child's status; a Ctrl-C here ends the child too."""
    try:
        return os.waitpid(child, 0)[1]
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise


def _how(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"exit {code}"
    try:
        return f"signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"signal {-code}"


def _be_child(command: Callable[[Host], int], host: Host, files: Sequence[IO[bytes]]) -> None:
    """Run the command and end the process; never return."""
    printed, marks, told = files
    try:
        os.dup2(printed.fileno(), 1)
        sys.stdout = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogateescape", newline="")
        host.watch(lambda event, plugin, stage: _note(marks, event, plugin, stage))
        verdict = _verdict(command, host)
        sys.stdout.flush()
        sys.stderr.flush()
        told.write(json.dumps(verdict, default=str).encode())
        told.flush()
    finally:
        os._exit(0)


def _note(marks: IO[bytes], event: str, plugin: Origin, stage: str) -> None:
    kind = getattr(plugin, "kind", None)
    key = survival_key(plugin, kind.hook if kind else "")
    line = json.dumps([event, plugin.name, plugin.distribution, key, stage, plugin.builtin])
    os.write(marks.fileno(), f"{line}\n".encode())


def _verdict(command: Callable[[Host], int], host: Host) -> dict[str, Any]:
    try:
        return {"code": command(host)}
    except SatchelError as error:
        facts = {"exit_code": error.exit_code, **vars(error)}
        return {"error": type(error).__name__, "text": str(error), "facts": facts}
    except KeyboardInterrupt:
        return {"interrupted": True}
    except SystemExit as error:
        return {"code": error.code if isinstance(error.code, int) else int(error.code is not None)}
    except BaseException:
        import traceback

        traceback.print_exc()
        return {"code": 1}


def _concluded(ended: _Ended, verdict: dict[str, Any], host: Host) -> int:
    """Hand on what the child printed; return its exit code, or raise what it raised."""
    _forward(ended.printed)
    host.survived({mark.key for mark in ended.marks if mark.event == "end" and not mark.builtin})
    if verdict.get("interrupted"):
        raise KeyboardInterrupt
    if "error" in verdict:
        raise _rebuilt(verdict)
    return int(verdict["code"])


def _forward(printed: bytes) -> None:
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        sys.stdout.write(printed.decode("utf-8", "surrogateescape"))
    else:
        sys.stdout.flush()
        binary.write(printed)
    sys.stdout.flush()


def _rebuilt(verdict: dict[str, Any]) -> SatchelError:
    """Return the error that the child raised: its class where it is satchel's, its text, its facts."""
    from satchel import errors

    cls = getattr(errors, verdict["error"], SatchelError)
    error: SatchelError = cls.__new__(cls)
    Exception.__init__(error, verdict["text"])
    for name, value in verdict["facts"].items():
        setattr(error, name, tuple(value) if isinstance(value, list) else value)
    return error
