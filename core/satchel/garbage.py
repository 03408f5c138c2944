"""Pause the garbage collector where very many objects are made that stand in no cycle."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Keep the collector from looking at millions of objects; it goes on where it was on before.

    What is paused is the search for cycles: all else is freed as ever. No plugin that may wait for a
    model should be called within.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
