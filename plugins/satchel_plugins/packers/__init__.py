"""Packing strategies: which option of each candidate goes in."""

from __future__ import annotations

from satchel.plugin_api import Later, import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel_plugins.packers.strategies import Compression as Compression
    from satchel_plugins.packers.strategies import HybridPacker as HybridPacker
    from satchel_plugins.packers.strategies import Recent as Recent
    from satchel_plugins.packers.strategies import RelevancePacker as RelevancePacker

PACKERS = (
    Later("hybrid", "satchel_plugins.packers.strategies:HybridPacker"),
    Later("relevance", "satchel_plugins.packers.strategies:RelevancePacker"),
    Later("recent", "satchel_plugins.packers.strategies:Recent"),
    Later("compression", "satchel_plugins.packers.strategies:Compression"),
)
"""Each is imported when it may be needed."""

__getattr__ = import_on_first_use(__name__, __file__)
