"""Rules about the order of messages: who begins, who follows whom, and what has to follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import attrs

from satchel.conversation.mending.answers import NO_BEGINNING
from satchel.conversation.mending.flaws import Flaw
from satchel.messages import Block, BlockKind, Conversation, Format, Message

_SYSTEM = frozenset({"system", "developer"})


def order_flaws(conversation: Conversation) -> list[Flaw]:
    """Return what is wrong with the order of messages, in what the format's provider asks for."""
    if conversation.format is Format.ANTHROPIC:
        return list(_anthropic_flaws(conversation))
    if conversation.format is Format.RESPONSES:
        said = "reasoning that no answer follows"
        return [
            Flaw(message.index, "dangling_thinking", said) for message in _dangling(conversation.messages)
        ]
    return []


def _anthropic_flaws(conversation: Conversation) -> Iterator[Flaw]:
    inside = [message for message in conversation.messages if not message.outside]
    for message in filter(_is_system, inside):
        yield Flaw(message.index, "system_inside", "a system message among the messages")
    if inside and inside[0].role == "assistant":
        yield Flaw(inside[0].index, "first_not_user", "the first message is not the user's")
    for message in () if conversation.joined else _repeating(inside):
        yield Flaw(message.index, "alternation", f"two messages of the {_wire(message)} in a row")
    if inside and _trailing(inside[-1]):
        yield Flaw(inside[-1].index, "trailing_space", "the last answer ends in white space")
    for message, block in _parted(inside):
        yield Flaw(message.index, "server_pair", f"{block.name!r} without its other half")


def _repeating(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield messages whose role is that of the one before, where they are not pieces of one message."""
    for before, message in pairwise(messages):
        if _wire(before) == _wire(message) and not _same(before, message):
            yield message


def ordered(conversation: Conversation, flaws: list[Flaw]) -> Conversation:
    """Return the conversation in an order that its provider takes; what was done is added to `flaws`."""
    found = order_flaws(conversation)
    if not found:
        return conversation
    flaws.extend(found)
    if conversation.format is Format.RESPONSES:
        gone = {id(message) for message in _dangling(conversation.messages)}
        return attrs.evolve(
            conversation, messages=tuple(m for m in conversation.messages if id(m) not in gone)
        )
    return _anthropic(conversation)


def _anthropic(conversation: Conversation) -> Conversation:
    messages = _system_apart(conversation)
    outside = [message for message in messages if message.outside]
    inside = [message for message in messages if not message.outside]
    halves = {id(block) for _, block in _parted(inside)}
    inside = [message for message in (_without(m, halves) for m in inside) if message.blocks]
    if inside and _trailing(inside[-1]):
        inside[-1] = _stripped(inside[-1])
    if inside and inside[0].role == "assistant":
        inside.insert(0, Message("user", NO_BEGINNING))
    return attrs.evolve(conversation, messages=(*outside, *inside), joined=True)


def _system_apart(conversation: Conversation) -> Sequence[Message]:
    """Return messages with the system's ones in front; in a bare list, as the user's."""
    late = [message for message in conversation.messages if _is_system(message)]
    if not late:
        return conversation.messages
    if conversation.request is None:
        return [_as_user(message) if _is_system(message) else message for message in conversation.messages]
    outside = [message for message in conversation.messages if message.outside]
    rest = [message for message in conversation.messages if not (message.outside or _is_system(message))]
    system = outside[0] if outside else Message("system", outside=True)
    blocks = tuple(block for message in late for block in message.blocks)
    return [attrs.evolve(system, blocks=(*system.blocks, *blocks)), *rest]


def _is_system(message: Message) -> bool:
    """Whether a message of the system stands among the others, where it has no place."""
    return message.role in _SYSTEM and not message.outside


def _as_user(message: Message) -> Message:
    return Message("user", message.blocks, message.index)


def _wire(message: Message) -> str:
    return "user" if message.role == "tool" else message.role


def _same(one: Message, other: Message) -> bool:
    return one.raw is not None and one.raw is other.raw and one.index == other.index


def _trailing(message: Message) -> bool:
    last = message.blocks[-1] if message.role == "assistant" and message.blocks else None
    return last is not None and last.kind is BlockKind.TEXT and last.text[-1:].isspace()


def _stripped(message: Message) -> Message:
    last = message.blocks[-1]
    return attrs.evolve(message, blocks=(*message.blocks[:-1], last.with_text(last.text.rstrip())))


def _without(message: Message, gone: set[int]) -> Message:
    if not any(id(block) in gone for block in message.blocks):
        return message
    return attrs.evolve(message, blocks=tuple(block for block in message.blocks if id(block) not in gone))


def _parted(messages: Sequence[Message]) -> list[tuple[Message, Block]]:
    """Return uses of the provider's own tools without a result, and results without a use.

    The last message may end in a use: the provider goes on from there.
    """
    uses: dict[str, list[tuple[Message, Block]]] = {}
    lost: list[tuple[Message, Block]] = []
    for message in messages:
        for block in message.blocks:
            if block.kind is not BlockKind.OPAQUE or not isinstance(block.raw, dict):
                continue
            if block.name in ("server_tool_use", "mcp_tool_use"):
                uses.setdefault(str(block.raw.get("id")), []).append((message, block))
            elif block.name.endswith("_tool_result"):
                waiting = uses.get(str(block.raw.get("tool_use_id")))
                lost.extend(() if waiting and waiting.pop() else ((message, block),))
    return lost + [pair for pairs in uses.values() for pair in pairs if pair[0] is not messages[-1]]


def _dangling(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield the thoughts of a list of items that no item of the same answer follows."""
    thoughts: list[Message] = []
    for message in messages:
        if message.blocks and message.blocks[0].kind is BlockKind.THINKING and message.role == "assistant":
            thoughts.append(message)
            continue
        if message.role != "assistant":
            yield from thoughts
        thoughts = []
    yield from thoughts
