"""Show progress on a terminal while a command takes longer than a second; erased afterwards."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_DELAY_SECONDS = 1.0
"""A quicker command shows nothing."""
_RECENT_SECONDS = 8.0
"""Progress in this time predicts the rest: the first files are slow."""
_MINUTE = 60
_STAGES = {"index": "reading files", "gather": "asking the providers", "split": "indexing files"}
_IN_BYTES = ("split", "squeezing")
"""Stages that count bytes, of which only the share is shown."""


class Progress:
    """A line with the progress, drawn with rich; silent if stderr is not a terminal.

    Use it in a `with` statement, and call it with a stage, the number done and the total, as often as wished.
    """

    def __init__(
        self,
        doing: str = "working",
        stream: IO[str] | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        delay: float = _DELAY_SECONDS,
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._doing, self._clock, self._delay = doing, clock, delay
        self._lock = threading.Lock()
        self._bar: Bar | None = None
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Progress:
        """Begin to wait: the line appears after a second."""
        if is_terminal(self._stream):
            self._timer = threading.Timer(self._delay, self._open)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Erase the line."""
        self.end()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Report progress; `total` is 0 if unknown."""
        with self._lock:
            if self._bar is None:
                return
            task = self._bar.tasks[0]
            is_over = 0 < total <= done + 1  # the last one is told when it begins
            end = None if is_over else total or None
            if end is None:
                task.total = None  # `update` can't tell that a total is not known any more
            doing = self._doing if is_over else _STAGES.get(stage, stage)
            self._bar.update(task.id, description=doing, completed=done, total=end)
            counted = _count_bytes(done, total) if stage in _IN_BYTES else _count(done, total)
            left = f"{format_span(task.time_remaining)} left" if task.time_remaining else ""
            self._bar.update(task.id, told="" if is_over else ", ".join(filter(None, (counted, left))))

    def follow(self, pieces: Iterable[bytes], total: int = 0) -> Iterator[bytes]:
        """Yield pieces, and report the bytes done each time; `total` is 0 if unknown."""
        done = 0
        for piece in pieces:
            yield piece
            done += len(piece)
            self(self._doing, done, total)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Rich

        columns = (
            SpinnerColumn("line"),
            TextColumn("satchel: {task.description}", markup=False),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[told]}", markup=False),
            TimeElapsedColumn(),
        )
        with self._lock:
            if self._timer is None:
                return
            console = Console(file=self._stream)
            # What others write to stderr meanwhile stands above the line.
            is_shared = self._stream is sys.stderr
            self._bar = Rich(
                *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=is_shared,
                speed_estimate_period=_RECENT_SECONDS, get_time=self._clock,
            )  # fmt: skip
            self._bar.add_task(self._doing, total=None, told="")
            with contextlib.suppress(OSError):
                self._bar.start()

    def end(self) -> None:
        """Erase the line for good."""
        if self._timer is None:
            return
        self._timer.cancel()
        with self._lock:
            self._timer = None
            if self._bar is not None:
                with contextlib.suppress(OSError):
                    self._bar.stop()
            self._bar = None


def _count_bytes(done: int, total: int) -> str:
    return f"{done / total:.0%}" if total else f"{done / 1_000_000:,.0f} MB"


def _count(done: int, total: int) -> str:
    if not total:
        return f"{done:,}" if done else ""
    return f"{done:,} of {total:,}"


def is_terminal(stream: IO[str] | None) -> bool:
    """Return whether lines can be redrawn on a stream."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def format_span(seconds: float) -> str:
    """Return a time in seconds or minutes, rounded up."""
    whole = math.ceil(seconds)
    return f"{whole} s" if whole < _MINUTE * 2 else f"{-(-whole // _MINUTE)} min"
