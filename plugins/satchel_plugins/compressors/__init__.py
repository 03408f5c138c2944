"""The built-in compressors."""

from __future__ import annotations

from satchel.plugin_api import Later

COMPRESSORS = (
    Later("delete", "satchel_plugins.compressors.strategies:Delete"),
    Later("hybrid", "satchel_plugins.compressors.strategies:HybridCompressor"),
    Later("mask", "satchel_plugins.compressors.strategies:Mask"),
    Later("summarize", "satchel_plugins.compressors.strategies:Summarize"),
    Later("truncate", "satchel_plugins.compressors.strategies:Truncate"),
)
"""Each is imported when something may need it."""
