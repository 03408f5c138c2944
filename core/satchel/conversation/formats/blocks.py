"""Blocks that providers have in common: texts, images, documents, thinking, and what nobody knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from satchel.conversation.formats.shapes import list_at, text_at, wrong
from satchel.messages import Block, BlockKind, Message

Reader = Callable[[dict[str, Any], str], Block]

# what says where in a text something stands: wrong once it is changed
_STALE = frozenset({"citations", "logprobs"})


def _text(part: dict[str, Any], place: str) -> Block:
    return Block(BlockKind.TEXT, text_at(part, "text", place), raw=part)


def _refusal(part: dict[str, Any], place: str) -> Block:
    return Block(BlockKind.OPAQUE, text_at(part, "refusal", place), "refusal", fixed=True, raw=part)


def _image(part: dict[str, Any], place: str) -> Block:
    return Block(BlockKind.IMAGE, raw=part)


def _thinking(part: dict[str, Any], place: str) -> Block:
    said = part.get("thinking")
    return Block(BlockKind.THINKING, said if isinstance(said, str) else "", fixed=True, raw=part)


def _document(part: dict[str, Any], place: str) -> Block:
    source = part.get("source")
    title = part.get("title")
    name = title if isinstance(title, str) else ""
    if not isinstance(source, dict):
        return Block(BlockKind.DOCUMENT, name=name, raw=part)
    if source.get("type") == "text":
        return Block(BlockKind.DOCUMENT, text_at(source, "data", f"{place}.source"), name, raw=part)
    held = source.get("content")
    if isinstance(held, str):
        return Block(BlockKind.DOCUMENT, held, name, raw=part)
    inner = leaves(held, f"{place}.source.content") if isinstance(held, list) else ()
    return Block(BlockKind.DOCUMENT, texts_of(inner), name, blocks=inner, raw=part)


def _search_result(part: dict[str, Any], place: str) -> Block:
    inner = leaves(list_at(part, "content", place), f"{place}.content")
    title = part.get("title")
    name = title if isinstance(title, str) else ""
    return Block(BlockKind.DOCUMENT, texts_of(inner), name, blocks=inner, raw=part)


def opaque(part: dict[str, Any], place: str) -> Block:
    """Return a block that is kept or left out as it is; its name is its type."""
    kind = part.get("type")
    return Block(BlockKind.OPAQUE, name=kind if isinstance(kind, str) else "", fixed=True, raw=part)


def _file(part: dict[str, Any], place: str) -> Block:
    return Block(BlockKind.DOCUMENT, raw=part)


_LEAVES: Mapping[str, Reader] = {
    "text": _text,
    "input_text": _text,
    "output_text": _text,
    "summary_text": _text,
    "reasoning_text": _text,
    "refusal": _refusal,
    "image": _image,
    "image_url": _image,
    "input_image": _image,
    "computer_screenshot": _image,
    "file": _file,
    "input_file": _file,
}
READERS: Mapping[str, Reader] = {
    **_LEAVES,
    "thinking": _thinking,
    "redacted_thinking": _thinking,
    "document": _document,
    "search_result": _search_result,
}
"""Readers of parts by their type; each is handed the part and the place it stands in."""


def block_of(part: Any, place: str, readers: Mapping[str, Reader] = READERS) -> Block:
    """Return the block of one part of a content list."""
    if isinstance(part, str):
        return Block(BlockKind.TEXT, part, raw=part)
    if not isinstance(part, dict):
        raise wrong(place, "an object", part)
    kind = part.get("type")
    reader = readers.get(kind, opaque) if isinstance(kind, str) else opaque
    return reader(part, place)


def plain_message(item: Any, index: int, roles: Mapping[str, str]) -> Message | None:
    """Return a message that is a role and a text alone, as most are; None for any other."""
    if not isinstance(item, dict) or len(item) != 2:
        return None
    content, role = item.get("content"), item.get("role")
    if type(content) is not str or type(role) is not str or roles.get(role, "tool") == "tool":
        return None
    found = (Block(BlockKind.TEXT, content),)
    return Message(roles[role], found, index, raw=item, original=found)


def blocks_of(content: object, place: str, readers: Mapping[str, Reader] = READERS) -> tuple[Block, ...]:
    """Return the blocks of a content: a text, a list of parts, or nothing."""
    if isinstance(content, str):
        return (Block(BlockKind.TEXT, content),)
    if content is None:
        return ()
    if not isinstance(content, list):
        raise wrong(place, "a text, a list or null", content)
    return tuple(block_of(part, f"{place}[{at}]", readers) for at, part in enumerate(content))


def leaves(parts: Iterable[Any], place: str) -> tuple[Block, ...]:
    """Return the blocks inside of a result or a document, none of which holds others."""
    return tuple(block_of(part, f"{place}[{at}]", _LEAVES) for at, part in enumerate(parts))


def texts_of(blocks: Iterable[Block]) -> str:
    """Return what the texts among blocks say."""
    return "\n".join(block.text for block in blocks if block.kind is BlockKind.TEXT)


def held(content: object, place: str) -> tuple[str, tuple[Block, ...]]:
    """Return what a result says and, where it is more than one text, its blocks."""
    if isinstance(content, str):
        return content, ()
    if isinstance(content, dict):
        inner = leaves((content,), place)
        return texts_of(inner), inner
    if content is None:
        return "", ()
    if not isinstance(content, list):
        raise wrong(place, "a text, a list or null", content)
    inner = leaves(content, place)
    return texts_of(inner), inner


def untouched(message: Message) -> bool:
    """Whether a message is as it was read, so that its own JSON can be written again."""
    return message.raw is not None and message.blocks is message.original


def text_written(block: Block, text_type: str) -> Any:
    """Return the part of a text: what was read with its text replaced, or a new one."""
    if isinstance(block.raw, dict) and block.kind is BlockKind.TEXT:
        if block.raw.get("text") == block.text:
            return block.raw
        kept = {key: value for key, value in block.raw.items() if key not in _STALE}
        empty: dict[str, Any] = {"annotations": []} if "annotations" in kept else {}
        return {**kept, **empty, "text": block.text}
    return {"type": text_type, "text": block.text}


def part_written(block: Block, text_type: str) -> Any:
    """Return the part of any block that is no call and no result."""
    if block.kind is BlockKind.TEXT or block.raw is None:
        return text_written(block, text_type)
    return block.raw


def content_written(blocks: Iterable[Block], like: object, text_type: str) -> Any:
    """Return blocks as a content: one text where `like` is no list, else a list of parts."""
    several = tuple(blocks)
    plain = all(block.kind is BlockKind.TEXT and not isinstance(block.raw, dict) for block in several)
    if not isinstance(like, list) and plain and len(several) <= 1:
        return several[0].text if several else ""
    return [part_written(block, text_type) for block in several]


def result_written(block: Block, like: object, text_type: str) -> Any:
    """Return what a result says in the shape of `like`: a text, or a list of parts."""
    if block.blocks:
        return [part_written(inner, text_type) for inner in block.blocks]
    if isinstance(like, list):
        return [{"type": text_type, "text": block.text}] if block.text else []
    return block.text
