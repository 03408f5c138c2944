"""Save and restore the process-wide state that a plugin may change."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_SIGNALS = tuple(
    number
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGCHLD")
    if (number := getattr(signal, name, None)) is not None
)


class ProcessState(NamedTuple):
    """The state shared by all code of a process, at one moment."""

    folder: str | None
    """The working folder, None if it was deleted."""
    environment: Mapping[str, str]
    recursion_limit: int
    umask: int
    locale: str
    signals: Mapping[int, Any]
    """Handlers; only the main thread can set them, so this is empty for other threads."""
    filters: list[Any]
    """The filters of warnings."""
    collects: bool
    """Whether the garbage collector is on,"""
    thresholds: tuple[int, int, int]
    """and its thresholds."""
    switch_seconds: float
    hooks: tuple[Any, ...]

    @classmethod
    def now(cls, *, in_main_thread: bool = False) -> ProcessState:
        """Return the current state; `in_main_thread` says where code that may change it will run."""
        return cls(
            _folder(),
            dict(os.environ),
            sys.getrecursionlimit(),
            _umask(),
            _locale(),
            {number: signal.getsignal(number) for number in _SIGNALS} if in_main_thread else {},
            list(warnings.filters),
            gc.isenabled(),
            gc.get_threshold(),
            sys.getswitchinterval(),
            _hooks(),
        )

    def restore(self) -> list[str]:
        """Restore everything; return the changes in words."""
        return list(self._put_back())

    def _put_back(self) -> Iterator[str]:
        if self.folder is not None and _folder() != self.folder:
            with contextlib.suppress(OSError):
                os.chdir(self.folder)
            yield "the working folder"
        if os.environ != self.environment:
            os.environ.clear()
            os.environ.update(self.environment)
            yield "the environment"
        if sys.getrecursionlimit() != self.recursion_limit:
            with contextlib.suppress(RecursionError):
                sys.setrecursionlimit(self.recursion_limit)
            yield "the recursion limit"
        if _umask() != self.umask:
            os.umask(self.umask)
            yield "the umask"
        if _locale() != self.locale:
            _set_locale(self.locale)
            yield "the locale"
        yield from self._put_back_signals()
        yield from self._put_back_interpreter()

    def _put_back_signals(self) -> Iterator[str]:
        odd = [number for number, handler in self.signals.items() if signal.getsignal(number) is not handler]
        for number in odd:
            # None is a handler set by C code: it can't be read or set again.
            if self.signals[number] is not None:
                signal.signal(number, self.signals[number])
        if odd:
            yield "signal handlers"
        if hasattr(signal, "setitimer") and any(signal.getitimer(signal.ITIMER_REAL)):
            signal.setitimer(signal.ITIMER_REAL, 0)
            yield "an alarm"

    def _put_back_interpreter(self) -> Iterator[str]:
        if warnings.filters != self.filters:
            warnings.filters[:] = self.filters  # type: ignore[index]  # unreported: importing numpy adds some
        if gc.isenabled() != self.collects or gc.get_threshold() != self.thresholds:
            gc.set_threshold(*self.thresholds)
            (gc.enable if self.collects else gc.disable)()
            yield "the collection of garbage"
        if sys.getswitchinterval() != self.switch_seconds:
            sys.setswitchinterval(self.switch_seconds)
            yield "the switch interval"
        if _hooks() != self.hooks:
            sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook = self.hooks[:4]
            threading.settrace(self.hooks[4])
            threading.setprofile(self.hooks[5])
            yield "hooks of the interpreter"


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None


def _umask() -> int:
    """Return the umask, which can only be read by setting it."""
    umask = os.umask(0o077)
    os.umask(umask)
    return umask


def _locale() -> str:
    if "_locale" not in sys.modules:  # nothing can have changed it
        return ""
    import _locale

    return str(_locale.setlocale(_locale.LC_ALL, None))


def _set_locale(name: str) -> None:
    import locale

    with contextlib.suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, name or "C")


def _hooks() -> tuple[Any, ...]:
    return (
        sys.excepthook,
        sys.unraisablehook,
        sys.displayhook,
        threading.excepthook,
        threading.gettrace(),
        threading.getprofile(),
    )
