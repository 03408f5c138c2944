"""Packing strategies: which option of each candidate goes in."""

from __future__ import annotations

from satchel_plugins.packers.compression import Compression
from satchel_plugins.packers.hybrid import Hybrid
from satchel_plugins.packers.recent import Recent
from satchel_plugins.packers.relevance import Relevance

PACKERS = (Hybrid, Relevance, Recent, Compression)

__all__ = ["PACKERS", "Compression", "Hybrid", "Recent", "Relevance"]
