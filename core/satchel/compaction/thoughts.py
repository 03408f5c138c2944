"""Leave out the thoughts of earlier turns: no provider reads them again once a person has spoken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import attrs

from satchel.compaction.windows import Cut
from satchel.conversation import find_spoken
from satchel.messages import BlockKind, Conversation, Message

REASON = "shortened: thoughts of an earlier turn"


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


def iter_thoughtless(
    before: Sequence[Message],
    after: Sequence[Message],
    count: Callable[[Sequence[Message]], Sequence[int]],
    address: Callable[[Message], str],
) -> Iterator[Cut]:
    """Yield the messages that lost nothing but their thoughts."""
    changed = [pair for pair in zip(before, after, strict=True) if pair[0] is not pair[1]]
    whole, kept = count([one for one, _ in changed]), count([one for _, one in changed])
    for (message, _), tokens, left in zip(changed, whole, kept, strict=True):
        yield Cut(message.index, message.role, tokens, left, REASON, address(message))
