"""Walks the chain of nodes up to a head, through its segments, and appends new nodes."""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from satchel.session.nodes import (
    MESSAGE,
    START,
    DamageError,
    Node,
    NodePlace,
    Row,
    decode,
    digest,
    encode,
    flags_of,
    place_of,
)
from satchel.session.store import Known, Segment, StoreReader, StoreWriter


class NodeDraft(NamedTuple):
    """The content of a node that does not exist yet."""

    kind: str
    body: Any
    meta: Mapping[str, Any]
    at: float


class Chain:
    """The nodes up to a head, at one moment of a store.

    Args:
        store: the moment.
        known: the session.
        head: id of the newest node, "" for no node.

    Raises:
        DamageError: the node is missing or damaged.
    """

    def __init__(self, store: StoreReader, known: Known, head: str) -> None:
        self._store, self._known = store, known
        self.head = head
        self.place = place_of(head) if head else START
        self._runs = [self._first_run()]
        self._forks = [-self._runs[0][0].fork]
        """Beginnings of the runs, negated: they fall from run to run, and a search needs rising values."""

    def _first_run(self) -> tuple[Segment, int]:
        number, position = self.place
        segment = self._store.segment(self._known.number, number) if number else Segment(0, 0, 0)
        return segment, position

    def runs(self) -> Iterator[tuple[Segment, int]]:
        """Yield segments and the last position of each that belongs to the chain, the newest first."""
        at = 0
        while at < len(self._runs) or self._one_more():
            segment, position = self._runs[at]
            if position > segment.fork:
                yield segment, position
            at += 1

    def _one_more(self) -> bool:
        """Find the run before the known ones; return whether there is one."""
        last = self._runs[-1][0]
        if not last.fork or not last.parent:
            return False
        parent = self._store.segment(self._known.number, last.parent)
        if parent.number >= last.number or parent.fork > last.fork:
            raise self._make_damage_error(last.fork)
        self._runs.append((parent, last.fork))
        self._forks.append(-parent.fork)
        return True

    def _run_at(self, position: int) -> Segment | None:
        """Return the segment that holds a position of the chain."""
        while -self._forks[-1] >= position and self._one_more():
            pass
        at = bisect_right(self._forks, -position)
        return self._runs[at][0] if at < len(self._runs) else None

    def newest(self, *, down_to: int = 0, content: str = "") -> Iterator[Row]:
        """Yield the nodes after position `down_to`, the newest first; a gap or a wrong parent is damage."""
        expected, child = self.place.position, self.head
        for first, position in self._runs_after(down_to):
            for row in self._store.rows(self._known, first, position, content=content, newest=True):
                if row.position != expected or row.id != child:
                    raise self._make_damage_error(expected)
                expected, child = row.position - 1, row.parent
                yield row
        if expected > down_to:
            raise self._make_damage_error(expected)

    def oldest(self, *, after: int = 0, content: str = "") -> Iterator[Row]:
        """Yield the nodes after a position, the oldest first."""
        expected, parent = after + 1, None
        for first, position in reversed(list(self._runs_after(after))):
            for row in self._store.rows(self._known, first, position, content=content, newest=False):
                if row.position != expected or (row.parent != parent and parent is not None):
                    raise self._make_damage_error(expected)
                expected, parent = row.position + 1, row.id
                yield row
        if expected <= self.place.position or (parent or self.head) != self.head:
            raise self._make_damage_error(expected)

    def _runs_after(self, after: int) -> Iterator[tuple[NodePlace, int]]:
        """Yield the first place and the last position of each run after a position, the newest first."""
        for segment, position in self.runs():
            yield NodePlace(segment.number, max(segment.fork, after) + 1), position
            if segment.fork <= after:
                return

    def row_at(self, position: int, *, content: bool = False) -> Row:
        """Return the node at a position of the chain; DamageError if it is missing."""
        segment = self._run_at(position) if 0 < position <= self.place.position else None
        if segment is not None:
            found = self._store.row(self._known, NodePlace(segment.number, position), content=content)
            if found is not None and (position != self.place.position or found.id == self.head):
                return found
        raise self._make_damage_error(position)

    def position_of(self, node_id: str) -> int | None:
        """Return the position of a node, None if the chain does not hold it; 0 for the start."""
        if not node_id:
            return 0
        place = place_of(node_id)
        for segment, last in self.runs():
            if segment.number == place.segment:
                held = segment.fork < place.position <= last
                return place.position if held and self.row_at(place.position).id == node_id else None
            if segment.fork < place.position:
                return None
        return None

    def last_of(self, kind: str) -> tuple[int, int]:
        """Return how many nodes of a kind there are, and the position of the newest; (0, 0) for none."""
        return self.tally().get(kind, (0, 0))

    def tally(self) -> dict[str, tuple[int, int]]:
        """Return count and newest position of each kind."""
        if not self.head:
            return {}
        top = self.row_at(self.place.position)
        if top.kind != MESSAGE:
            return _after(top)
        held = _after(self.row_at(top.other)) if top.other else {}
        return held | {MESSAGE: (top.nth, top.position)}

    def of_kind(self, kind: str, *, after: int = 0) -> Iterator[Row]:
        """Yield the nodes of a kind after a position, the newest first, each found through the next one."""
        nth, position = self.last_of(kind)
        while position > after:
            row = self.row_at(position, content=True)
            if row.kind != kind or row.nth != nth:
                raise self._make_damage_error(position)
            yield row
            nth, position = nth - 1, row.prior

    def _make_damage_error(self, position: int) -> DamageError:
        return DamageError(
            f"session {self._known.name!r}",
            f"node {position} of the chain to {self.head} is missing or damaged in the store; "
            "satchel session restore repairs it from a snapshot",
        )


def append(store: StoreWriter, known: Known, chain: Chain, drafts: list[NodeDraft]) -> list[Row]:
    """Put nodes after the head of a chain, in its segment or in a new one; return them."""
    place, parent, tally = _next_place(store, known, chain), chain.head, chain.tally()
    other = tally_newest(tally)
    last = chain.row_at(tally[MESSAGE][1]) if tally.get(MESSAGE, (0, 0))[1] else None
    rows: list[Row] = []
    for draft in drafts:
        content = encode(draft.body, f"the {draft.kind}")
        nth, prior = tally.get(draft.kind, (0, 0))
        is_message = draft.kind == MESSAGE
        held = {kind: list(where) for kind, where in tally.items() if kind != draft.kind}
        row = Row(
            *place,
            parent,
            draft.kind,
            float(draft.at) if math.isfinite(draft.at) else 0.0,
            digest(content),
            encode(draft.meta, "what is told beside it").decode("utf-8", "surrogatepass")
            if draft.meta
            else "",
            flags_of(draft.kind, draft.body, last),
            nth + 1,
            prior,
            other if is_message else 0,
            "" if is_message else json.dumps(held, separators=(",", ":")),
            content=content,
        ).seal(known.origin)
        store.put_row(known, row)
        rows.append(row)
        tally[draft.kind] = (row.nth, row.position)
        last, other = (row, other) if is_message else (last, row.position)
        place, parent = NodePlace(place.segment, place.position + 1), row.id
    return rows


def node_of(row: Row) -> Node:
    """Return a row, read with its body, as a node."""
    body = decode(row.content or b"null")
    return Node(row.id, row.parent, row.kind, row.at, body, meta_of(row))


def meta_of(row: Row) -> dict[str, Any]:
    """Return the metadata of a node."""
    meta: dict[str, Any] = json.loads(row.meta) if row.meta else {}
    return meta


def tally_newest(tally: Mapping[str, tuple[int, int]]) -> int:
    """Return the position of the newest node that is not a message, 0 for none."""
    return max((position for kind, (_, position) in tally.items() if kind != MESSAGE), default=0)


def _after(row: Row) -> dict[str, tuple[int, int]]:
    held = {kind: (int(count), int(position)) for kind, (count, position) in json.loads(row.tally).items()}
    return held | {row.kind: (row.nth, row.position)}


def _next_place(store: StoreWriter, known: Known, chain: Chain) -> NodePlace:
    """Return the place of the next node: after its parent, or in a new segment if that one went on."""
    place = NodePlace(chain.place.segment, chain.place.position + 1)
    if place.segment and store.row(known, place) is None:
        return place
    number = store.last_segment(known.number) + 1
    store.put_segment(known.number, Segment(number, *chain.place))
    return NodePlace(number, place.position)
