"""Keep sessions in a sqlite file of a folder: `sqlite:///folder`, or the folder without a scheme."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import attrs

from satchel.plugin_api import Later, Store, open_store


@attrs.frozen
class Sqlite:
    """Opens the store in the sqlite file of a folder."""

    name: ClassVar[str] = "sqlite"
    schemes: ClassVar[frozenset[str]] = frozenset({"sqlite"})

    def open(self, address: str, *, create: bool) -> Store:
        """Open the store in the folder after `sqlite://`."""
        return open_store(Path(address.partition("://")[2]) / "sessions.sqlite", create=create)


SESSION_STORES = (Later("sqlite", "satchel_plugins.stores:Sqlite", frozenset({"sqlite"})),)
