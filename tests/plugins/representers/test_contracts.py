from __future__ import annotations

from satchel.testing.contracts import RepresenterContract
from satchel_plugins.representers import REPRESENTERS

for plugin in REPRESENTERS:
    globals()[f"Test{plugin.__name__}"] = type(plugin.__name__, (RepresenterContract,), {"plugin": plugin})
