"""Decides actions from readings, executes them with the caller's functions, and reports every step.

No action leads to the next level: a smaller window is loaded only after the conversation was packed
small enough for it, and nothing is cleared or unloaded before a snapshot was verified.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import attrs

from satchel.config import Config
from satchel.errors import Problem, SatchelError
from satchel.events import Event, GuardActed, GuardRefused, PluginFailed, PressureChanged
from satchel.guarding.gauges import (
    CELLS,
    MEMORY,
    Limits,
    PressureLevel,
    Reading,
    cells_level,
    memory_level,
    smaller_window,
)

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.session.session import Session
    from satchel.session.window import WindowOptions


T = TypeVar("T")


@attrs.frozen
class Actions:
    """The caller's functions; an action that is None is reported as refused and left to a person."""

    compact: Callable[[int, bool], int] | None = None
    """Gets a target in tokens and whether summaries may be made; returns the tokens used afterwards."""
    keep_promised: Callable[[], int] | None = None
    """Keeps the promised parts only (system, pins, first and newest request); returns the tokens used."""
    snapshot: Callable[[], bool] | None = None
    """Takes a snapshot, reads it back, and returns whether it is intact."""
    reload: Callable[[int], None] | None = None
    """Loads the model with a window of this many tokens."""
    unload: Callable[[], None] | None = None
    """Frees the model's memory."""


@attrs.define
class Guard:
    """Watches one window; give it each reading as it comes."""

    actions: Actions = attrs.field(factory=Actions)
    limits: Limits = attrs.field(factory=Limits)
    bytes_per_token: float = 0.0
    """Cache bytes of a token, from `satchel size`; 0 if unknown."""
    clock: Callable[[], float] = time.monotonic
    _levels: dict[str, PressureLevel] = attrs.field(init=False, factory=dict)
    _told: dict[tuple[str, PressureLevel], float] = attrs.field(init=False, factory=dict)
    _settled: int = attrs.field(init=False, default=-1)
    """Tokens that the last compaction left; the next one needs more than that to be worth it."""

    def observe(self, reading: Reading) -> list[Event]:
        """Return the changes and actions; each level acts at most once a cooldown."""
        memory = self._memory(reading)
        return [*memory, *self._cells(_after(reading, memory))]

    def _cells(self, reading: Reading) -> list[Event]:
        level = cells_level(reading, self.limits)
        events = self._note_level(CELLS, level, reading.used, reading.window)
        used, window = reading.used, reading.window
        if level is PressureLevel.CALM or used is None or window is None or not self._has_grown(used):
            return events
        if not self._due(CELLS, level):
            return events
        if level is PressureLevel.LAST:
            return [*events, self._keep_promises(used)]
        target = int(self.limits.low_water * window)
        return [*events, self._compact(used, target, summaries=level is PressureLevel.FIRST)]

    def _has_grown(self, used: int) -> bool:
        """Return whether there is new content since the last compaction, or another conversation."""
        if used < self._settled * 0.95:
            self._settled = -1
        return used > self._settled

    def _memory(self, reading: Reading) -> list[Event]:
        level = memory_level(reading, self.limits)
        events = self._note_level(MEMORY, level, reading.free_bytes, self.limits.margin_bytes)
        if level <= PressureLevel.FIRST or not self._due(MEMORY, level):
            return events
        return [*events, *(self._shrunk(reading) if level is PressureLevel.SECOND else [self._unload()])]

    def _note_level(
        self, gauge: str, level: PressureLevel, value: int | None, limit: int | None
    ) -> list[Event]:
        before = self._levels.get(gauge, PressureLevel.CALM)
        self._levels[gauge] = level
        if level == before or value is None or limit is None or not self._due(f"{gauge} level", level):
            return []
        return [PressureChanged(gauge, before.name.lower(), level.name.lower(), value, limit)]

    def _due(self, gauge: str, level: PressureLevel) -> bool:
        """Return whether a level may act now, and remember that it did."""
        now = self.clock()
        last = self._told.get((gauge, level))
        if last is not None and 0 <= now - last < self.limits.cooldown_seconds:
            return False
        self._told[gauge, level] = now
        return True

    def _compact(self, used: int, target: int, *, summaries: bool) -> Event:
        compact = self.actions.compact
        if compact is None:
            return GuardRefused(CELLS, "compact", "no function to compact was given")
        return self._count_after("compact", used, lambda: compact(target, summaries))

    def _keep_promises(self, used: int) -> Event:
        keep = self.actions.keep_promised
        if keep is None:
            return GuardRefused(CELLS, "keep promised parts", "no function for it was given")
        if why := self._no_snapshot():
            return GuardRefused(CELLS, "keep promised parts", why)
        return self._count_after("keep promised parts", used, keep)

    def _count_after(self, action: str, used: int, act: Callable[[], int]) -> Event:
        left, why = _try_action(act)
        if left is None:
            return GuardRefused(CELLS, action, why)
        self._settled = max(0, left)
        return GuardActed(CELLS, action, used, left)

    def _shrunk(self, reading: Reading) -> list[Event]:
        """Pack for the smaller window first; reload only if that left room in it."""
        window = smaller_window(reading, self.limits, bytes_per_token=self.bytes_per_token)
        reload, used = self.actions.reload, reading.used
        if window is None or reload is None or used is None:
            why = "no smaller window is left" if window is None else "no function to reload was given"
            return [
                GuardRefused(MEMORY, "reload", why if used is not None else "the used tokens are unknown")
            ]
        target = int(self.limits.low_water * window)
        packed = [] if used <= target else [self._compact(used, target, summaries=False)]
        left = used if not packed else (packed[0].after if isinstance(packed[0], GuardActed) else used)
        if left >= self.limits.cells[0] * window:
            why = f"{left} tokens would fill {left / window:.0%} of a window of {window}"
            return [*packed, GuardRefused(MEMORY, "reload", why)]
        return [
            *packed,
            self._done("reload", lambda: reload(window), before=reading.window or 0, after=window),
        ]

    def _unload(self) -> Event:
        unload = self.actions.unload
        if unload is None:
            return GuardRefused(MEMORY, "unload", "no function to unload was given")
        if why := self._no_snapshot():
            return GuardRefused(MEMORY, "unload", why)
        return self._done("unload", unload, before=1, after=0)

    def _done(self, action: str, act: Callable[[], None], *, before: int, after: int) -> Event:
        failed = _try_action(act)[1]
        if failed:
            return GuardRefused(MEMORY, action, failed)
        return GuardActed(MEMORY, action, before, after)

    def _no_snapshot(self) -> str:
        """Take a snapshot; return why there is no verified one, "" if there is."""
        if self.actions.snapshot is None:
            return "no function to take a snapshot was given, nothing was cleared"
        whole, why = _try_action(self.actions.snapshot)
        if whole is True:
            return ""
        return f"the snapshot failed, nothing was cleared: {why or 'it could not be verified'}"


def _after(reading: Reading, events: Sequence[Event]) -> Reading:
    """Return the reading after the actions on memory."""
    for event in events:
        if isinstance(event, GuardActed) and event.action == "compact":
            reading = reading._replace(used=event.after)
        elif isinstance(event, GuardActed) and event.action == "reload":
            reading = reading._replace(window=event.after)
    return reading


def _try_action(act: Callable[[], T]) -> tuple[T | None, str]:
    """Return the result of the caller's function, or its failure: a guard survives its callbacks."""
    try:
        return act(), ""
    except Exception as error:
        return None, " ".join(f"{type(error).__name__}: {error}".split())


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


def actions_for(
    session: Session, options: WindowOptions, *, task: str = "", host: Host | None = None, keep: int = 5
) -> Actions:
    """Return the actions of a guard; the next window of the session is then the smaller one.

    Args:
        session: whose window is watched.
        options: of its window.
        task: what is being done; the newest user message by default.
        host: the plugins.
        keep: snapshots that stay.
    """
    from satchel.session.snapshots import before_emergency
    from satchel.session.window import window

    quick = (options.config or Config()).emergency_compressor
    last: list[int] = []

    def _compact(target: int, summaries: bool) -> int:  # noqa: FBT001 (the guard calls it so)
        chosen = options if summaries else attrs.evolve(options, compressor=quick)
        last[:] = [target]
        return window(session, task, budget=target, options=chosen, host=host).tokens

    def _keep_promised() -> int:
        chosen = attrs.evolve(options, promised_only=True, compressor=quick)
        return window(session, task, budget=last[0] if last else None, options=chosen, host=host).tokens

    return Actions(
        compact=_compact, keep_promised=_keep_promised, snapshot=before_emergency(session, keep=keep)
    )
