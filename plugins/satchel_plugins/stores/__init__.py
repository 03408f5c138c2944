"""The stores of sessions, each imported when an address has its scheme."""

from __future__ import annotations

from satchel.plugin_api import Later

SESSION_STORES = (Later("sqlite", "satchel_plugins.stores.sqlite:Sqlite", frozenset({"sqlite"})),)
