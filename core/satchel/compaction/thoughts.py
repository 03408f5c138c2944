"""Leave out what says nothing any more: the thoughts of earlier turns, and the colours of outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import attrs

from satchel.compaction.windows import Cut
from satchel.conversation import find_spoken
from satchel.escaping import CSI
from satchel.messages import Block, BlockKind, Conversation, Message
from satchel.patterns import lazily

REASON = "shortened: thoughts of an earlier turn"
_STYLE = lazily(rf"{CSI}m")
"""What sets the colour and the weight of the text behind it on a terminal."""


def drop_old_thoughts(conversation: Conversation) -> Conversation:
    """Return a conversation without thoughts before the newest request.

    Providers leave them out themselves. They stay in a message that has nothing else, and where other items
    name them, as those of Responses do.
    """
    messages = conversation.messages
    said = [at for at, one in enumerate(messages) if one.role == "user" and find_spoken(one)]
    if not said or conversation.format.rules.items:
        return conversation
    shown = (*map(_drop_thoughts, messages[: said[-1]]), *messages[said[-1] :])
    return attrs.evolve(conversation, messages=shown)


def _drop_thoughts(message: Message) -> Message:
    left = tuple(block for block in message.blocks if block.kind is not BlockKind.THINKING)
    return attrs.evolve(message, blocks=left) if left and len(left) < len(message.blocks) else message


def drop_colours(conversation: Conversation) -> Conversation:
    """Return a conversation without the colours of outputs: to a model they are noise that costs tokens."""
    return attrs.evolve(conversation, messages=tuple(map(_drop_colours, conversation.messages)))


def _drop_colours(message: Message) -> Message:
    if message.role != "tool" or not any("\x1b[" in block.text for block in message.blocks):
        return message
    return attrs.evolve(message, blocks=tuple(map(_drop_colours_of_block, message.blocks)))


def _drop_colours_of_block(block: Block) -> Block:
    is_text = all(inner.kind is BlockKind.TEXT for inner in block.blocks)
    if block.kind is not BlockKind.RESULT or block.fixed or not is_text:
        return block
    text = _STYLE.sub("", block.text)
    return block.with_text(text) if text != block.text else block


def iter_thoughtless(
    before: Sequence[Message],
    after: Sequence[Message],
    count: Callable[[Sequence[Message]], Sequence[int]],
    address: Callable[[Message], str],
) -> Iterator[Cut]:
    """Yield the messages that lost nothing but their thoughts."""
    changed = [pair for pair in zip(before, after, strict=True) if len(pair[0].blocks) > len(pair[1].blocks)]
    whole, kept = count([one for one, _ in changed]), count([one for _, one in changed])
    for (message, _), tokens, left in zip(changed, whole, kept, strict=True):
        yield Cut(message.index, message.role, tokens, left, REASON, address(message))
