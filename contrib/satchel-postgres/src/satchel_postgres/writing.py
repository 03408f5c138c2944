"""A transaction of a store in a database, and the locks that let one write at a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, LiteralString

import psycopg
from satchel.plugin_api import Head, Known, Move, Row, Segment, StoreError, lazily, seal

from satchel_postgres.errors import AGAIN
from satchel_postgres.reading import AT_START, PostgresReading
from satchel_postgres.tables import LOCKS

CHANNEL = "satchel"
"""Where other processes are told the number of a session that was written."""
_BLOB = lazily(rb"\bblob[:/]([0-9a-f]{8,32})\b", re.ASCII)
"""How a text points to what the archive keeps: `blob:HASH` and `satchel://blob/HASH`."""


_TOGETHER = 500
_PUT_ROW: LiteralString = (
    "WITH body AS (INSERT INTO satchel_bodies AS held VALUES (%s, %s, %s) "
    "ON CONFLICT (session, digest) DO UPDATE SET content = EXCLUDED.content "
    "WHERE held.content <> EXCLUDED.content) "
    "INSERT INTO satchel_nodes VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) "
    "ON CONFLICT (session, segment, position) "
)
_KEPT: LiteralString = "DO NOTHING"
_MENDED: LiteralString = (
    "DO UPDATE SET parent = EXCLUDED.parent, kind = EXCLUDED.kind, at = EXCLUDED.at, "
    "digest = EXCLUDED.digest, meta = EXCLUDED.meta, flags = EXCLUDED.flags, nth = EXCLUDED.nth, "
    "prior = EXCLUDED.prior, other = EXCLUDED.other, tally = EXCLUDED.tally, seal = EXCLUDED.seal"
)


class PostgresWriting(PostgresReading):
    """A transaction: it begins with its first question, when it is known which session it is about.

    The lock comes before the transaction, so that its snapshot has all that was written by whoever held the
    lock before. A writer of one session locks that one; whoever makes sessions, or asks for all of them
    first, locks the store. The server gives the locks back where a connection breaks.
    """

    def __init__(self, connection: psycopg.Connection, place: str) -> None:
        super().__init__(connection, place)
        self._locked: int | None = None
        """The session that is locked, 0 for the whole store, None before the first question."""
        self._written: set[int] = set()
        self._waiting: list[tuple[int, Row]] = []
        self._last: tuple[int, Row] | None = None
        """The session and the node that were put last."""

    def put_session(self, known: Known) -> Known:
        """Keep a session, new or changed; return it with its number."""
        if known.number:
            fields = tuple(known)
            changed = self._change(
                known.number,
                "UPDATE satchel_sessions SET name = %s, origin = %s, created = %s, branch = %s, seal = %s "
                "WHERE number = %s",
                (*fields[1:], seal(*fields), known.number),
            )
            if not changed:
                raise StoreError(self._place, f"session {known.name!r} is gone")
            return known
        number = int(self._all(None, "SELECT nextval('satchel_numbers')")[0][0])
        known = known._replace(number=number)
        fields = tuple(known)
        self._change(
            0, "INSERT INTO satchel_sessions VALUES (%s, %s, %s, %s, %s, %s)", (*fields, seal(*fields))
        )
        self._written.add(number)
        return known

    def put_segment(self, session: int, segment: Segment) -> None:
        """Keep a new segment."""
        fields = (session, *segment)
        self._change(
            session,
            "INSERT INTO satchel_segments VALUES (%s, %s, %s, %s, %s) ON CONFLICT (session, number) "
            "DO UPDATE SET parent = EXCLUDED.parent, fork = EXCLUDED.fork, seal = EXCLUDED.seal",
            (*fields, seal(*fields)),
        )

    def put_row(self, known: Known, row: Row, *, mend: bool = False) -> None:
        """Keep a sealed node with its body; one that is there already is the same node or an error.

        Rows that follow each other are sent together, before the next question or the end.
        """
        self._claim(known.number)
        self._last = (known.number, row)
        if mend:
            self._send()
            self._connection.execute(_PUT_ROW + _MENDED, _list_values(known.number, row))
            self._put_needs([(known.number, row)])
            return
        self._waiting.append((known.number, row))
        if len(self._waiting) >= _TOGETHER:
            self._send()

    def _send(self) -> None:
        """Send the rows that wait."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        with self._connection.cursor() as cursor:
            cursor.executemany(_PUT_ROW + _KEPT, [_list_values(*one) for one in waiting])
            added = cursor.rowcount
        if added < len(waiting):
            for session, row in waiting:
                self._check_same(session, row)
        self._put_needs(waiting)

    def _check_same(self, session: int, row: Row) -> None:
        """Raise StoreError where another node stands in a node's place."""
        there = self._all(
            session,
            "SELECT seal FROM satchel_nodes WHERE session = %s AND segment = %s AND position = %s",
            (session, row.segment, row.position),
        )
        if not there or there[0][0] != row.check:
            raise StoreError(self._place, AGAIN)

    def _put_needs(self, rows: Sequence[tuple[int, Row]]) -> None:
        """Keep which texts of the archive some rows point to."""
        found = {(session, one) for session, row in rows for one in _BLOB.findall(row.content or b"")}
        for session, hash_ in sorted(found):
            self._connection.execute(
                "INSERT INTO satchel_needs VALUES (%s, %s) ON CONFLICT DO NOTHING",
                (session, hash_.decode("ascii")),
            )

    def is_kept(self, connection: psycopg.Connection) -> bool:
        """Tell whether another connection finds the node that was put last; True if none was."""
        if self._last is None:
            return True
        session, row = self._last
        found = connection.execute(
            "SELECT seal FROM satchel_nodes WHERE session = %s AND segment = %s AND position = %s",
            (session, row.segment, row.position),
        ).fetchone()
        return found is not None and found[0] == row.check

    def put_head(self, session: int, head: Head) -> None:
        """Keep a branch or a checkpoint: in place of the one that was read here, or as a new one."""
        fields = (session, *head[:6], " ".join(node or AT_START for node in head.redo))
        sealed, known = seal(*fields), (session, head.role, head.name)
        before = self._seals.get(known)
        if before is None:
            changed = self._change(
                session,
                "INSERT INTO satchel_heads VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) "
                "ON CONFLICT (session, role, name) DO UPDATE SET node = EXCLUDED.node, at = EXCLUDED.at, "
                "home = EXCLUDED.home, since = EXCLUDED.since, redo = EXCLUDED.redo, seal = EXCLUDED.seal",
                (*fields, sealed),
            )
        else:
            changed = self._change(
                session,
                "UPDATE satchel_heads SET node = %s, at = %s, home = %s, since = %s, redo = %s, seal = %s "
                "WHERE session = %s AND role = %s AND name = %s AND seal = %s",
                (*fields[3:], sealed, *known, before),
            )
        if not changed:
            raise StoreError(self._place, AGAIN)
        self._seals[known] = sealed

    def put_move(self, session: int, move: Move) -> None:
        """Add to the log."""
        last = self._all(session, "SELECT max(number) FROM satchel_moves WHERE session = %s", (session,))[0][
            0
        ]
        number = int(last or 0) + 1
        sealed = seal(session, number, *move[1:])
        self._change(
            session,
            "INSERT INTO satchel_moves VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
            (number, session, *move[1:], sealed),
        )

    def delete_session(self, session: int) -> None:
        """Remove a session with all its rows."""
        self._change(session, "DELETE FROM satchel_sessions WHERE number = %s", (session,))

    def prepare(self) -> str:
        """Tell other processes once this is durable; return the transaction's id, "" for nothing to do."""
        if self._locked is None:
            return ""
        self._send()
        query: LiteralString = "SELECT pg_current_xact_id()::text"
        for _ in self._written:
            query += ", pg_notify(%s, %s)"
        values = [value for number in sorted(self._written) for value in (CHANNEL, str(number))]
        return str(self._all(self._locked, query, values)[0][0])

    def _all(self, session: int | None, query: LiteralString, values: Any = ()) -> list[tuple[Any, ...]]:
        self._enter(session or 0)
        self._send()
        return super()._all(session, query, values)

    def _change(self, session: int, query: LiteralString, values: Any) -> int:
        """Run a statement that writes to a session; return how many rows it changed."""
        self._claim(session)
        self._send()
        return self._connection.execute(query, values).rowcount

    def _claim(self, session: int) -> None:
        """Be the one who writes to a session."""
        self._enter(session)
        if self._locked and session and session != self._locked and session not in self._written:
            self._lock_another(session)
        if session:
            self._written.add(session)

    def _lock_another(self, session: int) -> None:
        """Lock one more session, unless somebody has it; the server tells what they wrote meanwhile."""
        query: LiteralString = "SELECT pg_try_advisory_lock(%s, %s)"
        if not self._connection.execute(query, (LOCKS, session)).fetchall()[0][0]:
            raise StoreError(self._place, AGAIN)

    def _enter(self, session: int) -> None:
        """Lock and begin, at the first question."""
        if self._locked is not None:
            return
        if session:
            # two locks of one statement are taken in order: the store's is shared by the writers of sessions
            self._connection.execute(
                "SELECT pg_advisory_lock_shared(%s, 0), pg_advisory_lock(%s, %s)", (LOCKS, LOCKS, session)
            )
        else:
            self._connection.execute("SELECT pg_advisory_lock(%s, 0)", (LOCKS,))
        self._connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        self._locked = session


def unlock(connection: psycopg.Connection) -> None:
    """Give back the locks of a connection; where it broke, they went with it and what was kept stays kept."""
    try:
        connection.execute("SELECT pg_advisory_unlock_all()")
    except psycopg.Error:
        connection.close()


def _list_values(session: int, row: Row) -> list[Any]:
    """Return what `_PUT_ROW` asks for."""
    fields: list[Any] = [session, row.digest, row.content or b"", session, *row[:13]]
    fields[10] = row.meta.encode("utf-8", "surrogatepass")
    return fields
