"""Survive plugins that end the process: with third-party plugins, the work runs in a forked child.

If the child dies, a new one runs without the distribution that was being called. A child's output
reaches stdout only if it ended normally, so that nothing half-written does.
"""

from __future__ import annotations

import contextlib
import faulthandler
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

from satchel.errors import PluginError, Problem, SatchelError, pack_error, unpack_error
from satchel.host.calling import LEFT_OUT, describe_error, find_line_in_dump
from satchel.host.kinds import Origin, PluginKind
from satchel.host.registry import CallReports, Host

_LOOK_SECONDS = 0.25
_PATIENCE = 1.5
"""Deadlines that a call may take: the child itself abandons a call past its deadline, unless the call
blocks all other Python threads.
"""
_GRACE_SECONDS = 2.0
_NOTICE_SECONDS = 2.0
"""Seconds after which the person hears that a plugin still loads;"""
_NOTICE_SECONDS_OF_WORK = 5.0
"""of one that works, or half of its deadline if that is later."""
_LOADING = frozenset({"load", "make"})
_INTERRUPT_SECONDS = 0.05
_MOST_FILES = 256
_NOBODY = "which plugin caused it is unknown"


class _Mark(NamedTuple):
    """One line of a child's log: a call began or returned."""

    event: str
    plugin: str
    distribution: str
    key: str
    stage: str
    trusted: bool


class _ChildEnd(NamedTuple):
    """The end of a child: normal with a verdict, or not."""

    verdict: dict[str, Any] | None
    how: str
    marks: Sequence[_Mark]
    printed: bytes

    def last_call(self) -> _Mark | None:
        """Return the call that was running at the end, else the last third-party call."""
        open_calls = _open_calls(self.marks)
        third_parties = [mark for mark in self.marks if not mark.trusted]
        return open_calls[-1] if open_calls else third_parties[-1] if third_parties else None


def _open_calls(marks: Sequence[_Mark]) -> list[_Mark]:
    """Return the calls that began and have not returned."""
    found: list[_Mark] = []
    for mark in marks:
        if mark.event == "start":
            found.append(mark)
        else:
            found = [o for o in found if (o.key, o.plugin, o.stage) != (mark.key, mark.plugin, mark.stage)]
    return found


def run_in_child(
    work: Callable[[Host], Any], open_host: Callable[[Sequence[str]], Host], *, stdin: IO[bytes] | None = None
) -> Any:
    """Return the result of `work(open_host(disabled))`, as JSON, whatever plugins do to the process.

    `open_host` gets the distributions to leave out in addition to the disabled ones. The work may run more
    than once, each time in a child with `stdin` on file 0, where `sys.stdout` and file 1 are a file whose
    content is forwarded at the end; a SatchelError that it raises is raised here.
    """
    lost: dict[str, Problem] = {}
    while True:
        host = open_host(tuple(lost))
        host.problems.extend(lost.values())
        host.lost = {problem.plugin: problem for problem in lost.values()}
        third_parties = third_parties_of(host)
        if not third_parties or not (hasattr(os, "fork") and threading.active_count() == 1):
            return work(host)
        ended = _in_child(work, host, stdin)
        if ended.verdict is not None and "fault" in ended.verdict:
            time.sleep(_INTERRUPT_SECONDS)  # a Ctrl-C reaches this process too, and ends it here
            ended = ended._replace(how=f"raised {ended.verdict['fault']} outside of its call", verdict=None)
        if ended.verdict is not None:
            return _conclude(ended, ended.verdict)
        lost |= _blame(ended, host, [name for name in third_parties if name not in lost])


def third_parties_of(host: Host) -> tuple[str, ...]:
    """Return the third-party distributions with plugins, without those that are off."""
    return tuple(dict.fromkeys(entry.distribution for entry in host.entries if not entry.trusted))


def _blame(ended: _ChildEnd, host: Host, third_parties: Sequence[str]) -> dict[str, Problem]:
    """Return the distributions to leave out of the next attempt, each with the reason.

    That is the one whose call was running, or all if that one is unknown. A distribution with a scanner
    is never left out, because the user relies on it, nor is a file that the user named and that does not
    load: PluginError is raised.
    """
    named = {entry.distribution for entry in host.entries if entry.named}
    mark = ended.last_call()
    if mark is not None and not mark.trusted and mark.distribution in third_parties:
        reason = f"ended the process: {ended.how} in {mark.stage}"
        if mark.stage == "load" and mark.distribution in named:
            raise PluginError(mark.plugin, mark.distribution, f"load: {reason}")
        found = {mark.distribution: (mark.plugin, mark.stage, reason)}
    elif third_parties:
        found = {
            name: (name, "call", f"the process ended: {ended.how}, and {_NOBODY}") for name in third_parties
        }
    else:
        where = f" in {mark.stage} of {mark.plugin}" if mark else ""
        raise SatchelError(f"the process ended: {ended.how}{where}")
    for distribution, (plugin, _, reason) in found.items():
        if _brings_scanner(ended.marks, distribution):
            why = f"{reason}; it brings a scanner of secrets, without which nothing is shown"
            raise PluginError(plugin, distribution, f"{why}, unless you say --no-plugin {distribution}")
    return {
        distribution: Problem(plugin, stage, f"{reason}; {LEFT_OUT}", distribution)
        for distribution, (plugin, stage, reason) in found.items()
    }


_HOOKS_OF_GUARDS = (PluginKind.SCANNER.hook, PluginKind.REDACTION_RULE.hook)


def _brings_scanner(marks: Sequence[_Mark], distribution: str) -> bool:
    """Return whether a scanner of a distribution was created or called, which happens first in a run."""
    return any(mark.distribution == distribution and mark.key.endswith(_HOOKS_OF_GUARDS) for mark in marks)


def _in_child(work: Callable[[Host], Any], host: Host, stdin: IO[bytes] | None) -> _ChildEnd:
    import tempfile

    with (
        tempfile.TemporaryFile() as printed,
        tempfile.TemporaryFile() as marks,
        tempfile.TemporaryFile() as told,
        tempfile.TemporaryFile() as dumps,
    ):
        if sys.stdout is not None:
            sys.stdout.flush()
        if sys.stderr is not None:
            sys.stderr.flush()
        child = os.fork()
        if not child:
            _be_child(work, host, stdin, (printed, marks, told, dumps))
        try:
            how = _wait_for_child(child, _Alarm(marks, dumps, host))
        finally:
            _end_group(child)
        for file in (printed, marks, told):
            file.seek(0)
        lines = _marks_in(marks.read())
        return _ChildEnd(_read_verdict(told.read()), how, lines, printed.read())


def _read_verdict(written: bytes) -> dict[str, Any] | None:
    """Return a child's verdict, None if there is none or it is malformed."""
    try:
        verdict = json.loads(written)
    except ValueError:
        return None
    return verdict if isinstance(verdict, dict) and len(verdict) in (1, 3) else None


def _marks_in(noted: bytes) -> list[_Mark]:
    """Return the marks; a truncated line is skipped, so that its call counts as running."""
    found = []
    for line in noted.splitlines():
        try:
            found.append(_Mark(*json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found


def _wait_for_child(child: int, alarm: _Alarm) -> str:
    """Wait for the child and return how it ended; kill it on Ctrl-C or if a call blocks it."""
    try:
        while not _is_over(child):
            if alarm.is_due():
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return f"no answer after {alarm.waited:.0f} s{alarm.line}, and it blocked everything else"
        return _describe_status(os.waitpid(child, 0)[1])
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise


def _end_group(child: int) -> None:
    """Kill processes that the child left running: a plugin's fork would keep pipes open."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)


def _is_over(child: int) -> bool:
    """Wait briefly for a child to end, without reaping it."""
    if not hasattr(os, "pidfd_open"):
        time.sleep(0.005)
        return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    number = os.pidfd_open(child)
    try:
        return bool(select.select([number], [], [], _LOOK_SECONDS)[0])
    finally:
        os.close(number)


class _Alarm:
    """Detects a third-party call that has run too long without any log entry since it began.

    It is announced early, with its current line.
    """

    def __init__(self, marks: IO[bytes], dumps: IO[bytes], host: Host) -> None:
        self._deadline, self._announce = host.calls.deadline_seconds, host.announce
        self._marks, self._size, self._since = marks, -1, time.monotonic()
        self._dumps, self._dumped = dumps, 0
        self.waited = 0.0
        """Seconds since the last log entry,"""
        self.line = ""
        """and the place of the call that has run since then."""

    def is_due(self) -> bool:
        if self._deadline is None:
            return False
        size = os.fstat(self._marks.fileno()).st_size
        if size != self._size:
            self._size, self._since, self.line = size, time.monotonic(), ""
        dumped = os.fstat(self._dumps.fileno()).st_size
        self.waited = time.monotonic() - self._since
        if dumped == self._dumped and self.waited < self._deadline + _GRACE_SECONDS:
            return False
        call = self._running_call(size)
        if call is None:
            return False
        if dumped != self._dumped:
            self._dumped = dumped
            self._look_at_dumps(call)
        patience = 1.0 if call.stage in _LOADING else _PATIENCE
        return self.waited >= self._deadline * patience + _GRACE_SECONDS

    def _running_call(self, size: int) -> _Mark | None:
        """Return the innermost third-party call that has not returned."""
        noted = os.pread(self._marks.fileno(), size, 0)
        return next((mark for mark in reversed(_open_calls(_marks_in(noted))) if not mark.trusted), None)

    def _look_at_dumps(self, call: _Mark) -> None:
        """Read the place of a late call, and report it."""
        dumps = os.pread(self._dumps.fileno(), self._dumped, 0)
        self.line = find_line_in_dump(dumps.decode("utf-8", "replace"))
        if self._announce is not None:
            if sys.stderr is not None and sys.stderr.isatty():
                sys.stderr.write("\r\x1b[K")  # over the progress line
            name = call.distribution if call.distribution.startswith(call.plugin) else call.plugin
            waits = f"no answer yet{self.line}; waiting {self._deadline:.3g} s for it"
            self._announce(f"satchel: {name}: {call.stage}: {waits}")


def _describe_status(status: int) -> str:
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
    """Do the work and exit; never return."""
    printed, marks, told, dumps = files
    ended_well = False
    try:
        own = os.getpid()
        os.setpgid(0, 0)
        _close_streams(keep=[file.fileno() for file in files])
        places = [(file.fileno(), os.fstat(file.fileno()).st_ino) for file in files]
        _read_from(stdin)
        os.dup2(printed.fileno(), 1)
        stream = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogateescape", newline="")
        places.append((stream.fileno(), places[0][1]))
        sys.stdout = stream
        seconds = host.calls.deadline_seconds
        CallReports.watch_all(lambda event, plugin, stage: _write_mark(marks, event, plugin, stage))
        CallReports.watch_all(
            lambda event, plugin, stage: _dump_when_late(dumps, event, plugin, stage, seconds=seconds)
        )
        verdict = _verdict(work, host)
        stream.flush()
        if sys.stderr is not None:
            sys.stderr.flush()
        # A plugin that closed satchel's output files ended the run just like one that exits,
        # and a process forked by a plugin must not report.
        if os.getpid() == own and all(os.fstat(number).st_ino == node for number, node in places):
            told.write(json.dumps(verdict, default=str).encode())
            told.flush()
            ended_well = True
    finally:
        os._exit(0 if ended_well else 1)


def _close_streams(keep: Sequence[int]) -> None:
    """Close files that lead out of the process besides the standard streams, such as copies of stdout."""
    import fcntl

    for number in range(3, _MOST_FILES):
        with contextlib.suppress(OSError):
            mode, flags = os.fstat(number).st_mode, fcntl.fcntl(number, fcntl.F_GETFL)
            writes = flags & os.O_ACCMODE == os.O_WRONLY and not flags & os.O_APPEND
            leads_out = writes or stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)
            if leads_out and number not in keep:
                os.close(number)


def _read_from(stdin: IO[bytes] | None) -> None:
    """Put a file on stdin, by default an empty one: plugins must not read the user's input."""
    if stdin is not None:
        os.lseek(stdin.fileno(), 0, os.SEEK_SET)
        os.dup2(stdin.fileno(), 0)
        return
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)


def _write_mark(marks: IO[bytes], event: str, plugin: Origin, stage: str) -> None:
    kind = getattr(plugin, "kind", None)
    key = f"{plugin.distribution} {plugin.version} {kind.hook if kind else ''}"
    line = json.dumps([event, plugin.name, plugin.distribution, key, stage, plugin.trusted])
    os.write(marks.fileno(), f"{line}\n".encode())


def _dump_when_late(
    dumps: IO[bytes], event: str, plugin: Origin, stage: str, *, seconds: float | None
) -> None:
    """Arrange for the tracebacks of a late call, by a thread that does not need the interpreter."""
    if plugin.trusted or seconds is None:
        return
    if event == "start":
        notice = (
            min(_NOTICE_SECONDS, seconds) if stage in _LOADING else min(_NOTICE_SECONDS_OF_WORK, seconds / 2)
        )
        faulthandler.dump_traceback_later(notice, file=dumps)
    else:
        faulthandler.cancel_dump_traceback_later()


def _verdict(work: Callable[[Host], Any], host: Host) -> dict[str, Any]:
    """Return the result of the work, or its failure.

    An exit, an interrupt or another exception is a fault: a plugin can raise one in the work's thread. If
    no plugin raised it, it recurs when the work runs without plugins.
    """
    try:
        return {"value": work(host)}
    except SatchelError as error:
        return pack_error(error)
    except BaseException as error:
        return {"fault": describe_error(error)}


def _conclude(ended: _ChildEnd, verdict: dict[str, Any]) -> Any:
    """Forward the child's output; return the result of its work, or raise its error."""
    _forward(ended.printed)
    if "error" in verdict:
        raise unpack_error(verdict)
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
