"""Count the messages of people in a window, and those that stand whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from satchel.conversation import find_spoken, spoken
from satchel.messages import BlockKind, Conversation, Message


def count_people(given: Conversation, made: Conversation) -> dict[str, int]:
    """Return how many messages people typed, and how many of them stand word for word in a window."""
    typed = [
        [text for text in _texts(message) if spoken(text)]
        for message in _users(given)
        if find_spoken(message)
    ]
    if made is given:
        return {"messages": len(typed), "whole": len(typed)}
    standing = Counter(text for message in _users(made) for text in _texts(message))
    whole = 0
    for texts in typed:
        if all(standing[text] >= count for text, count in Counter(texts).items()):
            standing.subtract(texts)
            whole += 1
    return {"messages": len(typed), "whole": whole}


def _users(conversation: Conversation) -> Iterable[Message]:
    return (message for message in conversation.messages if message.role == "user")


def _texts(message: Message) -> Iterable[str]:
    return (block.text for block in message.blocks if block.kind is BlockKind.TEXT and block.text.strip())
