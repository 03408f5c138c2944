"""A store in a dictionary: how little a store of one's own has to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from satchel.plugin_api import DamageError, Head, Known, Move, NodePlace, Row, Segment


class Moment:
    """Tables as dictionaries."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[Any, Any]] = {
            name: {} for name in ("sessions", "segments", "rows", "heads", "moves")
        }

    def sessions(self) -> list[Known]:
        return sorted(self.tables["sessions"].values(), key=lambda known: str(known.name))

    def session(self, name: str) -> Known | None:
        return self.tables["sessions"].get(name)

    def segment(self, session: int, number: int) -> Segment:
        if (session, number) not in self.tables["segments"]:
            raise DamageError("memory", "a segment is missing")
        found: Segment = self.tables["segments"][session, number]
        return found

    def last_segment(self, session: int) -> int:
        return max((number for of, number in self.tables["segments"] if of == session), default=0)

    def row(self, known: Known, place: NodePlace, *, content: bool = False) -> Row | None:
        return self.tables["rows"].get((known.number, *place))

    def rows(self, known: Known, first: NodePlace, last: int, *, content: str, newest: bool) -> Iterator[Row]:
        places = [NodePlace(first.segment, at) for at in range(first.position, last + 1)]
        found = (self.row(known, place) for place in (reversed(places) if newest else places))
        return (row for row in found if row is not None)

    def heads(self, session: int, role: str) -> list[Head]:
        return [head for key, head in self.tables["heads"].items() if key[:2] == (session, role)]

    def head(self, session: int, role: str, name: str) -> Head | None:
        return self.tables["heads"].get((session, role, name))

    def moves(self, session: int, last: int) -> list[Move]:
        return [move for key, move in self.tables["moves"].items() if key[0] == session][-last:]

    def put_session(self, known: Known) -> Known:
        kept = known._replace(number=known.number or len(self.tables["sessions"]) + 1)
        self.tables["sessions"][kept.name] = kept
        return kept

    def put_segment(self, session: int, segment: Segment) -> None:
        self.tables["segments"][session, segment.number] = segment

    def put_row(self, known: Known, row: Row, *, mend: bool = False) -> None:
        self.tables["rows"][known.number, row.segment, row.position] = row

    def put_head(self, session: int, head: Head) -> None:
        self.tables["heads"][session, head.role, head.name] = head

    def put_move(self, session: int, move: Move) -> None:
        self.tables["moves"][session, len(self.tables["moves"])] = move


class MemoryStore:
    """Keeps nothing; one thread."""

    place = "memory"

    def __init__(self) -> None:
        self.moment = Moment()

    @contextmanager
    def reading(self) -> Iterator[Moment]:
        yield self.moment

    @contextmanager
    def writing(self) -> Iterator[Moment]:
        held = deepcopy(self.moment.tables)
        try:
            yield self.moment
        except BaseException:
            self.moment.tables = held
            raise

    def close(self) -> None:
        """Nothing is held open."""
