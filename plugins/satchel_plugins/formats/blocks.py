"""Common parts of providers' formats: blocks, JSON shapes, calls without ids."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from satchel.plugin_api import (
    Block,
    BlockKind,
    ConversationError,
    Message,
    MessageFormat,
    as_json,
    describe_json,
    item_at,
    list_at,
    text_at,
    wrong_shape,
)


def is_typed_item(item: Mapping[str, Any]) -> bool:
    """Return whether an object of a list has a type of its own, like the items of Responses."""
    return isinstance(item.get("type"), str) and ("role" not in item or item["type"] == "message")


def find_types(item: Mapping[str, Any], known: frozenset[str]) -> Iterator[str]:
    """Yield the types of a message's parts that are among the known ones."""
    content = item.get("content")
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(kind, str) and kind in known:
            yield kind


def list_arguments(item: Mapping[str, Any]) -> list[Any]:
    """Return the arguments of the functions that a message calls."""
    calls = item.get("tool_calls")
    functions = [
        call.get("function") for call in (calls if isinstance(calls, list) else ()) if isinstance(call, dict)
    ]
    return [function.get("arguments") for function in functions if isinstance(function, dict)]


def role_at(holder: Mapping[str, Any], roles: Mapping[str, str], place: str) -> str:
    """Return satchel's word for the role of a message."""
    role = holder.get("role")
    known = roles.get(role) if isinstance(role, str) else None
    if known is None:
        asked = repr(role) if isinstance(role, str) else describe_json(role)
        raise ConversationError(f"{place}.role", f"expected one of {', '.join(roles)}, not {asked}")
    return known


def arguments_as(text: str, like: object) -> Any:
    """Return a call's arguments in the shape of `like`: an object, or their text.

    Text that is not a JSON object is kept unchanged under the key "text".
    """
    return text if isinstance(like, str) else object_of(text)


def object_of(text: str) -> dict[str, Any]:
    """Return the JSON object in a text; any other text is put under the key "text"."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"text": text}


Reader = Callable[[dict[str, Any], str], Block]

# positions in a text: wrong once the text is changed
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
"""Readers of parts by their type; each gets the part and its place."""


def block_of(part: Any, place: str, readers: Mapping[str, Reader] = READERS) -> Block:
    """Return the block of one part of a content list."""
    if isinstance(part, str):
        return Block(BlockKind.TEXT, part, raw=part)
    if not isinstance(part, dict):
        raise wrong_shape(place, "an object", part)
    kind = part.get("type")
    reader = readers.get(kind, opaque) if isinstance(kind, str) else opaque
    return reader(part, place)


def blocks_of(content: object, place: str, readers: Mapping[str, Reader] = READERS) -> tuple[Block, ...]:
    """Return the blocks of a content: a text, a list of parts, or nothing."""
    if isinstance(content, str):
        return (Block(BlockKind.TEXT, content),)
    if content is None:
        return ()
    if not isinstance(content, list):
        raise wrong_shape(place, "a text, a list or null", content)
    return tuple(block_of(part, f"{place}[{at}]", readers) for at, part in enumerate(content))


def leaves(parts: Iterable[Any], place: str) -> tuple[Block, ...]:
    """Return the blocks inside a result or a document, none of which holds others."""
    return tuple(block_of(part, f"{place}[{at}]", _LEAVES) for at, part in enumerate(parts))


def texts_of(blocks: Iterable[Block]) -> str:
    """Return the texts among blocks."""
    return "\n".join(block.text for block in blocks if block.kind is BlockKind.TEXT)


def read_result(content: object, place: str) -> tuple[str, tuple[Block, ...]]:
    """Return the text of a result and, if it is more than one text, its blocks."""
    if isinstance(content, str):
        return content, ()
    if isinstance(content, dict):
        inner = leaves((content,), place)
        return texts_of(inner), inner
    if content is None:
        return "", ()
    if not isinstance(content, list):
        raise wrong_shape(place, "a text, a list or null", content)
    inner = leaves(content, place)
    return texts_of(inner), inner


def is_untouched(message: Message) -> bool:
    """Return whether a message is as it was read, so that its own JSON can be written again."""
    return message.raw is not None and message.blocks is message.original


def write_text(block: Block, text_type: str) -> Any:
    """Return the part of a text: the original with its text replaced, or a new one."""
    if isinstance(block.raw, dict) and block.kind is BlockKind.TEXT:
        if block.raw.get("text") == block.text:
            return block.raw
        kept = {key: value for key, value in block.raw.items() if key not in _STALE}
        empty: dict[str, Any] = {"annotations": []} if "annotations" in kept else {}
        return {**kept, **empty, "text": block.text}
    return {"type": text_type, "text": block.text}


def write_part(block: Block, text_type: str) -> Any:
    """Return the part of any block that is neither a call nor a result."""
    if block.kind is BlockKind.TEXT or block.raw is None:
        return write_text(block, text_type)
    return block.raw


def write_content(blocks: Iterable[Block], like: object, text_type: str) -> Any:
    """Return blocks as a content: one text unless `like` is a list, else a list of parts."""
    several = tuple(blocks)
    plain = all(block.kind is BlockKind.TEXT and not isinstance(block.raw, dict) for block in several)
    if not isinstance(like, list) and plain and len(several) <= 1:
        return several[0].text if several else ""
    return [write_part(block, text_type) for block in several]


def write_result(block: Block, like: object, text_type: str) -> Any:
    """Return a result in the shape of `like`: a text, or a list of parts."""
    if block.blocks:
        return [write_part(inner, text_type) for inner in block.blocks]
    if isinstance(like, list):
        return [{"type": text_type, "text": block.text}] if block.text else []
    return block.text


class Pending:
    """The calls of the last message that still wait for their results."""

    def __init__(self) -> None:
        self._waiting: dict[str, str] = {}
        self._named: dict[str, deque[str]] = {}

    def expect(self, calls: list[tuple[str, str]]) -> None:
        """Wait for the results of these calls, given as (id, name), and of no others."""
        self._waiting = dict(calls)
        self._named = {}
        for id_, name in calls:
            self._named.setdefault(name, deque()).append(id_)

    def note_answer(self, id_: str) -> str:
        """Stop waiting for the result of this call, which has its id; return the id."""
        self._waiting.pop(id_, None)
        return id_

    def answer(self, name: str) -> str:
        """Return the id of the call that a result belongs to, "" if no call waits.

        It is the first of that name, or the first of all.
        """
        same = self._named.get(name, deque())
        while same:
            id_ = same.popleft()
            if self._waiting.pop(id_, None) is not None:
                return id_
        first = next(iter(self._waiting), "")
        self._waiting.pop(first, None)
        return first


class ChatFormat(MessageFormat):
    """A format of chats: messages with a role, calls under `tool_calls`, a message for each result."""

    roles: ClassVar[Mapping[str, str]]
    """Role -> satchel's word for it."""

    def read_messages(self, items: Any, place: str) -> list[Message]:
        """Return the messages of a list."""
        pending = Pending()
        return [
            self._read(item_at(items, index, place), index, f"{place}[{index}]", pending)
            for index in range(len(items))
        ]

    def write_messages(self, messages: Sequence[Message], *, joined: bool) -> list[Any]:
        """Return messages as a list of objects: unchanged ones as they came."""
        written: list[Any] = []
        for message in messages:
            written.extend((message.raw,) if is_untouched(message) else self._write(message))
        return written

    def _read(self, item: dict[str, Any], index: int, place: str, pending: Pending) -> Message:
        role = role_at(item, self.roles, place)
        if role == "tool":
            found: tuple[Block, ...] = (self._read_result(item, place, pending),)
        else:
            found = self._read_blocks(item, place, pending)
        return Message(role, found, index, raw=item, original=found)

    def _write(self, message: Message) -> Iterator[dict[str, Any]]:
        shell: dict[str, Any] = message.raw or {"role": message.role}
        results = message.results
        yield from (self._write_result(block, shell) for block in results)
        rest = tuple(block for block in message.blocks if block.kind is not BlockKind.RESULT)
        if rest or not results:
            yield self._write_blocks(rest, shell, message)

    def _read_blocks(self, item: dict[str, Any], place: str, pending: Pending) -> tuple[Block, ...]:
        raise NotImplementedError

    def _read_result(self, item: dict[str, Any], place: str, pending: Pending) -> Block:
        raise NotImplementedError

    def _write_blocks(
        self, found: Sequence[Block], shell: dict[str, Any], message: Message
    ) -> dict[str, Any]:
        """Return the blocks of a message that are not results, with the keys of the object it came from."""
        raise NotImplementedError

    def _write_result(self, block: Block, shell: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError


def read_calls(item: dict[str, Any], place: str, read: Callable[[dict[str, Any], str], Block]) -> list[Block]:
    """Return the calls of a message."""
    listed, at = list_at(item, "tool_calls", place), f"{place}.tool_calls"
    return [read(item_at(listed, number, at), f"{at}[{number}]") for number in range(len(listed))]


def read_function(holder: dict[str, Any], place: str, raw: object, id_: str) -> Block:
    """Return the call of a function, with its name and its arguments."""
    given = holder.get("arguments")
    said = given if isinstance(given, str) else "" if given is None else as_json(given, place)
    return Block(BlockKind.CALL, said, text_at(holder, "name", place), id_, raw=raw)
