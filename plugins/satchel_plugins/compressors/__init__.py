"""The built-in compressors."""

from __future__ import annotations

from satchel import Later

COMPRESSORS = (
    Later("delete", "satchel_plugins.compressors.delete:Delete"),
    Later("hybrid", "satchel_plugins.compressors.hybrid:Hybrid"),
    Later("mask", "satchel_plugins.compressors.mask:Mask"),
    Later("summarize", "satchel_plugins.compressors.summarize:Summarize"),
    Later("truncate", "satchel_plugins.compressors.truncate:Truncate"),
)
"""Each is imported when something may need it."""
