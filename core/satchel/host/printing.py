"""Keep stdout for the result: what a plugin prints goes to stderr, in its own threads only."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

_lock = threading.Lock()
_here = threading.local()


class GivenUpError(SystemExit):
    """Raised inside a thread that is over its deadline; a thread ends silently on SystemExit."""


class _Routed:
    """A stand-in for `sys.stdout` that is stderr to threads which run a plugin."""

    def __init__(self, outside: TextIO) -> None:
        self.outside = outside
        self.users = 0

    def __getattr__(self, name: str) -> Any:
        inside = getattr(_here, "inside", False) and sys.stderr is not None
        return getattr(sys.stderr if inside else self.outside, name)


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Route what this thread prints to stderr; other threads print where they did."""
    routed = _enter()
    before = getattr(_here, "inside", False)
    _here.inside = True
    given_up = False
    try:
        yield
    except GivenUpError:
        given_up = True
        raise
    finally:
        _here.inside = before
        _leave(routed, given_up=given_up)


def _enter() -> _Routed:
    with _lock:
        current: object = sys.stdout
        routed = current if isinstance(current, _Routed) else _Routed(sys.stdout)
        routed.users += 1
        sys.stdout = cast("TextIO", routed)
        return routed


def _leave(routed: _Routed, *, given_up: bool) -> None:
    """Put the stream back, also where the plugin replaced it; late leavers touch only their own."""
    with _lock:
        routed.users -= 1
        current: object = sys.stdout
        if current is routed or not given_up:
            sys.stdout = cast("TextIO", routed) if routed.users else routed.outside
