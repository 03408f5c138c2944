"""The messages that a window is made of: what was sent after the last compaction, and what came since."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from satchel.compaction.promises import MARK
from satchel.session.window.recalling import Dialogue, Memory

if TYPE_CHECKING:
    from satchel.session.nodes import Node
    from satchel.session.sessions import Session

MOST_READ = 2_000
"""Messages up to which all are compacted again; of a longer dialogue, what was sent before is."""
_OPENING = 12
"""Messages at the beginning that are looked at for the system's text and the first request."""
_FACTOR = 3
"""So many times the budget, in text, of the newest messages of a long session that has no window yet."""
_FIRST_READ, _MOST_NEWEST = 256, 20_000
_CHARS_PER_TOKEN = 3


class Source(NamedTuple):
    """Messages as they came in or were sent, and what is known of them."""

    messages: tuple[Any, ...]
    upto: str
    """Node of the newest one."""
    fresh: int
    """How many at the end the window before did not have."""
    total: int
    """Messages of the session."""
    compactions: int = 0
    places: tuple[str, ...] = ()
    """Node of each message at the end; what stands before them was sent."""


def source_of(session: Session, memory: Memory, *, budget: int, whole: bool) -> Source:
    """Return the messages of a dialogue.

    Args:
        session: whose branch is read.
        memory: what the window before left.
        budget: tokens of the window.
        whole: whether all messages are wanted where they are not too many: for a compaction.
    """
    total = session.count()
    dialogue = memory.dialogue
    if total <= MOST_READ and (whole or dialogue is None):
        return _source((), session.message_nodes(), total, dialogue)
    if dialogue is not None:
        return _source(dialogue.messages, session.message_nodes(after=dialogue.upto), total, dialogue)
    return _of_long(session, total, budget)


def _source(before: Sequence[Any], nodes: Sequence[Node], total: int, dialogue: Dialogue | None) -> Source:
    upto = nodes[-1].id if nodes else dialogue.upto if dialogue else ""
    known = dialogue.compactions if dialogue else 0
    messages = (*before, *(node.body for node in nodes))
    return Source(messages, upto, len(nodes), total, known, tuple(node.id for node in nodes))


def _of_long(session: Session, total: int, budget: int) -> Source:
    """Return the beginning and the end of a long session, with a mark where the middle is left out."""
    nodes, last = session.message_nodes(last=_FIRST_READ), _FIRST_READ
    while last < min(total, _MOST_NEWEST) and _chars(nodes) < budget * _FACTOR * _CHARS_PER_TOKEN:
        last = min(last * 4, total, _MOST_NEWEST)
        nodes = session.message_nodes(last=last)
    opening = [node.body for node in session.opening(min(_OPENING, total - len(nodes)))]
    kept = [body for body in opening if _role(body) in ("system", "developer")]
    first = next((body for body in opening if _role(body) == "user"), None)
    kept += [] if first is None else [first]
    missing = total - len(nodes) - len(kept)
    told = (
        f"{MARK}: {missing:,} messages left out here; satchel session show --session {session.id} has them]"
    )
    gap = [{"role": "user", "content": told}] if missing else []
    return _source((*kept, *gap), nodes, total, None)


def _role(body: Any) -> str:
    return str(body.get("role", "")) if isinstance(body, dict) else ""


def _chars(nodes: Sequence[Node]) -> int:
    return sum(len(json.dumps(node.body)) for node in nodes)
