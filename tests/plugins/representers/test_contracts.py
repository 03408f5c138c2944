from __future__ import annotations

from satchel.testing.contracts import RepresenterContract
from satchel_plugins.representers import REPRESENTERS

CLASSES = [later.load() for later in REPRESENTERS]

for plugin in CLASSES:
    globals()[f"Test{plugin.__name__}"] = type(plugin.__name__, (RepresenterContract,), {"plugin": plugin})
