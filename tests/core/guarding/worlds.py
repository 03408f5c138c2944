"""A model, its conversation and the memory beside it, as a guard's caller has them."""

from __future__ import annotations

import attrs

from satchel.guarding import Actions, Guard, Limits, Reading
from satchel.guarding.gauges import PressureLevel, cells_level, memory_level

PER_TOKEN = 1 << 17
MARGIN = 512 << 20


@attrs.define
class World:
    """What the guard reads and changes; time goes on by hand."""

    used: int = 1_000
    window: int = 32_768
    free: int = 4 << 30
    now: float = 0.0
    whole: bool = True
    """Whether snapshots can be verified."""
    floor: int = 500
    """Tokens of the promised parts: nothing compacts below that."""
    done: list[str] = attrs.field(factory=list)

    def reading(self) -> Reading:
        return Reading(self.used, self.window, self.free)

    def levels(self) -> tuple[PressureLevel, PressureLevel]:
        limits = Limits(margin_bytes=MARGIN)
        return cells_level(self.reading(), limits), memory_level(self.reading(), limits)

    def compact(self, target: int, summaries: bool) -> int:
        self.done.append(f"compact summaries={summaries}")
        self.used = min(self.used, max(target, self.floor))
        return self.used

    def keep_promised(self) -> int:
        self.done.append("keep promised")
        self.used = min(self.used, self.floor)
        return self.used

    def snapshot(self) -> bool:
        self.done.append("snapshot")
        return self.whole

    def reload(self, window: int) -> None:
        self.done.append(f"reload {window}")
        self.free += (self.window - window) * PER_TOKEN
        self.window = window

    def unload(self) -> None:
        self.done.append("unload")
        self.free += self.window * PER_TOKEN

    def guard(self, **limits: float) -> Guard:
        actions = Actions(
            compact=self.compact,
            keep_promised=self.keep_promised,
            snapshot=self.snapshot,
            reload=self.reload,
            unload=self.unload,
        )
        return Guard(actions, Limits(margin_bytes=MARGIN, **limits), PER_TOKEN, lambda: self.now)  # type: ignore[arg-type]
