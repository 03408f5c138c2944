"""Repair a history that came in broken, so that no provider refuses it; tell what a provider would refuse."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import attrs

from satchel.conversation.pairing import NO_BEGINNING, NO_TEXT, Flaw, is_paired, pair_results
from satchel.messages import Block, BlockKind, Conversation, Format, Message

_SOLID = frozenset({BlockKind.CALL, BlockKind.RESULT, BlockKind.IMAGE, BlockKind.DOCUMENT, BlockKind.OPAQUE})


def is_blank(message: Message, form: Format) -> bool:
    """Whether a message says nothing, which providers refuse."""
    thoughts = form in (Format.ANTHROPIC, Format.RESPONSES)
    return not any(
        block.kind in _SOLID
        or (thoughts and block.kind is BlockKind.THINKING)
        or (block.kind is BlockKind.TEXT and not _blank(block.text))
        for block in message.blocks
    )


def has_empty_calls(message: Message, form: Format) -> bool:
    """Whether a message has `tool_calls`, and none in them: OpenAI refuses an empty list."""
    raw = message.raw
    return form is Format.OPENAI and isinstance(raw, dict) and raw.get("tool_calls") == []


def _drop_calls(message: Message) -> Message:
    kept = {key: value for key, value in message.raw.items() if key != "tool_calls"}
    return attrs.evolve(message, raw=kept)


def block_flaw(block: Block, form: Format) -> str:
    """Return what is wrong with one block that the provider would refuse, "" where it is right."""
    if block.kind is BlockKind.TEXT:
        return "a blank text" if form is Format.ANTHROPIC and _blank(block.text) else ""
    if block.kind is not BlockKind.CALL or block.fixed:
        return ""
    if _blank(block.name):
        return "a call without a name"
    if _takes_json(block, form) and not is_json(block.text):
        return f"the arguments of call {block.name!r} are not JSON"
    return ""


def is_json(text: str) -> bool:
    """Whether a call's arguments can be read; none at all can."""
    if not text:
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _takes_json(call: Block, form: Format) -> bool:
    raw = call.raw if isinstance(call.raw, dict) else {}
    return form in (Format.OPENAI, Format.RESPONSES) and not (
        "custom" in raw or raw.get("type") == "custom_tool_call"
    )


def _blank(text: str) -> bool:
    return not text or text.isspace()


def tidy_blocks(messages: Iterable[Message], form: Format, flaws: list[Flaw]) -> Iterator[Message]:
    """Yield messages with blocks that the provider takes; what was done is added to `flaws`."""
    for message in messages:
        if _is_plain(message) and not has_empty_calls(message, form):
            yield message
            continue
        told = [block_flaw(block, form) for block in message.blocks]
        if any(told):
            flaws.extend(Flaw(message.index, _rule(what), what) for what in told if what)
            message = _mend(message, told)
        if has_empty_calls(message, form):
            flaws.append(Flaw(message.index, "empty", "an empty list of tool calls; it was left out"))
            message = _drop_calls(message)
        if not is_blank(message, form):
            yield message
        elif message.role == "user":
            flaws.append(Flaw(message.index, "empty", "an empty message; a mark stands in its place"))
            yield attrs.evolve(message, blocks=(Block(BlockKind.TEXT, NO_TEXT),))
        else:
            flaws.append(Flaw(message.index, "empty", "an empty message; it was left out"))


def _is_plain(message: Message) -> bool:
    """Whether a message is one text or one result, as most are: nothing can be wrong with it."""
    if len(message.blocks) != 1:
        return False
    (block,) = message.blocks
    return block.kind is BlockKind.RESULT or (block.kind is BlockKind.TEXT and not _blank(block.text))


def _rule(what: str) -> str:
    return "empty" if what == "a blank text" else "arguments" if "arguments" in what else "name"


def _mend(message: Message, told: list[str]) -> Message:
    pairs = zip(message.blocks, told, strict=True)
    kept = (_right(block) if what else block for block, what in pairs if what != "a blank text")
    return attrs.evolve(message, blocks=tuple(kept))


def _right(call: Block) -> Block:
    text = call.text if is_json(call.text) else json.dumps({"text": call.text}, ensure_ascii=False)
    return attrs.evolve(
        call, text=text if text.strip() else "{}", name="unknown" if _blank(call.name) else call.name
    )


def order_flaws(conversation: Conversation) -> list[Flaw]:
    """Return what is wrong with the order of messages, in what the format's provider asks for."""
    if conversation.format is Format.ANTHROPIC:
        return list(_anthropic_flaws(conversation))
    if conversation.format is Format.RESPONSES:
        said = "reasoning that no answer follows"
        return [
            Flaw(message.index, "dangling_thinking", said)
            for message in _iter_dangling_thoughts(conversation.messages)
        ]
    return []


def _anthropic_flaws(conversation: Conversation) -> Iterator[Flaw]:
    inside = [message for message in conversation.messages if not message.outside]
    if inside and inside[0].role == "assistant":
        yield Flaw(inside[0].index, "first_not_user", "the first message is not the user's")
    for message in () if conversation.joined else _iter_role_repeats(inside):
        yield Flaw(message.index, "alternation", f"two messages of the {_wire(message)} in a row")
    if inside and _trailing(inside[-1]):
        yield Flaw(inside[-1].index, "trailing_space", "the last answer ends in white space")
    for message, block in _find_lone_uses(inside):
        yield Flaw(message.index, "server_pair", f"{block.name!r} without its other half")


def _iter_role_repeats(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield messages whose role is that of the one before, where they are not pieces of one message."""
    for before, message in pairwise(messages):
        role = _wire(message)
        if role == _wire(before) != "system" and not _same(before, message):
            yield message


def order(conversation: Conversation, flaws: list[Flaw]) -> Conversation:
    """Return the conversation in an order that its provider takes; what was done is added to `flaws`."""
    found = order_flaws(conversation)
    if not found:
        return conversation
    flaws.extend(found)
    if conversation.format is Format.RESPONSES:
        gone = {id(message) for message in _iter_dangling_thoughts(conversation.messages)}
        return attrs.evolve(
            conversation, messages=tuple(m for m in conversation.messages if id(m) not in gone)
        )
    return _anthropic(conversation)


def _anthropic(conversation: Conversation) -> Conversation:
    outside = [message for message in conversation.messages if message.outside]
    inside = [message for message in conversation.messages if not message.outside]
    halves = {id(block) for _, block in _find_lone_uses(inside)}
    inside = [message for message in (_drop_blocks(m, halves) for m in inside) if message.blocks]
    if inside and _trailing(inside[-1]):
        inside[-1] = _strip(inside[-1])
    if inside and inside[0].role == "assistant":
        inside.insert(0, Message("user", NO_BEGINNING))
    return attrs.evolve(conversation, messages=(*outside, *inside), joined=True)


def _wire(message: Message) -> str:
    return "user" if message.role == "tool" else message.role


def _same(one: Message, other: Message) -> bool:
    return one.raw is not None and one.raw is other.raw and one.index == other.index


def _trailing(message: Message) -> bool:
    last = message.blocks[-1] if message.role == "assistant" and message.blocks else None
    return last is not None and last.kind is BlockKind.TEXT and last.text[-1:].isspace()


def _strip(message: Message) -> Message:
    last = message.blocks[-1]
    return attrs.evolve(message, blocks=(*message.blocks[:-1], last.with_text(last.text.rstrip())))


def _drop_blocks(message: Message, gone: set[int]) -> Message:
    if not any(id(block) in gone for block in message.blocks):
        return message
    return attrs.evolve(message, blocks=tuple(block for block in message.blocks if id(block) not in gone))


def _find_lone_uses(messages: Sequence[Message]) -> list[tuple[Message, Block]]:
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


def _iter_dangling_thoughts(messages: Iterable[Message]) -> Iterator[Message]:
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


class Repaired(NamedTuple):
    """A conversation that its provider takes, and what had to be done for it."""

    conversation: Conversation
    flaws: list[Flaw]


def repair(conversation: Conversation) -> Repaired:
    """Return the conversation without flaws: the same object where it has none.

    Nothing that was said is thrown away: a result without a call becomes a text of the user's, a call
    without a result gets one that says so. Ids change only where they are missing or used twice.
    """
    messages, flaws = pair_results(conversation, keep_orphans=_has_remote_history(conversation))
    tidy = tuple(tidy_blocks(messages, conversation.format, flaws))
    mended = conversation
    if flaws:
        mended = attrs.evolve(conversation, messages=tidy, request=_drop_blank_system(conversation, tidy))
    mended = order(mended, flaws)
    return Repaired(mended, flaws)


def _drop_blank_system(conversation: Conversation, messages: tuple[Message, ...]) -> Mapping[str, Any] | None:
    """Return the request, without a system text that was blank and is gone."""
    had = any(message.outside for message in conversation.messages)
    if not had or any(message.outside for message in messages):
        return conversation.request
    return {
        key: value
        for key, value in (conversation.request or {}).items()
        if key not in ("system", "instructions")
    }


def _has_remote_history(conversation: Conversation) -> bool:
    """Whether the provider keeps a part of the history: results may answer calls that are there."""
    if conversation.format is not Format.RESPONSES:
        return False
    request = conversation.request or {}
    if request.get("previous_response_id") or request.get("conversation"):
        return True
    return any(
        block.kind is BlockKind.OPAQUE and block.name in ("item_reference", "compaction")
        for message in conversation.messages
        for block in message.blocks
    )


def flaws_of(conversation: Conversation) -> list[Flaw]:
    """Return what the provider would refuse, [] where it takes the conversation."""
    return [*_pair_flaws(conversation), *_content_flaws(conversation), *order_flaws(conversation)]


def _pair_flaws(conversation: Conversation) -> list[Flaw]:
    if is_paired(conversation.messages, items=conversation.format is Format.RESPONSES):
        return []
    return pair_results(conversation, keep_orphans=_has_remote_history(conversation))[1]


def _content_flaws(conversation: Conversation) -> Iterator[Flaw]:
    for message in conversation.messages:
        told = [block_flaw(block, conversation.format) for block in message.blocks]
        yield from (Flaw(message.index, "content", what) for what in told if what)
        if has_empty_calls(message, conversation.format):
            yield Flaw(message.index, "empty", "an empty list of tool calls")
        if is_blank(message, conversation.format):
            yield Flaw(message.index, "empty", "an empty message")
