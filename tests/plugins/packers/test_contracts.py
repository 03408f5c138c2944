"""The strategies keep the contract that everybody's packers keep."""

from __future__ import annotations

from satchel.testing.contracts import PackerContract
from satchel_plugins.packers.strategies import Compression, Hybrid, Recent, Relevance


class TestHybrid(PackerContract):
    plugin = Hybrid


class TestRelevance(PackerContract):
    plugin = Relevance


class TestRecent(PackerContract):
    plugin = Recent


class TestCompression(PackerContract):
    plugin = Compression
