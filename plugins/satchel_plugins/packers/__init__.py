"""Packing strategies: which option of each candidate goes in."""

from __future__ import annotations

from satchel.plugin_api import Later

PACKERS = (
    Later("hybrid", "satchel_plugins.packers.strategies:HybridPacker"),
    Later("relevance", "satchel_plugins.packers.strategies:RelevancePacker"),
    Later("recent", "satchel_plugins.packers.strategies:Recent"),
    Later("compression", "satchel_plugins.packers.strategies:Compression"),
)
"""Each is imported when something may need it."""
