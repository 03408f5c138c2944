"""Outlive plugins that end the process: where others than the built-in ones take part, a forked child works.

A child that dies is started again without the distribution that it was calling. The result of a
child reaches stdout only if it ended by itself, so that nothing half written does.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO, Any, NamedTuple

from satchel.errors import PluginError, Problem, SatchelError
from satchel.host.calling import described
from satchel.host.kinds import Kind, Origin
from satchel.host.registry import Host

_LOOK_SECONDS = 0.25
_PATIENCE = 1.5
"""How many deadlines a call may take: one that is over its deadline is given up in the child itself, unless
it lets no other thread of Python work."""
_GRACE_SECONDS = 2.0
_INTERRUPT_SECONDS = 0.05
_MOST_FILES = 256
_NOBODY = "nobody knows which plugin it was"


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
        open_calls = _open_calls(self.marks)
        strangers = [mark for mark in self.marks if not mark.builtin]
        return open_calls[-1] if open_calls else strangers[-1] if strangers else None


def _open_calls(marks: Sequence[_Mark]) -> list[_Mark]:
    """Return the calls that began and have not come back."""
    found: list[_Mark] = []
    for mark in marks:
        if mark.event == "start":
            found.append(mark)
        else:
            found = [o for o in found if (o.key, o.plugin, o.stage) != (mark.key, mark.plugin, mark.stage)]
    return found


def supervised(command: Callable[[Host], int], open_host: Callable[[Sequence[str]], Host]) -> int:
    """Return the exit code of `command(open_host(disabled))`, whatever plugins do to the process.

    `open_host` gets the distributions to leave out beside those that the configuration disables.
    In a child, `sys.stdout` and file 1 are a file whose content is forwarded at the end. What the
    command raises of SatchelError is raised here.
    """
    return int(_survived(command, open_host))


def protected(
    work: Callable[[Host], Any], open_host: Callable[[Sequence[str]], Host], *, stdin: IO[bytes] | None = None
) -> Any:
    """Return what `work(open_host(disabled))` returns, as JSON has it, whatever plugins do to the process.

    It may be done more than once, each time in a child, which finds `stdin` on file 0; what it raises of
    SatchelError is raised here.
    """
    return _survived(work, open_host, stdin)


def strangers_of(host: Host) -> tuple[str, ...]:
    """Return the distributions that bring plugins and are not satchel's own, those that are off left out."""
    return tuple(dict.fromkeys(entry.distribution for entry in host.entries if not entry.builtin))


def _survived(
    work: Callable[[Host], Any],
    open_host: Callable[[Sequence[str]], Host],
    stdin: IO[bytes] | None = None,
) -> Any:
    lost: dict[str, Problem] = {}
    while True:
        host = open_host(tuple(lost))
        host.problems.extend(lost.values())
        host.lost = {problem.plugin: problem for problem in lost.values()}
        strangers = strangers_of(host)
        if not strangers or not _can_fork():
            return work(host)
        ended = _in_child(work, host, stdin)
        if ended.verdict is not None and "fault" in ended.verdict:
            time.sleep(_INTERRUPT_SECONDS)  # a person's Ctrl-C reaches this process too, and ends it here
            ended = ended._replace(how=f"raised {ended.verdict['fault']} outside of its call", verdict=None)
        if ended.verdict is not None:
            return _concluded(ended, ended.verdict)
        lost |= _to_leave_out(ended, host, [name for name in strangers if name not in lost])


def _to_leave_out(ended: _Ended, host: Host, strangers: Sequence[str]) -> dict[str, Problem]:
    """Return the distributions that the work is done without next, each with the reason.

    That is the one whose call was under way, or all of them where that one can't be told. One that brings
    a scanner is never left out, because the person relies on it: PluginError is raised.
    """
    mark = ended.blamed()
    if mark is not None and not mark.builtin and mark.distribution in strangers:
        found = {
            mark.distribution: (mark.plugin, mark.stage, f"ended the process: {ended.how} in {mark.stage}")
        }
    elif strangers:
        found = {
            name: (name, "call", f"the process was ended: {ended.how}, and {_NOBODY}") for name in strangers
        }
    else:
        where = f" in {mark.stage} of {mark.plugin}" if mark else ""
        raise SatchelError(f"the process was ended: {ended.how}{where}")
    for distribution, (plugin, _, reason) in found.items():
        if _brings_scanner(ended.marks, distribution):
            why = f"{reason}; it brings a scanner of secrets, without which nothing is shown"
            raise PluginError(plugin, distribution, f"{why}, unless you say --no-plugin {distribution}")
    return {
        distribution: Problem(plugin, stage, f"{reason}; left out of this run", distribution)
        for distribution, (plugin, stage, reason) in found.items()
    }


def _brings_scanner(marks: Sequence[_Mark], distribution: str) -> bool:
    """Tell whether a scanner of a distribution was made or called: that comes first in a run."""
    return any(mark.distribution == distribution and mark.key.endswith(Kind.SCANNER.hook) for mark in marks)


def _can_fork() -> bool:
    return hasattr(os, "fork") and threading.active_count() == 1


def _in_child(work: Callable[[Host], Any], host: Host, stdin: IO[bytes] | None) -> _Ended:
    import tempfile

    with (
        tempfile.TemporaryFile() as printed,
        tempfile.TemporaryFile() as marks,
        tempfile.TemporaryFile() as told,
    ):
        if sys.stdout is not None:
            sys.stdout.flush()
        if sys.stderr is not None:
            sys.stderr.flush()
        child = os.fork()
        if not child:
            _be_child(work, host, stdin, (printed, marks, told))
        try:
            how = _waited(child, marks, host.calls.deadline_seconds)
        finally:
            _end_group(child)
        for file in (printed, marks, told):
            file.seek(0)
        lines = _marks_in(marks.read())
        return _Ended(_read_verdict(told.read()), how, lines, printed.read())


def _read_verdict(written: bytes) -> dict[str, Any] | None:
    """Return a child's verdict, None where there is none or something else was written there."""
    try:
        verdict = json.loads(written)
    except ValueError:
        return None
    return verdict if isinstance(verdict, dict) and len(verdict) in (1, 3) else None


def _marks_in(noted: bytes) -> list[_Mark]:
    """Return the marks; of a line that was cut short, the call counts as one that began."""
    found = []
    for line in noted.splitlines():
        try:
            found.append(_Mark(*json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found


def _waited(child: int, marks: IO[bytes], deadline: float | None) -> str:
    """Return how the child ended; a Ctrl-C here ends the child too, and so does a call that stops it."""
    try:
        alarm = _Alarm(marks, deadline)
        while not _has_ended(child):
            if alarm.is_due():
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return f"no answer after {alarm.seconds:g} s, and nothing else could work meanwhile"
        return _how(os.waitpid(child, 0)[1])
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise


def _end_group(child: int) -> None:
    """End what the child left running: a process that a plugin forked would keep pipes open."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)


def _has_ended(child: int) -> bool:
    """Wait a moment for the end of a child, which stays to be asked for its status."""
    if not hasattr(os, "pidfd_open"):
        time.sleep(0.005)
        return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    number = os.pidfd_open(child)
    try:
        return bool(select.select([number], [], [], _LOOK_SECONDS)[0])
    finally:
        os.close(number)


class _Alarm:
    """Tells that a stranger's call has been open for too long, and that nothing was noted since it began."""

    def __init__(self, marks: IO[bytes], deadline: float | None) -> None:
        self.seconds = None if deadline is None else deadline * _PATIENCE + _GRACE_SECONDS
        self._marks, self._size, self._since = marks, -1, time.monotonic()
        self._last = b""

    def is_due(self) -> bool:
        if self.seconds is None:
            return False
        size = os.fstat(self._marks.fileno()).st_size
        if size != self._size:
            self._size, self._since = size, time.monotonic()
            return False
        if time.monotonic() - self._since < self.seconds:
            return False
        noted = os.pread(self._marks.fileno(), size, 0)
        return any(not mark.builtin for mark in _open_calls(_marks_in(noted)))


def _how(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"exit {code}"
    try:
        return f"signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"signal {-code}"


def _be_child(
    work: Callable[[Host], Any], host: Host, stdin: IO[bytes] | None, files: Sequence[IO[bytes]]
) -> None:
    """Do the work and end the process; never return."""
    printed, marks, told = files
    ended_well = False
    try:
        own = os.getpid()
        os.setpgid(0, 0)
        _close_ways_out(keep=[file.fileno() for file in files])
        places = [(file.fileno(), os.fstat(file.fileno()).st_ino) for file in files]
        _read_from(stdin)
        os.dup2(printed.fileno(), 1)
        stream = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogateescape", newline="")
        places.append((stream.fileno(), places[0][1]))
        sys.stdout = stream
        Host.watch_all(lambda event, plugin, stage: _note(marks, event, plugin, stage))
        verdict = _verdict(work, host)
        stream.flush()
        if sys.stderr is not None:
            sys.stderr.flush()
        # A plugin that closed the files on which satchel writes ended the run as well as one that exits,
        # and a process that one forked has nothing to tell.
        if os.getpid() == own and all(os.fstat(number).st_ino == node for number, node in places):
            told.write(json.dumps(verdict, default=str).encode())
            told.flush()
            ended_well = True
    finally:
        os._exit(0 if ended_well else 1)


def _close_ways_out(keep: Sequence[int]) -> None:
    """Close what leads out of the process beside its standard streams: copies of stdout, where results go."""
    import fcntl

    for number in range(3, _MOST_FILES):
        with contextlib.suppress(OSError):
            mode, flags = os.fstat(number).st_mode, fcntl.fcntl(number, fcntl.F_GETFL)
            writes = flags & os.O_ACCMODE == os.O_WRONLY and not flags & os.O_APPEND
            leads_out = writes or stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)
            if leads_out and number not in keep:
                os.close(number)


def _read_from(stdin: IO[bytes] | None) -> None:
    """Put a file on stdin, by default one that is empty: what a person sends there is for no plugin."""
    if stdin is not None:
        os.lseek(stdin.fileno(), 0, os.SEEK_SET)
        os.dup2(stdin.fileno(), 0)
        return
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)


def _note(marks: IO[bytes], event: str, plugin: Origin, stage: str) -> None:
    kind = getattr(plugin, "kind", None)
    key = f"{plugin.distribution} {plugin.version} {kind.hook if kind else ''}"
    line = json.dumps([event, plugin.name, plugin.distribution, key, stage, plugin.builtin])
    os.write(marks.fileno(), f"{line}\n".encode())


def _verdict(work: Callable[[Host], Any], host: Host) -> dict[str, Any]:
    """Return what the work came to.

    An exit, an interrupt or a fault is none: a plugin can raise one in the thread of the work. Where it was
    not a plugin, it comes again once the work is done without them.
    """
    try:
        return {"value": work(host)}
    except SatchelError as error:
        facts = {"exit_code": error.exit_code, **vars(error)}
        return {"error": type(error).__name__, "text": str(error), "facts": facts}
    except BaseException as error:
        return {"fault": described(error)}


def _concluded(ended: _Ended, verdict: dict[str, Any]) -> Any:
    """Hand on what the child printed; return what its work returned, or raise what it raised."""
    _forward(ended.printed)
    if "error" in verdict:
        raise _rebuilt(verdict)
    return verdict["value"]


def _forward(printed: bytes) -> None:
    if not printed or sys.stdout is None:
        return
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
