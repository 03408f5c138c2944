"""Writes rows of the sqlite store, inside one transaction."""

from __future__ import annotations

from satchel.patterns import lazily
from satchel.session.nodes import Row, seal
from satchel.session.sqlite.reading import AT_START, SqliteReading
from satchel.session.storing import Head, Known, Move, Segment

_BLOB = lazily(rb"\bblob[:/]([0-9a-f]{8,32})\b")
"""How a text points to what the archive keeps: `blob:HASH` and `satchel://blob/HASH`."""


class SqliteWriting(SqliteReading):
    """A transaction of the store."""

    def put_session(self, known: Known) -> Known:
        """Keep a session, new or changed; return it with its number."""
        if not known.number:
            highest = self._all("SELECT max(number) FROM sessions")[0][0] or 0
            known = known._replace(number=highest + 1)
        self._put("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?)", known)
        return known

    def put_segment(self, session: int, segment: Segment) -> None:
        """Keep a new segment."""
        self._put("INSERT OR REPLACE INTO segments VALUES (?, ?, ?, ?, ?)", (session, *segment))

    def put_row(self, known: Known, row: Row, *, mend: bool = False) -> None:
        """Keep a sealed node with its body."""
        verb = "INSERT OR REPLACE" if mend else "INSERT"
        self._connection.execute(
            f"{verb} INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (known.number, *row[:13], self._body(row.digest, row.content or b"")),
        )

    def _body(self, address: bytes, content: bytes) -> int:
        """Return the number of a body; one that is there but damaged is written again."""
        found = self._all("SELECT id, content FROM bodies WHERE digest = ?", (address,))
        if found and found[0][1] != content:
            self._connection.execute("UPDATE bodies SET content = ? WHERE id = ?", (content, found[0][0]))
        if found:
            return int(found[0][0])
        self._connection.executemany(
            "INSERT OR IGNORE INTO blobs VALUES (?)",
            [(one.decode("ascii"),) for one in _BLOB.findall(content)],
        )
        added = self._connection.execute(
            "INSERT INTO bodies (digest, content) VALUES (?, ?)", (address, content)
        )
        return int(added.lastrowid or 0)

    def put_head(self, session: int, head: Head) -> None:
        """Keep a branch or a checkpoint."""
        fields = (session, *head[:6], " ".join(node or AT_START for node in head.redo))
        self._put("INSERT OR REPLACE INTO heads VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", fields)

    def put_move(self, session: int, move: Move) -> None:
        """Add to the log."""
        number = (self._all("SELECT max(number) FROM moves")[0][0] or 0) + 1
        at, what, branch, before, after = move[1:]
        sealed = seal(session, number, at, what, branch, before, after)
        self._connection.execute(
            "INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (number, session, at, what, branch, before, after, sealed),
        )

    def _put(self, query: str, fields: tuple[object, ...]) -> None:
        self._connection.execute(query, (*fields, seal(*fields)))
