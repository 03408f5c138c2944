"""The note in a window that says what is missing from it and how to have it back."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.compaction.cutting.keeping import MARK, Kept
from satchel.messages import Message


def note(source: Sequence[Message], shown: Sequence[tuple[Message, ...] | None], kept: Kept) -> Message:
    """Return the note, as a message of the user's."""
    standing = {id(message) for one in shown for message in one or ()}
    missing = sum(id(message) not in standing for message in source)
    marked = any(MARK in block.text for one in shown for message in one or () for block in message.blocks)
    return _note(missing, len(source), kept, marked=marked)


def longest(source: Sequence[Message], kept: Kept, *, marked: bool) -> Message:
    """Return the longest note that there can be, to leave room for."""
    return _note(len(source), len(source), kept, marked=marked)


def _note(missing: int, of: int, kept: Kept, *, marked: bool) -> Message:
    told = f"{missing} of {of} messages cut"
    if not kept.pointer:
        return Message("user", f"{MARK}: {told}; not archived]")
    if not marked:
        return Message("user", f"{MARK}: {told}; satchel expand {kept.pointer}]")
    how = f"[satchel N] is line N of {kept.pointer}; satchel expand {kept.pointer}:N-M prints it"
    return Message("user", f"{MARK}: {told}; {how}]")
