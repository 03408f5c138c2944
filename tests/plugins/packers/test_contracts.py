"""The strategies keep the contract that everybody's packers keep."""

from __future__ import annotations

from satchel.testing.contracts import PackerContract
from satchel_plugins.packers.strategies import Compression, HybridPacker, Recent, RelevancePacker


class TestHybrid(PackerContract):
    plugin = HybridPacker


class TestRelevance(PackerContract):
    plugin = RelevancePacker


class TestRecent(PackerContract):
    plugin = Recent


class TestCompression(PackerContract):
    plugin = Compression
