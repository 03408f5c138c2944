"""The strategies keep the contract that everybody's packers keep."""

from __future__ import annotations

from satchel.testing.contracts import PackerContract
from satchel_plugins.packers.compression import Compression
from satchel_plugins.packers.hybrid import Hybrid
from satchel_plugins.packers.recent import Recent
from satchel_plugins.packers.relevance import Relevance


class TestHybrid(PackerContract):
    plugin = Hybrid


class TestRelevance(PackerContract):
    plugin = Relevance


class TestRecent(PackerContract):
    plugin = Recent


class TestCompression(PackerContract):
    plugin = Compression
