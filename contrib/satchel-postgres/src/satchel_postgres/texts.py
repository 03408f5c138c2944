"""The archive's texts in a database, beside the sessions that point to them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

import psycopg
from satchel.plugin_api import Blob

from satchel_postgres.errors import explain_errors
from satchel_postgres.pool import Pool, share_pool
from satchel_postgres.tables import settle_version

_PAGE = 1_000


class PostgresBlobs:
    """Blobs in the table `satchel_texts`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @property
    def place(self) -> str:
        """Name the database, without a password."""
        return self._pool.place

    def put(self, key: str, content: bytes) -> None:
        """Keep the bytes under a key, in place of those that were there."""
        with self._asked() as connection:
            connection.execute(
                "INSERT INTO satchel_texts VALUES (%s, %s, %s) ON CONFLICT (key) DO UPDATE "
                "SET content = EXCLUDED.content, used = EXCLUDED.used",
                (key, content, time.time()),
            )

    def get(self, key: str) -> bytes | None:
        """Return the bytes of a key, None where there are none."""
        with self._asked() as connection:
            row = connection.execute("SELECT content FROM satchel_texts WHERE key = %s", [key]).fetchone()
        return bytes(row[0]) if row else None

    def touch(self, key: str) -> bool:
        """Make a blob the newest; return whether it is there."""
        with self._asked() as connection:
            query = "UPDATE satchel_texts SET used = %s WHERE key = %s"
            return connection.execute(query, (time.time(), key)).rowcount > 0

    def list(self, prefix: str = "") -> Iterator[Blob]:
        """Yield the blobs whose keys begin with a text, by key, a page at a time."""
        last = ""
        while True:
            with self._asked() as connection:
                rows = connection.execute(
                    "SELECT key, length(content), used FROM satchel_texts WHERE key > %s "
                    "AND starts_with(key, %s) AND key >= %s ORDER BY key LIMIT %s",
                    (last, prefix, prefix, _PAGE),
                ).fetchall()
            yield from (Blob(*row) for row in rows)
            if len(rows) < _PAGE:
                return
            last = rows[-1][0]

    def delete(self, key: str) -> None:
        """Remove a blob, where it is there."""
        with self._asked() as connection:
            connection.execute("DELETE FROM satchel_texts WHERE key = %s", [key])

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    @contextlib.contextmanager
    def _asked(self) -> Iterator[psycopg.Connection]:
        with explain_errors(self.place), self._pool.lend() as connection:
            yield connection


def open_texts(address: str, *, wait_seconds: float = 30.0) -> PostgresBlobs:
    """Open the texts in a database; the tables are made where they are missing.

    Raises:
        StoreError: the server can't be reached, or the tables are newer than this package.
    """
    pool = share_pool(address, connections=1, wait_seconds=wait_seconds)
    try:
        with explain_errors(pool.place), pool.lend() as connection:
            settle_version(connection, pool.place, create=True)
    except BaseException:
        pool.close()
        raise
    return PostgresBlobs(pool)
