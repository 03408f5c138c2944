"""Archive first, then cut: the whole text of a conversation, and the lines at which each message stands."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from satchel.archive import Archive, ArchiveError
from satchel.compaction.cutting.sieving import looks
from satchel.errors import Problem
from satchel.messages import Block, BlockKind, Message

MARK = "[satchel"
"""What every mark begins with."""
UNKEPT = f"{MARK} not archived]"
_DIGITS = 12


class Kept(NamedTuple):
    """Where the whole texts stand: lines of one text in the archive."""

    pointer: str
    """`blob:HASH`, "" where it could not be archived."""
    lines: Mapping[int, tuple[int, int]]
    """First and last line of each message, by its `id()`."""
    problems: tuple[Problem, ...] = ()

    def mark(self, message: Message) -> str:
        """Return the mark that stands for what a message lost."""
        lines = self.lines.get(id(message))
        return f"{MARK} {lines[0]}]" if self.pointer and lines else UNKEPT

    def address(self, message: Message) -> str:
        """Return the pointer that expands to a message's whole text, "" where it is not kept."""
        lines = self.lines.get(id(message))
        return f"{self.pointer}:{lines[0]}-{lines[1]}" if self.pointer and lines else ""


def laid_out(messages: Sequence[Message]) -> tuple[str, dict[int, tuple[int, int]]]:
    """Return one text of all messages, and the lines of each by its `id()`."""
    said: list[str] = []
    places: dict[int, tuple[int, int]] = {}
    line = 1
    for message in messages:
        text = "\n".join(whole_text(message))
        count = text.count("\n") + 1
        said += [f"--- {message.role} {message.index}\n", text, "\n"]
        places[id(message)] = (line + 1, line + count)
        line += count + 1
    return "".join(said), places


def keep(archive: Archive, messages: Sequence[Message]) -> Kept:
    """Put the whole text of messages into the archive, without their secrets."""
    text, places = laid_out(messages)
    clean = archive.scanners.redact(text, looks=looks(text)).text  # line ends stay, so `places` hold
    try:
        hash_ = archive.put_clean(clean)
    except ArchiveError as error:
        return Kept("", {}, (Problem("archive", "compact", str(error)),))
    return Kept(f"blob:{hash_[:_DIGITS]}", places)


def whole_text(message: Message) -> Iterator[str]:
    """Yield what a message says in full: texts, calls with their arguments, results, what is attached."""
    for block in message.blocks:
        if block.kind is BlockKind.CALL:
            yield f"{block.name} {block.text}" if block.name else block.text
        elif block.kind in (BlockKind.TEXT, BlockKind.THINKING):
            yield block.text
        elif block.kind is BlockKind.RESULT:
            yield from _of_result(block)
        else:
            yield _as_json(block)


def _of_result(block: Block) -> Iterator[str]:
    if not block.blocks:
        yield block.text
    for inner in block.blocks:
        yield inner.text if inner.kind is BlockKind.TEXT else _as_json(inner)


def _as_json(block: Block) -> str:
    if block.raw is None:
        return block.text
    try:
        return json.dumps(block.raw, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return block.text
