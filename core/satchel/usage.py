"""Usage: how much it still counts that an item was used, from how often and how long ago.

Pure arithmetic. The clock comes in as an argument, nothing decays by being looked at, and what is
stored changes only when an item is used again.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import attrs

HALF_LIFE_SECONDS = 1_800.0
"""Half an hour: about as long as one piece of work in a session."""
FLOOR = 0.1
"""What was used once in a session never counts less, so that it still beats what was never used."""
ONCE = 0.5
"""What one use counts at once; the other half is earned by using it often."""
OFTEN = 20
"""Uses from which on more of them add nothing: a hundred must not swamp all else."""
MOST_KEPT = 200
"""Items whose usage a session remembers."""


@attrs.frozen
class Usage:
    """How often an item was used, and when last, in seconds of the session's clock."""

    count: int
    last_seconds: float


def touch(usage: Usage | None, now: float) -> Usage:
    """Return the usage after one more use at `now`, in seconds; a clock that went back changes no time."""
    if usage is None:
        return Usage(1, now)
    return Usage(usage.count + 1, max(usage.last_seconds, now))


def decayed(usage: Usage, now: float, half_life_seconds: float = HALF_LIFE_SECONDS) -> float:
    """Return what the usage counts at `now`: from `FLOOR` to 1, 0 where there was no use.

    It halves with every half-life since the last use and grows with the logarithm of the count. A
    half-life that isn't above 0 means the default.
    """
    return max(FLOOR, _strength(usage, now, half_life_seconds)) if usage.count > 0 else 0.0


def standings(
    usages: Mapping[str, Usage],
    now: float,
    *,
    half_life_seconds: float = HALF_LIFE_SECONDS,
    pins: Collection[str] = (),
) -> dict[str, float]:
    """Return what each item's usage counts at `now`, 0..1; pinned items don't decay and count 1."""
    counted = {id_: decayed(usage, now, half_life_seconds) for id_, usage in usages.items()}
    return counted | dict.fromkeys(pins, 1.0)


def trimmed(
    usages: Mapping[str, Usage],
    now: float,
    *,
    half_life_seconds: float = HALF_LIFE_SECONDS,
    pins: Collection[str] = (),
    most: int = MOST_KEPT,
) -> dict[str, Usage]:
    """Return all pinned usages and the strongest others, `most` in all, in the order that they came in.

    The floor does not count here, or nothing would ever go. Ties: the newer, then by id.
    """
    ranked = sorted(
        usages,
        key=lambda id_: (
            id_ not in pins,
            -_strength(usages[id_], now, half_life_seconds),
            -usages[id_].last_seconds,
            id_,
        ),
    )
    kept = {id_ for place, id_ in enumerate(ranked) if place < most or id_ in pins}
    return {id_: usage for id_, usage in usages.items() if id_ in kept}


def _strength(usage: Usage, now: float, half_life_seconds: float) -> float:
    """Return 0..1 without the floor."""
    if usage.count <= 0:
        return 0.0
    half_life = half_life_seconds if half_life_seconds > 0 else HALF_LIFE_SECONDS
    age = max(0.0, now - usage.last_seconds)
    often = min(1.0, math.log(usage.count) / math.log(OFTEN))
    return float((ONCE + (1 - ONCE) * often) * 0.5 ** (age / half_life))
