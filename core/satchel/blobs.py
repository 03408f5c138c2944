"""Texts that are no files, kept in the index by their hash so that a pointer to one can be expanded."""

from __future__ import annotations

from collections.abc import Mapping
from sqlite3 import Connection

from satchel.workspace.store import Store

MOST = 2_000
"""Texts that are kept; the oldest go first."""


def keep(store: Store, texts: Mapping[str, str]) -> None:
    """Keep texts by hash; those that are known already become the newest."""

    def write(connection: Connection) -> None:
        (last,) = connection.execute("SELECT coalesce(max(age), 0) FROM blobs").fetchone()
        rows = [(hash_, text, last + place) for place, (hash_, text) in enumerate(texts.items(), start=1)]
        connection.executemany("INSERT OR REPLACE INTO blobs VALUES (?, ?, ?)", rows)
        connection.execute("DELETE FROM blobs WHERE age <= ?", (last + len(texts) - MOST,))

    if texts:
        store.remember(write)


def find(store: Store, hash_: str) -> str | None:
    """Return the text of a hash, None where it is not kept any more."""
    rows = store.rows("SELECT text FROM blobs WHERE hash = ?", (hash_,))
    return str(rows[0][0]) if rows else None
