"""The store of sessions in a database."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus
from satchel.plugin_api import Known, SessionSize, StoreError

from satchel_postgres.errors import LOST, describe_error, explain_errors, is_lost
from satchel_postgres.pool import Pool, share_pool
from satchel_postgres.reading import PostgresReading
from satchel_postgres.tables import STEPS, settle_version
from satchel_postgres.writing import CHANNEL, PostgresWriting, unlock

_PAUSE_SECONDS = 0.2
_UNKNOWN = (
    "the connection was lost while a message was being kept, and the server can't say whether it is; "
    "satchel session show --last 1 tells when it answers again"
)


class PostgresStore:
    """One database; threads and processes write to different sessions at the same time."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._closed = False

    @property
    def place(self) -> str:
        """Name the database, without a password."""
        return self._pool.place

    @contextlib.contextmanager
    def reading(self) -> Iterator[PostgresReading]:
        """Look at one moment of the store."""
        with explain_errors(self.place), self._begun() as connection:
            try:
                yield PostgresReading(connection, self.place)
            finally:
                _end(connection)

    @contextlib.contextmanager
    def writing(self) -> Iterator[PostgresWriting]:
        """Write; what was put is durable when this ends without an error, and gone when with one."""
        with explain_errors(self.place), self._sound() as connection:
            moment = PostgresWriting(connection, self.place)
            try:
                yield moment
                transaction = moment.prepare()
                if transaction:
                    self._commit(connection, transaction, moment)
            finally:
                _end(connection)
                unlock(connection)

    def sizes(self) -> list[SessionSize]:
        """Return what each session takes, by name."""
        with self.reading() as moment, explain_errors(self.place):
            rows = moment._all(None, _SIZES)
        return [SessionSize(*row) for row in rows]

    def delete(self, known: Known) -> None:
        """Remove a session for good; the texts that it pointed to are left to the archive."""
        with self.writing() as moment:
            moment.delete_session(known.number)

    def list_needed(self) -> set[str]:
        """Return the hashes of archived texts, some of them shortened, that the sessions name."""
        with self.reading() as moment, explain_errors(self.place):
            return {str(row[0]) for row in moment._all(None, "SELECT DISTINCT hash FROM satchel_needs")}

    def changes(self, *, seconds: float) -> Iterator[int]:
        """Yield the numbers of sessions as they are written by anybody, for so long."""
        until = time.monotonic() + seconds
        with explain_errors(self.place), contextlib.closing(self._pool.connect()) as connection:
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(CHANNEL)))
            while (left := until - time.monotonic()) > 0:
                for told in connection.notifies(timeout=left, stop_after=1):
                    yield int(told.payload)

    def close(self) -> None:
        """Close the connections, where no other store of this process uses them."""
        if not self._closed:
            self._closed = True
            self._pool.close()

    @contextlib.contextmanager
    def _begun(self) -> Iterator[psycopg.Connection]:
        """Lend a connection with a transaction that reads one moment."""
        with self._sound() as connection:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield connection

    @contextlib.contextmanager
    def _sound(self) -> Iterator[psycopg.Connection]:
        """Lend a connection that answers: idle ones may be of a server that has restarted since."""
        if self._closed:
            raise StoreError(self.place, "was closed")
        with contextlib.ExitStack() as stack:
            lent = stack.enter_context(self._pool.lend())
            if not _answers(lent):
                lent.close()
                stack.close()
                self._pool.drop_idle()
                lent = stack.enter_context(self._pool.lend())
            yield lent

    def _commit(self, connection: psycopg.Connection, transaction: str, moment: PostgresWriting) -> None:
        """Commit; where the connection breaks meanwhile, ask the server what became of it."""
        try:
            connection.execute("COMMIT")
        except psycopg.Error as error:
            if not is_lost(error, connection):
                raise
            if not self._was_committed(transaction, moment, error):
                raise StoreError(self.place, LOST) from error

    def _was_committed(self, transaction: str, moment: PostgresWriting, error: psycopg.Error) -> bool:
        """Ask the server what became of a transaction.

        After a crash it may give the number of a lost one to another, so what was put is looked for, too.
        """
        until = time.monotonic() + self._pool.wait_seconds
        while time.monotonic() < until:
            try:
                with contextlib.closing(self._pool.connect()) as fresh:
                    row = fresh.execute("SELECT pg_xact_status(%s::text::xid8)", [transaction]).fetchone()
                    is_there = moment.is_kept(fresh)
            except psycopg.Error as failed:
                raise StoreError(self.place, _UNKNOWN) from failed
            status = row[0] if row else None
            if status != "in progress":
                if status is None:
                    raise StoreError(self.place, _UNKNOWN) from error
                return bool(status == "committed") and is_there
            time.sleep(_PAUSE_SECONDS)
        raise StoreError(self.place, _UNKNOWN) from error


_SIZES = """
SELECT s.number, s.name, coalesce(n.nodes, 0), coalesce(n.bytes, 0) + coalesce(b.bytes, 0),
    coalesce(n.at, s.created)
FROM satchel_sessions s
LEFT JOIN (
    SELECT session, count(*) AS nodes, sum(pg_column_size(n.*))::bigint AS bytes, max(at) AS at
    FROM satchel_nodes n GROUP BY session
) n ON n.session = s.number
LEFT JOIN (
    SELECT session, sum(pg_column_size(content))::bigint AS bytes FROM satchel_bodies GROUP BY session
) b ON b.session = s.number
ORDER BY s.name COLLATE "C"
"""


def _answers(connection: psycopg.Connection) -> bool:
    """Tell whether a connection is alive; a look at the socket, no question to the server."""
    import select

    if connection.closed:
        return False
    # an idle connection has nothing to say, unless the server ended it
    readable, _, _ = select.select([connection.fileno()], [], [], 0)
    return not readable


def _end(connection: psycopg.Connection) -> None:
    if not connection.closed and connection.info.transaction_status != TransactionStatus.IDLE:
        with contextlib.suppress(psycopg.Error):
            connection.execute("ROLLBACK")


def open_store(
    address: str,
    *,
    create: bool = False,
    connections: int = 4,
    wait_seconds: float = 30.0,
    steps: Mapping[int, str] = STEPS,
) -> PostgresStore:
    """Open the store in a database.

    Args:
        address: like `postgresql://user@host:5432/database`; whatever libpq understands.
        create: whether missing tables are made.
        connections: the most of this process.
        wait_seconds: how long others, and a server that restarts, are waited for.
        steps: the way from older versions of the tables.

    Raises:
        NoStoreError: there are no tables, and none are to be made.
        StoreError: the server can't be reached, or the tables are newer than this package.
    """
    pool = share_pool(address, connections=connections, wait_seconds=wait_seconds)
    try:
        with explain_errors(pool.place), pool.lend() as connection:
            settle_version(connection, pool.place, create=create, steps=steps)
    except BaseException:
        pool.close()
        raise
    return PostgresStore(pool)


__all__ = ["PostgresStore", "describe_error", "open_store"]
