"""Repair a history that came in broken, so that no provider refuses it; tell what a provider would refuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import attrs

from satchel.conversation.mending.contents import block_flaw, has_empty_calls, is_blank, tidied
from satchel.conversation.mending.flaws import Flaw
from satchel.conversation.mending.ordering import order_flaws, ordered
from satchel.conversation.mending.pairing import is_paired, paired
from satchel.messages import BlockKind, Conversation, Format, Message


class Repaired(NamedTuple):
    """A conversation that its provider takes, and what had to be done for it."""

    conversation: Conversation
    flaws: list[Flaw]


def repair(conversation: Conversation) -> Repaired:
    """Return the conversation without flaws: the same object where it has none.

    Nothing that was said is thrown away: a result without a call becomes a text of the user's, a call
    without a result gets one that says so. Ids change only where they are missing or used twice.
    """
    messages, flaws = paired(conversation, keep_orphans=_elsewhere(conversation))
    tidy = tuple(tidied(messages, conversation.format, flaws))
    mended = conversation
    if flaws:
        mended = attrs.evolve(conversation, messages=tidy, request=_request(conversation, tidy))
    mended = ordered(mended, flaws)
    return Repaired(mended, flaws)


def _request(conversation: Conversation, messages: tuple[Message, ...]) -> Mapping[str, Any] | None:
    """Return the request, without a system text that was blank and is gone."""
    had = any(message.outside for message in conversation.messages)
    if not had or any(message.outside for message in messages):
        return conversation.request
    return {
        key: value
        for key, value in (conversation.request or {}).items()
        if key not in ("system", "instructions")
    }


def _elsewhere(conversation: Conversation) -> bool:
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
    return paired(conversation, keep_orphans=_elsewhere(conversation))[1]


def _content_flaws(conversation: Conversation) -> Iterator[Flaw]:
    for message in conversation.messages:
        told = [block_flaw(block, conversation.format) for block in message.blocks]
        yield from (Flaw(message.index, "content", what) for what in told if what)
        if has_empty_calls(message, conversation.format):
            yield Flaw(message.index, "empty", "an empty list of tool calls")
        if is_blank(message, conversation.format):
            yield Flaw(message.index, "empty", "an empty message")
