"""Pause the garbage collector while many objects without cycles are created."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def pause_gc() -> Iterator[None]:
    """Pause garbage collection of millions of objects; resume it afterwards if it was on.

    Only the search for cycles is paused. Do not call plugins that may wait for a model inside.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
