"""Tell observers what happened in a run: the plugins, the caller, and a file of JSON Lines."""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.errors import SatchelError
from satchel.host import Host, Kind
from satchel.host.calling import Call
from satchel.paths import absolute

if TYPE_CHECKING:
    from satchel.events import Event
    from satchel.interfaces import Observer


_WRITE = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
"""A pipe that nobody reads is an error, and nothing to wait for."""


def announce(
    host: Host | None, events: Sequence[Event], observe: Callable[[Event], None] | None = None
) -> None:
    """Hand the events to the caller's own function, and to the observers of the host."""
    if observe is not None:
        _observe(observe, events)
    if host is not None and events and host.loaded(Kind.OBSERVER):
        tell(host, events)


def tell(host: Host, events: Sequence[Event]) -> None:
    """Hand copies of the events to every observer, in order; one that fails misses the rest of its events."""
    observers = host.make_all(Kind.OBSERVER, {})
    host.calls.call_all(
        [
            Call(loaded, partial(_observe, observer), (tuple(map(copy.copy, events)),), "observe", lend=False)
            for loaded, observer in observers
        ]
    )


def _observe(observer: Observer, events: Sequence[Event]) -> None:
    for event in events:
        observer(event)


class EventFile:
    """Writes events into a file, one JSON object a line; several processes may write to the same one.

    Args:
        path: the file; what it holds stays.
        clock: seconds since the epoch.

    Raises:
        SatchelError: the file can't be written.
    """

    def __init__(self, path: str | Path, *, clock: Callable[[], float] = time.time) -> None:
        self.path, self._clock = absolute(path), clock
        self._write(b"")

    def __call__(self, event: Event) -> None:
        """Write one event."""
        from satchel.view.events import event_line

        self._write(event_line(event, at=self._clock()).encode("utf-8", "replace"))

    def _write(self, line: bytes) -> None:
        try:
            number = os.open(self.path, _WRITE, 0o600)
            try:
                if hasattr(os, "set_blocking"):
                    os.set_blocking(number, True)
                os.write(number, line)
            finally:
                os.close(number)
        except OSError as error:
            raise SatchelError(
                f"{self.path}: events can't be written: {error.strerror}; name another file with --events"
            ) from error
