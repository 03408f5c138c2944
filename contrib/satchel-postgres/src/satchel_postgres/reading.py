"""One moment of a store in a database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, LiteralString

import psycopg
from satchel.plugin_api import DamageError, Head, Known, Move, NodePlace, Row, Segment, digest, seal

AT_START = "-"
"""What stands for the start, whose id is empty, in a list of nodes."""
_FIRST_PAGE, _LARGEST_PAGE = 16, 1_024
MENDING = "satchel session restore repairs it from a snapshot"

_SESSIONS: LiteralString = "SELECT number, name, origin, created, branch, seal FROM satchel_sessions"
_HEADS: LiteralString = "SELECT session, role, name, node, at, home, since, redo, seal FROM satchel_heads"
_COLUMNS: LiteralString = (
    "n.segment, n.position, n.parent, n.kind, n.at, n.digest, n.meta, n.flags, n.nth, n.prior, n.other, "
    "n.tally, n.seal"
)
_JOIN: LiteralString = "LEFT JOIN satchel_bodies b ON b.session = n.session AND b.digest = n.digest"
_FROM: LiteralString = ", b.content FROM satchel_nodes n "
_WHERE: LiteralString = (
    " AND %(kind)s IN ('*', n.kind) WHERE n.session = %(session)s AND n.segment = %(segment)s "
    "AND n.position BETWEEN %(first)s AND %(last)s "
)
_NODES: LiteralString = "SELECT " + _COLUMNS + _FROM + _JOIN + _WHERE
_PAGES: dict[bool, LiteralString] = {
    True: _NODES + "ORDER BY n.position DESC LIMIT %(page)s",
    False: _NODES + "ORDER BY n.position LIMIT %(page)s",
}


class PostgresReading:
    """A moment that no writer changes: all its queries are answered from one snapshot of the server."""

    def __init__(self, connection: psycopg.Connection, place: str) -> None:
        self._connection, self._place = connection, place
        self._seals: dict[tuple[int, str, str], str] = {}
        """Of the heads that were read in this moment."""

    def sessions(self) -> list[Known]:
        """Return all sessions, by name."""
        rows = self._all(None, _SESSIONS + ' ORDER BY name COLLATE "C"')
        return [Known(*self._check_seal(row, f"session {row[1]!r}")) for row in rows]

    def session(self, name: str) -> Known | None:
        """Return a session."""
        rows = self._all(None, _SESSIONS + " WHERE name = %s", (name,))
        return Known(*self._check_seal(rows[0], f"session {name!r}")) if rows else None

    def segment(self, session: int, number: int) -> Segment:
        """Return a segment."""
        rows = self._all(
            session,
            "SELECT session, number, parent, fork, seal FROM satchel_segments "
            "WHERE session = %s AND number = %s",
            (session, number),
        )
        if not rows:
            raise self._damage(f"run {number} of nodes is missing")
        return Segment(*self._check_seal(rows[0], f"run {number} of nodes")[1:])

    def last_segment(self, session: int) -> int:
        """Return the highest number of a segment."""
        query: LiteralString = "SELECT max(number) FROM satchel_segments WHERE session = %s"
        return int(self._all(session, query, (session,))[0][0] or 0)

    def row(self, known: Known, place: NodePlace, *, content: bool = False) -> Row | None:
        """Return one node."""
        found = self.rows(known, place, place.position, content="*" if content else "", newest=False)
        return next(found, None)

    def rows(self, known: Known, first: NodePlace, last: int, *, content: str, newest: bool) -> Iterator[Row]:
        """Yield nodes of a segment, in order or the newest first, a page at a time."""
        low, high, page = first.position, last, _FIRST_PAGE
        while low <= high:
            values = {
                "session": known.number,
                "segment": first.segment,
                "first": low,
                "last": high,
                "kind": content,
                "page": page,
            }
            found = self._all(known.number, _PAGES[newest], values)
            for fields in found:
                row = Row._make([*fields[:6], _text(fields[6]), *fields[7:]])
                self._check(known, row, with_body=content in ("*", row.kind))
                yield row
            if len(found) < page:
                return
            low, high = (low, found[-1][1] - 1) if newest else (found[-1][1] + 1, high)
            page = min(4 * page, _LARGEST_PAGE)

    def heads(self, session: int, role: str) -> list[Head]:
        """Return branches or checkpoints, oldest first."""
        query: LiteralString = _HEADS + ' WHERE session = %s AND role = %s ORDER BY at, name COLLATE "C"'
        return self._heads(session, query, (session, role))

    def head(self, session: int, role: str, name: str) -> Head | None:
        """Return one of them."""
        query: LiteralString = _HEADS + " WHERE session = %s AND role = %s AND name = %s"
        return next(iter(self._heads(session, query, (session, role, name))), None)

    def moves(self, session: int, last: int) -> list[Move]:
        """Return the newest moves, oldest first."""
        rows = self._all(
            session,
            "SELECT session, number, at, what, branch, before, after, seal FROM satchel_moves "
            "WHERE session = %s ORDER BY number DESC LIMIT %s",
            (session, last),
        )
        return [Move(*self._check_seal(row, f"move {row[1]}")[1:]) for row in reversed(rows)]

    def _heads(self, session: int, query: LiteralString, values: Sequence[object]) -> list[Head]:
        rows = self._all(session, query, values)
        found = []
        for row in rows:
            fields = self._check_seal(row, f"{row[1]} {row[2]!r}")
            self._seals[row[0], row[1], row[2]] = row[-1]
            redo = tuple("" if node == AT_START else node for node in fields[7].split())
            found.append(Head._make([*fields[1:7], redo]))
        return found

    def _all(self, session: int | None, query: LiteralString, values: Any = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query about a session, or about all of them."""
        return self._connection.execute(query, values).fetchall()

    def _check_seal(self, row: tuple[Any, ...], name: str) -> tuple[Any, ...]:
        if row[-1] != seal(*row[:-1]):
            raise self._damage(f"{name} is not as it was written")
        return row[:-1]

    def _check(self, known: Known, row: Row, *, with_body: bool) -> None:
        whole = row.check == row.seal(known.origin).check
        if whole and with_body:
            whole = isinstance(row.content, bytes) and digest(row.content) == row.digest
        if not whole:
            raise self._damage(f"session {known.name!r}: {row.kind} {row.id} is not as it was written")

    def _damage(self, what: str) -> DamageError:
        return DamageError(self._place, f"{what}: the database is damaged; {MENDING}")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")
