"""Lend the terminal to a command: it can ask questions, and Ctrl-Z stops it together with satchel."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from types import FrameType, TracebackType

_TERMINAL = 0
"""Standard input: whose terminal it is decides who may read."""


class Foreground:
    """The terminal while a command runs; a context, on exit it belongs to whom it belonged to."""

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
            # Else satchel would be stopped where it takes the terminal back.
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
        """Stop where the command has stopped, go on with it; return the seconds between."""
        number = self._stopped_by()
        if number is None or not (self._present or self._asked):
            return 0.0
        began, self._asked = time.monotonic(), False
        if number not in (signal.SIGTTIN, signal.SIGTTOU) or self._owner() not in (self._own, self._group):
            self._take_back()
            self._stop()
        self._lend()
        signal_group(self._group, signal.SIGCONT)
        return time.monotonic() - began

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        """Pass on that satchel was asked to stop: it stops once the command has."""
        self._asked = True
        signal_group(self._group, signal.SIGTSTP)

    def _stopped_by(self) -> int | None:
        """Return the signal that has stopped the command since this was last asked."""
        waitid = getattr(os, "waitid", None)
        if waitid is None:
            return None
        with contextlib.suppress(ChildProcessError):
            found = waitid(os.P_PID, self._group, os.WSTOPPED | os.WNOHANG)
            return None if found is None else int(found.si_status)
        return None

    def _stop(self) -> None:
        """Stop satchel and what stands in one pipeline with it, as its shell expects after Ctrl-Z."""
        before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.killpg(self._own, signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, before)

    def _lend(self) -> None:
        if self._present and self._owner() == self._own:
            with contextlib.suppress(OSError):
                os.tcsetpgrp(_TERMINAL, self._group)
                # It is stopped already where it read before the terminal was its own.
                os.killpg(self._group, signal.SIGCONT)

    def _take_back(self) -> None:
        if self._present and self._owner() == self._group:
            with contextlib.suppress(OSError):
                os.tcsetpgrp(_TERMINAL, self._own)

    def _owner(self) -> int:
        """Return the process group that the terminal belongs to, -1 where there is none."""
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
    """Whether a process group has a process that may be sent a signal."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
