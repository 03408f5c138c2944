"""Count the messages of people in a window, and those that stand whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from satchel.conversation import spoken
from satchel.messages import BlockKind, Conversation, Message


def count_people(given: Conversation, made: Conversation) -> dict[str, int]:
    """Return how many messages people typed, and how many of them stand word for word in a window."""
    # messages in a row may be joined, where a provider takes no two: each is a text of its own
    typed = Counter(text for message in _users(given) for text in _texts(message) if spoken(text))
    standing = Counter(text for message in _users(made) for text in _texts(message))
    return {"messages": typed.total(), "whole": (typed & standing).total()}


def _users(conversation: Conversation) -> Iterable[Message]:
    return (message for message in conversation.messages if message.role == "user")


def _texts(message: Message) -> Iterable[str]:
    return (block.text for block in message.blocks if block.kind is BlockKind.TEXT and block.text.strip())
