"""Write a window in any provider's format, or as a text to read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from satchel.compaction.windows import category
from satchel.conversation import repair
from satchel.interfaces import MessageFormat
from satchel.messages import Block, BlockKind, Conversation, Message
from satchel.patterns import lazily

_ODD = lazily(r"[^A-Za-z0-9_-]")
_PLAIN = (BlockKind.TEXT, BlockKind.CALL, BlockKind.RESULT)
_ATTACHED = (BlockKind.IMAGE, BlockKind.DOCUMENT)


def convert(conversation: Conversation, form: MessageFormat) -> Conversation:
    """Return the conversation for a provider: its own messages untouched, another's rewritten.

    Content that only its own provider can read (thoughts, images, unknown blocks) is left out of another's
    messages; an image or a document leaves a line that says so.
    """
    messages: Sequence[Message] = conversation.messages
    if form.name != conversation.format.name:
        messages = [new for one in messages for new in _anew(one, form)]
    if not form.system_key:
        inside = tuple(attrs.evolve(one, outside=False) if one.outside else one for one in messages)
        return repair(Conversation(form, inside, list_key=form.list_key)).conversation
    said = [one for one in messages if one.role in ("system", "developer")]
    rest = tuple(one for one in messages if one.role not in ("system", "developer"))
    head = (_join_system(said),) if said else ()
    request: dict[str, Any] = {form.list_key: []}
    joined = form.rules.alternating
    made = Conversation(form, (*head, *rest), request, joined=joined, list_key=form.list_key)
    return repair(made).conversation


def _join_system(said: Sequence[Message]) -> Message:
    """Return the system's texts as one message outside of the list."""
    if len(said) == 1 and said[0].outside:
        return said[0]
    return Message("system", "\n\n".join(one.text for one in said), outside=True)


def _anew(message: Message, form: MessageFormat) -> Iterator[Message]:
    blocks = tuple(made for block in message.blocks if (made := _block(block)) is not None)
    if not form.rules.items or len(blocks) < 2:
        yield Message(message.role, blocks, message.index)
        return
    texts = tuple(block for block in blocks if block.kind is BlockKind.TEXT)
    if texts:
        yield Message(message.role, texts, message.index)
    for block in blocks:
        if block.kind is not BlockKind.TEXT:
            yield Message(message.role, (block,), message.index)


def _block(block: Block) -> Block | None:
    if block.kind in _ATTACHED:
        return Block(BlockKind.TEXT, block.text or f"[satchel: {block.kind} left out, of another format]")
    if block.kind not in _PLAIN:
        return None
    return Block(block.kind, block.text, block.name, _ODD.sub("_", block.id), block.error)


def frame_context(title: str, text: str) -> str:
    """Return a text between marks that the text can't imitate."""
    named = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()
    return f"<context {named}: {title}>\n{text}</context {named}>\n"


def as_text(messages: Sequence[Message]) -> str:
    """Return messages as a text to read: a heading for each."""
    return "".join(f"## {_title(message)}\n\n{_render_message(message)}\n" for message in messages)


def _title(message: Message) -> str:
    return "context" if category(message) == "context" else message.role


def _render_message(message: Message) -> str:
    lines = []
    for block in message.blocks:
        if block.kind is BlockKind.CALL:
            lines.append(f"calls {block.name}: {block.text}\n")
        elif block.kind in _PLAIN:
            lines.append(block.text if block.text.endswith("\n") else f"{block.text}\n")
    return "".join(lines)
