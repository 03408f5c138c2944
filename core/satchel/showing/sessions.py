"""Take the window of a satchel session apart: its messages, and the workspace's block beside them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from satchel.errors import SatchelError
from satchel.session.session import Session
from satchel.session.window.memory import WorkspaceBlock, recall
from satchel.showing.anatomy import Anatomy, WindowPiece, dissect, sum_sections

if TYPE_CHECKING:
    from collections.abc import Callable

    from satchel.conversation import Formats
    from satchel.conversation.counting import Counts
    from satchel.messages import Conversation


def dissect_session(
    name: str,
    *,
    store: str | None,
    root: str | Path,
    formats: Formats,
    counts_of: Callable[[Conversation], Counts],
) -> tuple[Anatomy, Conversation]:
    """Return the window of a session, and its messages; nothing is recorded in it.

    Args:
        name: the session's.
        store: folder or address of its store, None for the project's.
        root: the workspace that its store belongs to.
        formats: the formats of messages.
        counts_of: makes what counts the tokens of a conversation.

    Raises:
        SessionError: there is no such session.
        SatchelError: it has no messages yet.
    """
    with Session.open(name, store=store, root=root) as session:
        memory, _ = recall(session)
        kept = memory.dialogue
        messages = (
            [node.body for node in session.message_nodes()]
            if kept is None
            else [*kept.messages, *session.messages(after=kept.upto)]
        )
    if not messages:
        raise SatchelError(f"session {name!r} has no messages yet; satchel session add adds one")
    conversation = formats.read(messages)
    anatomy = dissect(conversation, counts_of(conversation))
    pieces = (*_list_block(memory.block), *anatomy.pieces)
    return attrs.evolve(
        anatomy,
        source=f"session {name}",
        total=sum(piece.tokens for piece in pieces),
        sections=sum_sections(pieces),
        pieces=pieces,
    ), conversation


def _list_block(block: WorkspaceBlock | None) -> list[WindowPiece]:
    """Return the items of the workspace's block and what stands around them; their tokens are the block's."""
    if block is None or not block.tokens:
        return []
    pieces = [
        WindowPiece(
            "workspace",
            str(item.get("path") or item.get("pointer") or "item"),
            int(item.get("tokens", 0)),
            -1,
            path=str(item.get("path", "")),
            level=str(item.get("level", "")),
        )
        for item in block.items
    ]
    around = block.tokens - sum(piece.tokens for piece in pieces)
    return [*pieces, WindowPiece("workspace", "around the items of the workspace", around, -1)]
