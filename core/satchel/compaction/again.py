"""A conversation that was compacted before: its note, its marks, and the archive that they point to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import attrs

from satchel.archive import Archive
from satchel.errors import PointerError
from satchel.messages import Block, BlockKind, Conversation, Message
from satchel.patterns import lazily

_NOTE = lazily(r"\A\[satchel: ([\d,]+) of ([\d,]+) messages cut; [^\n]*?\bblob:([0-9a-f]{8,})[^\n]*\]\Z")
_MARK = lazily(r"\[satchel (\d+)\]")
_HEAD = lazily(r"^--- \w+ -?\d+$", re.MULTILINE)


class Earlier(NamedTuple):
    """The result of an earlier compaction: the archived text, and how many of all messages it cut."""

    text: str = ""
    """The archived text, to which the new one is appended, so that its line numbers hold."""
    missing: int = 0
    messages: int = 0
    lines: Mapping[int, tuple[int, int]] = MappingProxyType({})
    """First and last line of each message of the text, by its first line."""
    found: Mapping[str, tuple[int, int]] = MappingProxyType({})
    """The same ranges by the text of the message."""
    noted: int = -1
    """Index of the message that held the note."""

    def place(self, message: Message, said: str) -> tuple[int, int] | None:
        """Return the lines of an archived message, found by its mark or by its text."""
        number = mark_of(message)
        if not number:
            return self.found.get(said)
        first = max((one for one in self.lines if one <= number), default=0)
        place = self.lines.get(first)  # a mark names the line of the message, or of one of its results
        return place if place and number <= place[1] else None


NOTHING_EARLIER = Earlier()


def mark_of(message: Message) -> int:
    """Return the number of the mark in a message that was cut, 0 if it has none."""
    for block in message.blocks:
        found = _MARK.search(block.text) if block.kind in (BlockKind.TEXT, BlockKind.RESULT) else None
        if found:
            return int(found[1])
    return 0


def read_mark_line(text: str) -> str:
    """Return the mark line at the beginning of a text, "" if there is none."""
    return text.partition("\n")[0] if _MARK.match(text) else ""


def part_from_earlier(conversation: Conversation, archive: Archive) -> tuple[Conversation, Earlier]:
    """Return a conversation without the notes of earlier compactions, and the archived text they point to.

    Where the archive does not have that text, the note stays, and each mark names its archive.
    """
    notes = [note for message in conversation.messages for note in _notes(message)]
    if not notes:
        return conversation, NOTHING_EARLIER
    text = _read_archive(archive, notes[-1][3])
    if not text:
        messages = tuple(_name_archive(message, notes[-1][3]) for message in conversation.messages)
        return attrs.evolve(conversation, messages=messages), NOTHING_EARLIER
    left = [_without_notes(message) for message in conversation.messages]
    kept = tuple(message for message in left if message.blocks)
    missing, total = (int(notes[-1][group].replace(",", "")) for group in (1, 2))
    lines, found = _places(text)
    noted = max(message.index for message in conversation.messages if any(_notes(message)))
    earlier = Earlier(text, missing, total, lines, found, noted)
    return attrs.evolve(conversation, messages=kept), earlier


def _notes(message: Message) -> Iterator[re.Match[str]]:
    if message.role == "user":
        matches = (_NOTE.match(block.text) for block in message.blocks if block.kind is BlockKind.TEXT)
        yield from filter(None, matches)


def _is_note(block: Block) -> bool:
    return block.kind is BlockKind.TEXT and _NOTE.match(block.text) is not None


def _without_notes(message: Message) -> Message:
    if message.role != "user" or not any(map(_is_note, message.blocks)):
        return message
    return attrs.evolve(message, blocks=tuple(block for block in message.blocks if not _is_note(block)))


def _read_archive(archive: Archive, hash_: str) -> str:
    try:
        return archive.get(hash_)
    except PointerError:
        return ""


def _places(text: str) -> tuple[dict[int, tuple[int, int]], dict[str, tuple[int, int]]]:
    """Return the lines of each message of an archived text."""
    lines = text.split("\n")
    heads = [number for number, line in enumerate(lines, 1) if _HEAD.fullmatch(line)]
    places = [
        (first + 1, last - 1)
        for first, last in zip(heads, [*heads[1:], len(lines)], strict=True)
        if last > first + 1
    ]
    said = {"\n".join(lines[first - 1 : last]): (first, last) for first, last in places}
    return {first: (first, last) for first, last in places}, said


def _name_archive(message: Message, hash_: str) -> Message:
    """Return a message whose marks name the archive that they point to."""
    changed = tuple(_name_in(block, hash_) for block in message.blocks)
    same = all(one is other for one, other in zip(changed, message.blocks, strict=True))
    return message if same else attrs.evolve(message, blocks=changed)


def _name_in(block: Block, hash_: str) -> Block:
    if block.kind not in (BlockKind.TEXT, BlockKind.RESULT) or block.fixed or not _MARK.search(block.text):
        return block
    return block.with_text(_MARK.sub(rf"[satchel blob:{hash_}:\1]", block.text))
