"""Run a command transparently: its input, its signals, its exit code; its output in pieces."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from types import FrameType, TracebackType

from satchel.errors import SatchelError
from satchel.spelling import join_reason

_TERMINAL = 0
"""Standard input: the owner of its terminal may read."""


class Foreground:
    """The terminal while a command runs; a context, which restores the previous owner at its end."""

    def __init__(self, group: int) -> None:
        """Take the command's process group, which its first process leads."""
        self._group = group
        self._own = os.getpgrp()
        self._present = sys.stdin is not None and os.isatty(_TERMINAL)
        self._asked = False
        self._before: dict[int, signal._HANDLER] = {}

    def __enter__(self) -> Foreground:
        handlers: dict[int, signal._HANDLER] = {signal.SIGTSTP: self._ask}
        if self._present:
            # Else satchel would stop when it takes the terminal back.
            handlers[signal.SIGTTOU] = signal.SIG_IGN
        for number, handler in handlers.items():
            with contextlib.suppress(ValueError):  # only the main thread may
                self._before[number] = signal.signal(number, handler)
        self._lend()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._take_back()
        for number, handler in self._before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)

    def follow(self) -> float:
        """Stop when the command has stopped, continue with it; return the seconds between."""
        number = self._stop_signal()
        if number is None or not (self._present or self._asked):
            return 0.0
        began, self._asked = time.monotonic(), False
        if number not in (signal.SIGTTIN, signal.SIGTTOU) or self._find_terminal_owner() not in (
            self._own,
            self._group,
        ):
            self._take_back()
            self._stop()
        self._lend()
        signal_group(self._group, signal.SIGCONT)
        return time.monotonic() - began

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        """Pass on a request to stop satchel: it stops once the command has."""
        self._asked = True
        signal_group(self._group, signal.SIGTSTP)

    def _stop_signal(self) -> int | None:
        """Return the signal that stopped the command since the last call."""
        waitid = getattr(os, "waitid", None)
        if waitid is None:
            return None
        with contextlib.suppress(ChildProcessError):
            found = waitid(os.P_PID, self._group, os.WSTOPPED | os.WNOHANG)
            return None if found is None else int(found.si_status)
        return None

    def _stop(self) -> None:
        """Stop satchel and its pipeline, as its shell expects after Ctrl-Z."""
        before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.killpg(self._own, signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, before)

    def _lend(self) -> None:
        if self._present and self._find_terminal_owner() == self._own:
            with contextlib.suppress(OSError):
                os.tcsetpgrp(_TERMINAL, self._group)
                # It may have stopped by reading before it owned the terminal.
                os.killpg(self._group, signal.SIGCONT)

    def _take_back(self) -> None:
        if self._present and self._find_terminal_owner() == self._group:
            with contextlib.suppress(OSError):
                os.tcsetpgrp(_TERMINAL, self._own)

    def _find_terminal_owner(self) -> int:
        """Return the process group that owns the terminal, -1 if there is none."""
        if not self._present:
            return -1
        try:
            return os.tcgetpgrp(_TERMINAL)
        except OSError:
            return -1


def signal_group(group: int, number: int) -> None:
    """Send a signal to a process group, if it is still there and ours."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def group_exists(group: int) -> bool:
    """Return whether a process group has a process that may be sent a signal."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


CANNOT_EXECUTE, NOT_FOUND, FAILED = 126, 127, 125
"""Exit codes as in env(1)."""
_FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGWINCH", "SIGUSR1", "SIGUSR2")
_PIECE_BYTES = 1 << 20
_TICK_SECONDS = 0.05
_GRACE_SECONDS = 0.4
"""Time to wait for output after the end: processes that the command left may hold the pipe for ever."""
_MERCY_SECONDS = 2.0
"""Time between the signals TERM and KILL for a command that runs too long."""


class CommandError(SatchelError):
    """A command can't be started; `exit_code` is that of env(1)."""

    def __init__(self, command: str, reason: str, exit_code: int) -> None:
        self.command, self.exit_code = command, exit_code
        super().__init__(join_reason(command or repr(command), reason))


class Running:
    """One running command; `pieces` is its output, `exit_code` its end."""

    def __init__(self, words: Sequence[str], *, time_limit: float | None = None) -> None:
        """Start a command.

        Args:
            words: the program and its arguments, no shell between.
            time_limit: seconds after which it and all it started are ended.

        Raises:
            CommandError: there is no such program, or it can't be executed.
        """
        self._reader, writer = os.pipe()
        try:
            self._process = _start(words, writer)
        except OSError as error:
            os.close(self._reader)
            raise _make_command_error(words[0], error) from error
        finally:
            os.close(writer)
        self._deadline = None if time_limit is None else time.monotonic() + time_limit
        self._killed = 0

    @property
    def has_timed_out(self) -> bool:
        """Return whether the time limit ended it."""
        return self._killed != 0

    def exit_code(self) -> int:
        """Return the command's exit code, 128 + N if signal N ended it."""
        code = self._process.wait()
        if self._killed:
            return 128 + self._killed
        return code if code >= 0 else 128 - code

    def pieces(self, *, ticks: bool = False) -> Generator[bytes, None, None]:
        """Yield the output as it comes; signals that reach satchel meanwhile go to the command.

        With `ticks` it yields an empty piece if nothing has come for a twentieth of a second.
        """
        with _forward_signals(self._process.pid), Foreground(self._process.pid) as terminal:
            try:
                yield from self._read(terminal, ticks=ticks)
            finally:
                os.close(self._reader)
                if self._process.poll() is None:
                    self._wait(terminal)
                if self._killed:
                    self._end_rest()

    def _read(self, terminal: Foreground, *, ticks: bool) -> Iterator[bytes]:
        quiet = 0.0
        while quiet < _GRACE_SECONDS:
            ready, _, _ = select.select([self._reader], [], [], _TICK_SECONDS)
            if ready:
                piece = os.read(self._reader, _PIECE_BYTES)
                if not piece:
                    return
                yield piece
            elif ticks:
                yield b""
            self._follow(terminal)
            self._check_time()
            if self._process.poll() is not None:
                quiet = 0.0 if ready and quiet < _TICK_SECONDS else quiet + _TICK_SECONDS

    def _follow(self, terminal: Foreground) -> None:
        """Stop with the command; the pause is not part of its time limit."""
        stopped = terminal.follow()
        if self._deadline is not None:
            self._deadline += stopped

    def _wait(self, terminal: Foreground) -> None:
        """Wait for a command that has closed its output, still under the time limit."""
        while self._process.poll() is None:
            self._follow(terminal)
            self._check_time()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_TICK_SECONDS)

    def _end_rest(self) -> None:
        """Kill processes that the command started and that outlive it by more than a moment."""
        end = time.monotonic() + _GRACE_SECONDS
        while is_there := group_exists(self._process.pid):
            if time.monotonic() > end:
                break
            time.sleep(_TICK_SECONDS)
        if is_there:
            signal_group(self._process.pid, signal.SIGKILL)

    def _check_time(self) -> None:
        late = time.monotonic() - self._deadline if self._deadline is not None else -1.0
        if late < 0 or self._process.poll() is not None:
            return
        number = signal.SIGTERM if late < _MERCY_SECONDS else signal.SIGKILL
        if self._killed != number:
            self._killed = int(number)
            signal_group(self._process.pid, number)


def _start(words: Sequence[str], writer: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 (the person's own command)
        list(words), stdout=writer, stderr=writer, env=_make_environment(os.environ), process_group=0
    )


def _make_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment, with the terminal's size for programs that find a pipe."""
    sized = dict(env)
    for number in (2, 1, 0):
        with contextlib.suppress(OSError):
            size = os.get_terminal_size(number)
            if size.columns:
                sized.setdefault("COLUMNS", str(size.columns))
                sized.setdefault("LINES", str(size.lines))
                break
    return sized


def _make_command_error(program: str, error: OSError) -> CommandError:
    if not program or error.errno in (errno.ENOENT, errno.ENOTDIR):
        return CommandError(program, "no such command; check that it is installed and on PATH", NOT_FOUND)
    return CommandError(program, f"can't be executed: {error.strerror}", CANNOT_EXECUTE)


@contextlib.contextmanager
def _forward_signals(group: int) -> Iterator[None]:
    """Send signals that would end satchel to the command's processes."""

    def forward(number: int, _frame: FrameType | None) -> None:
        signal_group(group, number)

    before = {}
    for name in _FORWARDED:
        number = getattr(signal, name, None)
        if number is not None:
            with contextlib.suppress(ValueError):  # only the main thread may
                before[number] = signal.signal(number, forward)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
