"""Show the progress of indexing on a terminal: done, rate and remaining time."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import IO

# More than ten updates a second are unreadable and burden slow terminals.
_SECONDS_BETWEEN = 0.1
_TELLING = 20
"""Number of files from which the rate is meaningful."""
_MINUTE = 60


class Progress:
    """A line that is redrawn and finally erased; silent if stderr is not a terminal."""

    def __init__(self, stream: IO[str] | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._begun: dict[str, float] = {}
        # A short run should not flicker: the first line appears after one interval.
        self._drawn, self._next = 0, clock() + _SECONDS_BETWEEN
        self._on = self._stream is not None and self._stream.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Draw the line, unless it was just drawn."""
        if not self._on:
            return
        now = self._clock()
        begun = self._begun.setdefault(stage, now)
        if now < self._next:
            return
        self._next = now + _SECONDS_BETWEEN
        line = f"satchel: {stage} {done:,}" + (f" of {total:,}" if total else "")
        line += _pace(done, total, now - begun)
        self._put(f"\r{line.ljust(self._drawn)}")
        self._drawn = len(line)

    def end(self) -> None:
        """Erase the line."""
        if self._drawn:
            self._put(f"\r{' ' * self._drawn}\r")
        self._drawn = 0

    def _put(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            self._on = False


def _pace(done: int, total: int, seconds: float) -> str:
    """Return `, 1,234 a second, 12 s left`; "" if too little is done to tell."""
    if done < _TELLING or seconds <= 0:
        return ""
    rate = done / seconds
    left = f", {_span((total - done) / rate)} left" if total > done else ""
    return f", {rate:,.0f} a second{left}"


def _span(seconds: float) -> str:
    """Return a time in seconds or minutes, rounded up."""
    whole = int(seconds) + 1
    return f"{whole} s" if whole < _MINUTE * 2 else f"{-(-whole // _MINUTE)} min"
