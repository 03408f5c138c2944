"""Exchanges: messages that stand and fall together, so that no packer can part a call from its results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from satchel.messages import BlockKind, Conversation, Exchange, Message


def exchanges_of(conversation: Conversation) -> tuple[Exchange, ...]:
    """Return the exchanges of a repaired conversation, in order; each message is in exactly one.

    Ids come from where the first message stood in what came in: they stay as messages are appended.
    """
    runs = list(_runs(conversation.messages, items=conversation.format.rules.items))
    return tuple(Exchange(id_, run) for id_, run in zip(_ids(runs), runs, strict=True))


def _runs(messages: Sequence[Message], *, items: bool) -> Iterator[tuple[Message, ...]]:
    run: list[Message] = []
    called = False
    for message in messages:
        if run and not _continues(message, run, items=items, called=called):
            yield tuple(run)
            run, called = [], False
        run.append(message)
        called = called or bool(message.calls)
    if run:
        yield tuple(run)


def _continues(message: Message, run: Sequence[Message], *, items: bool, called: bool) -> bool:
    """Whether a message belongs to the exchange before it.

    In a list of items, an answer of the model is as many items as it has thoughts, texts and calls.
    """
    if run[0].role != "assistant":
        return False
    if message.role == "tool":
        return True
    if not items or message.role != "assistant" or run[-1].role == "tool":
        return False
    return called or not _thinks(message) or _thinks(run[-1])


def _thinks(message: Message) -> bool:
    return bool(message.blocks) and message.blocks[0].kind is BlockKind.THINKING


def _ids(runs: Sequence[Sequence[Message]]) -> Iterator[str]:
    times: dict[str, int] = {}
    for run in runs:
        name = "system" if run[0].outside else f"m{run[0].index}" if run[0].index >= 0 else "new"
        again = times[name] = times.get(name, -1) + 1
        yield f"{name}.{again}" if again or name == "new" else name
