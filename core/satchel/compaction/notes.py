"""The note in a window that says what is missing from it and how to have it back."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.compaction.cutting.keeping import MARK, Kept
from satchel.messages import Message


def note(source: Sequence[Message], shown: Sequence[tuple[Message, ...] | None], kept: Kept) -> Message:
    """Return the note, as a message of the user's."""
    standing = {id(message) for one in shown for message in one or ()}
    missing = sum(id(message) not in standing for message in source)
    told = f"{missing} of {len(source)} messages cut"
    if not kept.pointer:
        return Message("user", f"{MARK}: {told}; not archived]")
    marked = any(MARK in block.text for one in shown for message in one or () for block in message.blocks)
    if not marked:
        return Message("user", f"{MARK}: {told}; satchel expand {kept.pointer}]")
    how = f"[satchel N] is line N of {kept.pointer}; satchel expand {kept.pointer}:N-M prints it"
    return Message("user", f"{MARK}: {told}; {how}]")
