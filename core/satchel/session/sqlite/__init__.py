"""The store that comes with satchel: one sqlite file, write-ahead log, every commit on the disk."""

from __future__ import annotations

from satchel.session.sqlite.opening import is_there, open_store, store_file
from satchel.session.sqlite.store import SqliteStore

__all__ = ["SqliteStore", "is_there", "open_store", "store_file"]
