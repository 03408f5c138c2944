"""Reads again and again; an error of a reading is told and the next one comes all the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from satchel.errors import Problem, SatchelError
from satchel.events import Event, PluginFailed
from satchel.guarding.acting import Guard
from satchel.guarding.gauges import Reading


def poll(
    read: Callable[[], Reading],
    guard: Guard,
    *,
    every_seconds: float = 5.0,
    rounds: int | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Event]:
    """Yield the events of each reading; `rounds` None goes on for ever.

    A reading that fails (SatchelError, OSError, ValueError) is a PluginFailed event, told once until a
    reading succeeds or fails in another way.
    """
    done, last = 0, ""
    while rounds is None or done < rounds:
        if done:
            sleep(every_seconds)
        done += 1
        try:
            reading = read()
        except (SatchelError, OSError, ValueError) as error:
            words = " ".join(str(error).split())
            if words != last:
                yield PluginFailed(Problem("guard", "probe", words))
            last = words
            continue
        last = ""
        yield from guard.observe(reading)
