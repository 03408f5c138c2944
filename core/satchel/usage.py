"""Weigh the usage of items by how often and how long ago they were used.

Pure arithmetic: the clock is an argument, reading changes nothing, and stored values change only when an
item is used again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import attrs

HALF_LIFE_SECONDS = 1_800.0
"""Half an hour: about as long as one piece of work in a session."""
FLOOR = 0.1
"""Least weight of an item used in the session, so that it still beats unused ones."""
ONCE = 0.5
"""Weight of a single use; the other half comes from frequent use."""
OFTEN = 20
"""Number of uses beyond which more add nothing, so that a hundred do not dominate."""
MOST_KEPT = 200
"""Most items whose usage a session stores."""


@attrs.frozen
class ItemUsage:
    """How often an item was used, and when last, in seconds of the session's clock."""

    count: int
    last_seconds: float


def touch(usage: ItemUsage | None, now: float) -> ItemUsage:
    """Return the usage after one more use at `now`, in seconds; a clock that went back is ignored."""
    if usage is None:
        return ItemUsage(1, now)
    return ItemUsage(usage.count + 1, max(usage.last_seconds, now))


def weigh_usage(usage: ItemUsage, now: float, half_life_seconds: float = HALF_LIFE_SECONDS) -> float:
    """Return the weight of a usage at `now`: from `FLOOR` to 1, or 0 without use.

    It halves with every half-life since the last use and grows with the logarithm of the count. A
    half-life of 0 or less means the default.
    """
    return max(FLOOR, _strength(usage, now, half_life_seconds)) if usage.count > 0 else 0.0


def weigh_usages(
    usages: Mapping[str, ItemUsage], now: float, *, half_life_seconds: float
) -> dict[str, float]:
    """Return the weight of each item's usage at `now`, 0..1."""
    return {id_: weigh_usage(usage, now, half_life_seconds) for id_, usage in usages.items()}


def trim_usages(
    usages: Mapping[str, ItemUsage], now: float, *, half_life_seconds: float, most: int = MOST_KEPT
) -> dict[str, ItemUsage]:
    """Return the strongest usages, `most` in total, in their original order.

    The floor is ignored here, or nothing would ever be removed. Ties: the newer, then by id.
    """

    def rank(id_: str) -> tuple[float, float, str]:
        return -_strength(usages[id_], now, half_life_seconds), -usages[id_].last_seconds, id_

    kept = frozenset(sorted(usages, key=rank)[:most])
    return {id_: usage for id_, usage in usages.items() if id_ in kept}


def _strength(usage: ItemUsage, now: float, half_life_seconds: float) -> float:
    """Return the weight, 0..1, without the floor."""
    if usage.count <= 0:
        return 0.0
    half_life = half_life_seconds if half_life_seconds > 0 else HALF_LIFE_SECONDS
    age = max(0.0, now - usage.last_seconds)
    often = min(1.0, math.log(usage.count) / math.log(OFTEN))
    return float((ONCE + (1 - ONCE) * often) * 0.5 ** (age / half_life))
