"""What the formats have in common in which a message is an object with a role and each result is one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from satchel.conversation.formats import shapes
from satchel.conversation.formats.blocks import plain_message, untouched
from satchel.messages import Block, BlockKind, Message

Found = Callable[[dict[str, Any], str, str], tuple[Block, ...]]
"""Reads the blocks of a message; it is handed the object, satchel's word for its role, and its place."""
Told = Callable[[Sequence[Block], dict[str, Any], Message], dict[str, Any]]
"""Writes the blocks of a message that are no results, with the keys of the object that it came from."""


def read_listed(items: Sequence[Any], place: str, roles: Mapping[str, str], found: Found) -> list[Message]:
    """Return the messages of a list."""
    return [
        plain_message(item, index, roles) or _read(items, index, place, roles, found)
        for index, item in enumerate(items)
    ]


def _read(items: Sequence[Any], index: int, place: str, roles: Mapping[str, str], found: Found) -> Message:
    item, at = shapes.item_at(items, index, place), f"{place}[{index}]"
    role = shapes.role_at(item, roles, at)
    held = found(item, role, at)
    return Message(role, held, index, raw=item, original=held)


def write_listed(
    messages: Iterable[Message], told: Told, result: Callable[[Block, dict[str, Any]], dict[str, Any]]
) -> list[Any]:
    """Return messages as a list of objects: those that were not changed as they came."""
    written: list[Any] = []
    for message in messages:
        written.extend((message.raw,) if untouched(message) else _written(message, told, result))
    return written


def _written(
    message: Message, told: Told, result: Callable[[Block, dict[str, Any]], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    shell: dict[str, Any] = message.raw or {"role": message.role}
    results = message.results
    yield from (result(block, shell) for block in results)
    rest = tuple(block for block in message.blocks if block.kind is not BlockKind.RESULT)
    if rest or not results:
        yield told(rest, shell, message)
