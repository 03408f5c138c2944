"""Packing strategies: which option of each candidate goes in."""

from __future__ import annotations

from satchel import Later

PACKERS = (
    Later("hybrid", "satchel_plugins.packers.hybrid:Hybrid"),
    Later("relevance", "satchel_plugins.packers.relevance:Relevance"),
    Later("recent", "satchel_plugins.packers.recent:Recent"),
    Later("compression", "satchel_plugins.packers.compression:Compression"),
)
"""Each is imported when something may need it."""
