"""The page of a stored session: its current window, turns, branches, snapshots, compactions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from satchel.errors import SatchelError
from satchel.report.conversations import (
    Meter,
    Talk,
    Times,
    advise_talk,
    compare,
    compare_with,
    end_with,
    list_turns,
    read_talk,
)
from satchel.report.page import Comparison, Lane, Moment, Page, PageEntry, PageTurn, sum_sections
from satchel.session.nodes import COMPACTION, Node, is_id, place_of
from satchel.session.session import Session
from satchel.session.window.memory import WINDOW, WorkspaceBlock, compare_prefix, list_sent, recall
from satchel.spelling import agree, format_count

if TYPE_CHECKING:
    from satchel.report.opening import ReportRequest

_MOST_BRANCHES = 12
_MOST_COMPACTIONS = 40
_LAST_MOMENTS = 200


class _PastWindows(NamedTuple):
    """All messages of a branch, whether compacted or not."""

    nodes: Sequence[Node]
    talk: Talk
    times: Times
    positions: Sequence[int]
    """Position of each message on the chain of nodes."""
    turns: Sequence[int]
    """Turn of each message."""

    def turn_at(self, position: int) -> int:
        """Return the turn of a position on the chain, 0 before the first."""
        at = bisect_right(self.positions, position)
        return self.turns[at - 1] if at else 0


def page_of_session(asked: ReportRequest, meter: Meter) -> Page:
    """Return the page of the session that `asked.source` names; nothing is recorded in it.

    Raises:
        SessionError: there is no such session.
        SatchelError: it has no messages yet.
    """
    with Session.open(asked.source, store=asked.store, root=asked.root) as session:
        nodes = session.message_nodes()
        if not nodes:
            raise SatchelError(f"session {session.id!r} has no messages yet; satchel session add adds one")
        past = _read_past(nodes, meter)
        memory, problems = recall(session)
        compactions = session.happenings(COMPACTION, last=_MOST_COMPACTIONS)
        messages = list_sent(session, memory)
        now = read_talk(messages, meter) if memory.dialogue else past.talk
        made = compare_with(messages, now, asked, meter)
        compared = made or _compare_newest(compactions, past, meter)
        window = asked.window_of(meter)
        return Page(
            kind="session",
            title=f"Session {session.id}",
            entries=(*now.entries, *(entry for block in memory.blocks for entry in _list_block(block))),
            facts=(
                *meter.describe(),
                ("branch", session.branch_name),
                ("messages", f"{len(nodes):,} on this branch"),
                past.talk.count_turns(),
            ),
            unit=past.talk.unit,
            turns=end_with(_list_turns(session, past, compactions, meter), now),
            moments=tuple(_list_moments(session, past, compactions)),
            lanes=tuple(_list_lanes(session, past)),
            comparison=compared,
            advice=advise_talk(now, asked, window, meter, compared),
            problems=tuple(str(problem) for problem in problems),
        ).within(window)


def _read_past(nodes: Sequence[Node], meter: Meter) -> _PastWindows:
    times = Times([node.at for node in nodes], [node.meta.get("usage") for node in nodes])
    talk = read_talk([node.body for node in nodes], meter, times=times)
    turns = [0] * len(nodes)
    for one in talk.said:
        if 0 <= one.place < len(turns):
            turns[one.place] = max(1, one.turn)
    return _PastWindows(nodes, talk, times, [place_of(node.id).position for node in nodes], turns)


def _list_block(block: WorkspaceBlock) -> list[PageEntry]:
    """Return the items of a block of the workspace, and the frame around them."""
    if not block.tokens:
        return []
    entries = [
        PageEntry(
            str(item.get("path") or item.get("pointer") or "item"),
            "context",
            int(item.get("tokens", 0)),
            level=str(item.get("level", "")),
            pointer=str(item.get("pointer", "")),
            salience=min(1.0, max(0.0, float(item.get("salience", 0.0)))),
            about=("workspace block",),
        )
        for item in block.items
    ]
    around = block.tokens - sum(entry.tokens for entry in entries)
    if around >= 0:
        return [
            *entries,
            PageEntry("workspace block: all around its items", "context", around, text=block.text),
        ]
    return [PageEntry("workspace block", "context", block.tokens, text=block.text)]


def _upto(node: Node) -> str:
    return str(_dialogue(node).get("upto", ""))


def _dialogue(node: Node) -> Mapping[str, Any]:
    held = node.body.get("dialogue") if isinstance(node.body, Mapping) else None
    return held if isinstance(held, Mapping) else {}


def _index_after(past: _PastWindows, node_id: str) -> int:
    """Return the index of the first message after a node."""
    return bisect_right(past.positions, place_of(node_id).position) if is_id(node_id) else 0


def _list_turns(
    session: Session, past: _PastWindows, compactions: Sequence[Node], meter: Meter
) -> tuple[PageTurn, ...]:
    resets = {
        _index_after(past, _upto(node)): sum_sections(
            [one.entry for one in read_talk(list(_dialogue(node).get("messages", ())), meter).said]
        )
        for node in compactions
    }
    turns = list_turns(past.talk, resets=resets, times=past.times)
    known = _measure_cache_shares(session, past)
    return tuple(
        turn if turn.cached is not None else turn._replace(cached=known.get(turn.number)) for turn in turns
    )


def _measure_cache_shares(session: Session, past: _PastWindows) -> dict[int, float]:
    """Return by turn the share of each window that was already at the beginning of the last one."""
    shares: dict[int, float] = {}
    before: list[Any] = []
    for node in session.happenings(WINDOW, COMPACTION):
        sent = node.body.get("sent") if isinstance(node.body, Mapping) else None
        if not isinstance(sent, list):
            continue
        shares[past.turn_at(place_of(node.id).position)] = compare_prefix(before, sent)[1]
        before = sent
    return shares


def _list_moments(session: Session, past: _PastWindows, compactions: Sequence[Node]) -> list[Moment]:
    found = []
    for at, node in enumerate(compactions, start=1):
        count = len(_dialogue(node).get("messages", ()))
        text = f"number {at}, {format_count(count, 'message')} {agree(count, 'stays', 'stay')}"
        found.append(Moment(past.turn_at(place_of(node.id).position), "compaction", text, node.at))
    for snapshot in session.snapshots():
        turn = past.turn_at(place_of(snapshot.head).position) if is_id(snapshot.head) else 0
        text = (
            snapshot.damage
            or f"{snapshot.id}, {snapshot.reason}, {format_count(snapshot.messages, 'message')}"
        )
        found.append(Moment(turn, "snapshot", text, snapshot.at))
    for point in session.checkpoints():
        turn = past.turn_at(place_of(point.node).position) if is_id(point.node) else 0
        found.append(Moment(turn, "checkpoint", point.name, point.at))
    found.sort(key=lambda moment: (moment.at, moment.turn))
    return found[-_LAST_MOMENTS:]


def _list_lanes(session: Session, past: _PastWindows) -> list[Lane]:
    """Return the branches, [] if there is only one; those beyond the first few are not drawn."""
    branches = session.branches()
    if len(branches) < 2:
        return []
    mine = [node.id for node in past.nodes]
    last = max(past.turns, default=0)
    lanes = []
    for branch in branches[:_MOST_BRANCHES]:
        if branch.current:
            lanes.append(Lane(branch.name, 0, last, current=True))
            continue
        nodes = session.on(branch.name).message_nodes()
        both = enumerate(zip(mine, (node.id for node in nodes), strict=False))
        common = next((at for at, (one, two) in both if one != two), min(len(mine), len(nodes)))
        first = past.turns[common - 1] if common else 0
        more = sum(_asks(node.body) for node in nodes[common:])
        lanes.append(Lane(branch.name, first, first + more, current=False))
    return lanes


def _asks(message: Any) -> bool:
    return (
        isinstance(message, Mapping)
        and message.get("role") == "user"
        and isinstance(message.get("content"), str)
    )


def _compare_newest(compactions: Sequence[Node], past: _PastWindows, meter: Meter) -> Comparison | None:
    """Return the newest compaction: all messages before it, and its dialogue."""
    if not compactions:
        return None
    newest = compactions[-1]
    end = _index_after(past, _upto(newest))
    if not end:
        return None
    before = read_talk([node.body for node in past.nodes[:end]], meter)
    return compare(before, read_talk(list(_dialogue(newest).get("messages", ())), meter))
