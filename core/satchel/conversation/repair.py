"""Repair a history that came in broken, so that no provider refuses it; tell what a provider would refuse."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from satchel.conversation.pairing import NO_BEGINNING, NO_TEXT, pair_results
from satchel.messages import Block, BlockKind, Conversation, Flaw, Message

if TYPE_CHECKING:
    from satchel.interfaces import FormatRules

_SOLID = frozenset({BlockKind.CALL, BlockKind.RESULT, BlockKind.IMAGE, BlockKind.DOCUMENT, BlockKind.OPAQUE})


def is_blank(message: Message, rules: FormatRules) -> bool:
    """Whether a message says nothing, which providers refuse."""
    return not any(
        block.kind in _SOLID
        or (rules.thoughts_alone and block.kind is BlockKind.THINKING)
        or (block.kind is BlockKind.TEXT and not _blank(block.text))
        for block in message.blocks
    )


def block_flaw(block: Block, rules: FormatRules) -> str:
    """Return what is wrong with one block that the provider would refuse, "" where it is right."""
    if block.kind is BlockKind.TEXT:
        return "a blank text" if rules.refuses_blank_texts and _blank(block.text) else ""
    if block.kind is not BlockKind.CALL or block.fixed:
        return ""
    if _blank(block.name):
        return "a call without a name"
    if rules.json_arguments and not block.free and not is_json(block.text):
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


def _blank(text: str) -> bool:
    return not text or text.isspace()


def tidy_blocks(messages: Iterable[Message], rules: FormatRules, flaws: list[Flaw]) -> Iterator[Message]:
    """Yield messages with blocks that the provider takes; what was done is added to `flaws`."""
    for message in messages:
        told = [block_flaw(block, rules) for block in message.blocks]
        if any(told):
            flaws.extend(Flaw(message.index, _rule(what), what) for what in told if what)
            message = _mend(message, told)
        if not is_blank(message, rules):
            yield message
        elif message.role == "user":
            flaws.append(Flaw(message.index, "empty", "an empty message; a mark stands in its place"))
            yield attrs.evolve(message, blocks=(Block(BlockKind.TEXT, NO_TEXT),))
        else:
            flaws.append(Flaw(message.index, "empty", "an empty message; it was left out"))


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
    rules = conversation.format.rules
    found = [
        Flaw(message.index, "dangling_thinking", "reasoning that no answer follows")
        for message in (_iter_dangling_thoughts(conversation.messages) if rules.items else ())
    ]
    inside = [message for message in conversation.messages if not message.outside]
    if rules.alternating:
        if inside and inside[0].role == "assistant":
            found.append(Flaw(inside[0].index, "first_not_user", "the first message is not the user's"))
        repeats = () if conversation.joined else _iter_role_repeats(inside)
        found += [
            Flaw(message.index, "alternation", f"two messages of the {_wire(message)} in a row")
            for message in repeats
        ]
    if rules.refuses_trailing_space and inside and _trailing(inside[-1]):
        found.append(Flaw(inside[-1].index, "trailing_space", "the last answer ends in white space"))
    return found


def _iter_role_repeats(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield messages whose role is that of the one before, where they are not pieces of one message."""
    for before, message in pairwise(messages):
        role = _wire(message)
        if role == _wire(before) != "system" and not _same(before, message):
            yield message


def order(conversation: Conversation, flaws: list[Flaw]) -> Conversation:
    """Return the conversation in an order that its provider takes; what was done is added to `flaws`."""
    rules = conversation.format.rules
    found = order_flaws(conversation)
    mended, more = conversation.format.mend(conversation.messages)
    if not found and not more:
        return conversation
    flaws.extend((*found, *more))
    gone = {id(message) for message in (_iter_dangling_thoughts(mended) if rules.items else ())}
    outside = [message for message in mended if message.outside]
    inside = [message for message in mended if not message.outside and id(message) not in gone]
    if rules.refuses_trailing_space and inside and _trailing(inside[-1]):
        inside[-1] = _strip(inside[-1])
    if rules.alternating and inside and inside[0].role == "assistant":
        inside.insert(0, Message("user", NO_BEGINNING))
    joined = conversation.joined or rules.alternating
    return attrs.evolve(conversation, messages=(*outside, *inside), joined=joined)


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
    tidy = tuple(tidy_blocks(messages, conversation.format.rules, flaws))
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
    request = dict(conversation.request or {})
    request.pop(conversation.format.system_key, None)
    return request


def _has_remote_history(conversation: Conversation) -> bool:
    """Whether the provider keeps a part of the history: results may answer calls that are there."""
    kept = conversation.format.rules.kept_history
    request = conversation.request or {}
    return any(request.get(key) for key in kept) or any(
        block.kind is BlockKind.OPAQUE and block.name in kept
        for message in conversation.messages
        for block in message.blocks
    )


def flaws_of(conversation: Conversation) -> list[Flaw]:
    """Return what the provider would refuse, [] where it takes the conversation."""
    return [
        *pair_results(conversation, keep_orphans=_has_remote_history(conversation))[1],
        *_content_flaws(conversation),
        *order_flaws(conversation),
        *conversation.format.mend(conversation.messages)[1],
    ]


def _content_flaws(conversation: Conversation) -> Iterator[Flaw]:
    rules = conversation.format.rules
    for message in conversation.messages:
        told = [block_flaw(block, rules) for block in message.blocks]
        yield from (Flaw(message.index, "content", what) for what in told if what)
        if is_blank(message, rules):
            yield Flaw(message.index, "empty", "an empty message")
