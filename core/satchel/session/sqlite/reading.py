"""Reads rows of the sqlite store; each is compared with its seal, each body with its address."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from satchel.session.nodes import DamageError, Place, Row, digest, seal
from satchel.session.sqlite.failing import MENDING
from satchel.session.storing import Head, Known, Move, Segment

_COLUMNS = (
    "n.segment, n.position, n.parent, n.kind, n.at, n.digest, n.meta, n.flags, n.nth, n.prior, n.other, "
    "n.tally, n.seal"
)
_BODIES = {
    "": ("NULL", ""),
    "*": ("b.content", "LEFT JOIN bodies b ON b.id = n.body"),
}
_ONE_KIND = ("b.content", "LEFT JOIN bodies b ON b.id = n.body AND n.kind = :kind")

AT_START = "-"
"""What stands for the start, whose id is empty, in a list of nodes."""


class SqliteReading:
    """One moment of the store."""

    def __init__(self, connection: sqlite3.Connection, place: str) -> None:
        self._connection, self._place = connection, place

    def sessions(self) -> list[Known]:
        """Return all sessions, by name."""
        rows = self._all("SELECT number, name, origin, created, branch, seal FROM sessions ORDER BY name")
        return [Known(*self._sealed(row, f"session {row[1]!r}")) for row in rows]

    def session(self, name: str) -> Known | None:
        """Return a session."""
        rows = self._all(
            "SELECT number, name, origin, created, branch, seal FROM sessions WHERE name = ?", (name,)
        )
        return Known(*self._sealed(rows[0], f"session {name!r}")) if rows else None

    def segment(self, session: int, number: int) -> Segment:
        """Return a segment."""
        rows = self._all(
            "SELECT session, number, parent, fork, seal FROM segments WHERE session = ? AND number = ?",
            (session, number),
        )
        if not rows:
            raise self._damage(f"run {number} of nodes is missing")
        return Segment(*self._sealed(rows[0], f"run {number} of nodes")[1:])

    def last_segment(self, session: int) -> int:
        """Return the highest number of a segment."""
        rows = self._all("SELECT max(number) FROM segments WHERE session = ?", (session,))
        return int(rows[0][0] or 0)

    def row(self, known: Known, place: Place, *, content: bool = False) -> Row | None:
        """Return one node."""
        found = self.rows(known, place, place.position, content="*" if content else "", newest=False)
        return next(found, None)

    def rows(self, known: Known, first: Place, last: int, *, content: str, newest: bool) -> Iterator[Row]:
        """Yield nodes of a segment, in order or the newest first."""
        column, join = _BODIES.get(content, _ONE_KIND)
        cursor = self._connection.execute(
            f"SELECT {_COLUMNS}, {column} FROM nodes n {join} WHERE n.session = :session "  # noqa: S608
            "AND n.segment = :segment AND n.position BETWEEN :first AND :last "
            f"ORDER BY n.position {'DESC' if newest else 'ASC'}",
            {
                "session": known.number,
                "segment": first.segment,
                "first": first.position,
                "last": last,
                "kind": content,
            },
        )
        for fields in cursor:
            row = Row(*fields)
            self._check(known, row, with_body=content in ("*", row.kind))
            yield row

    def heads(self, session: int, role: str) -> list[Head]:
        """Return branches or checkpoints, oldest first."""
        return self._heads("session = ? AND role = ? ORDER BY at, name", (session, role))

    def head(self, session: int, role: str, name: str) -> Head | None:
        """Return one of them."""
        found = self._heads("session = ? AND role = ? AND name = ?", (session, role, name))
        return found[0] if found else None

    def moves(self, session: int, last: int) -> list[Move]:
        """Return the newest moves, oldest first."""
        rows = self._all(
            "SELECT session, number, at, what, branch, before, after, seal FROM moves "
            "WHERE session = ? ORDER BY number DESC LIMIT ?",
            (session, last),
        )
        return [Move(*self._sealed(row, f"move {row[1]}")[1:]) for row in reversed(rows)]

    def _heads(self, where: str, values: Sequence[object]) -> list[Head]:
        rows = self._all(
            "SELECT session, role, name, node, at, home, since, redo, seal FROM heads "  # noqa: S608
            f"WHERE {where}",
            values,
        )
        checked = [self._sealed(row, f"{row[1]} {row[2]!r}")[1:] for row in rows]
        return [Head._make([*row[:6], _nodes(row[6])]) for row in checked]

    def _all(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, values).fetchall()

    def _sealed(self, row: tuple[Any, ...], name: str) -> tuple[Any, ...]:
        """Return a row without its seal, compared with it."""
        if row[-1] != seal(*row[:-1]):
            raise self._damage(f"{name} is not as it was written")
        return row[:-1]

    def _check(self, known: Known, row: Row, *, with_body: bool) -> None:
        whole = row.check == seal(known.origin, *row[:12])
        if whole and with_body:
            whole = isinstance(row.content, bytes) and digest(row.content) == row.digest
        if not whole:
            raise self._damage(f"session {known.name!r}: {row.kind} {row.id} is not as it was written")

    def _damage(self, what: str) -> DamageError:
        return DamageError(self._place, f"{what}: the file is damaged; {MENDING}")


def _nodes(text: str) -> tuple[str, ...]:
    """Return the ids of a list."""
    return tuple("" if node == AT_START else node for node in text.split())
