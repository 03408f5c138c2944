"""Two gauges that never trigger each other's column: cells used of a window, free memory against a margin.

An engine allocates weights, cache and compute buffers when it loads a model, so its memory does not
grow with the conversation: only other processes change what is free, and only the conversation
changes how many cells are used.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

import attrs

CELLS = "cells"
MEMORY = "memory"


class PressureLevel(enum.IntEnum):
    """How far a gauge has gone; each has one action in each column."""

    CALM = 0
    FIRST = 1
    """Cells: compact. Memory: tell."""
    SECOND = 2
    """Cells: compact to low water, no summaries. Memory: re-pack for a smaller window, then reload."""
    LAST = 3
    """Cells: verified snapshot, then the promised parts only. Memory: verified snapshot, then unload."""


@attrs.frozen
class Limits:
    """Where the levels begin."""

    cells: tuple[float, float, float] = (0.80, 0.90, 0.95)
    """Shares of the window."""
    margin_bytes: int = 512 << 20
    """Free memory that other processes and the driver's pools may take."""
    margins: tuple[float, float, float] = (1.0, 1 / 2, 1 / 8)
    """Shares of the margin, below which each level of memory begins."""
    low_water: float = 0.60
    """Share of the window that a compaction to low water leaves."""
    cooldown_seconds: float = 30.0
    """How long a level stays silent after it was told, so that flapping memory fires once."""
    least_window: int = 2_048
    """Tokens below which no reload is asked for."""


class Reading(NamedTuple):
    """What was read at one moment; None where the source does not tell."""

    used: int | None = None
    """Tokens in the window, those about to be sent counted in."""
    window: int | None = None
    """Tokens that the window holds."""
    free_bytes: int | None = None
    """Free memory of the fullest device."""


def cells_level(reading: Reading, limits: Limits) -> PressureLevel:
    """Return the level of the cells gauge, calm where cells are not told."""
    if reading.used is None or not reading.window or reading.window < 0:
        return PressureLevel.CALM
    return PressureLevel(sum(reading.used >= share * reading.window for share in limits.cells))


def memory_level(reading: Reading, limits: Limits) -> PressureLevel:
    """Return the level of the memory gauge, calm where memory is not told."""
    free = reading.free_bytes
    if free is None:
        return PressureLevel.CALM
    return PressureLevel(sum(free < share * limits.margin_bytes for share in limits.margins))


def smaller_window(reading: Reading, limits: Limits, *, bytes_per_token: float) -> int | None:
    """Return the window whose cache would leave the margin free, None where that is too small.

    Cells are allocated in steps of 256, as llama.cpp pads them; without a cache size per token, three
    quarters of the window are taken.
    """
    window, free = reading.window, reading.free_bytes
    if window is None or free is None:
        return None
    missing = max(0, limits.margin_bytes - free)
    wanted = window - missing / bytes_per_token if bytes_per_token > 0 else window * 3 / 4
    padded = min(int(wanted), window - 256) // 256 * 256
    return padded if padded >= limits.least_window else None
