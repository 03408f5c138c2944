"""Ollama's chat format: text contents, images beside them, and calls whose arguments are objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from satchel.conversation.formats import shared
from satchel.conversation.formats.shared import Pending, read_listed, write_objects
from satchel.messages import MADE_UP, Block, BlockKind, Message

PLACE = "messages"
OUTSIDE = ""
ROLES = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
_PLAIN = frozenset({"role", "content"})


def read_items(items: Sequence[Any], place: str = PLACE) -> list[Message]:
    """Return the messages of a list."""
    pending = Pending()

    def _found(item: dict[str, Any], role: str, at: str) -> tuple[Block, ...]:
        return (_result(item, at, pending),) if role == "tool" else _blocks(item, at, pending)

    return read_listed(items, place, ROLES, _found)


def _blocks(item: dict[str, Any], place: str, pending: Pending) -> tuple[Block, ...]:
    if _PLAIN.issuperset(item):
        return _text(item, place)
    return (
        *_thinking(item, place),
        *_text(item, place),
        *_images(item, place),
        *_calls(item, place, pending),
    )


def _text(item: dict[str, Any], place: str) -> tuple[Block, ...]:
    if item.get("content") is None:
        return ()
    return (Block(BlockKind.TEXT, shared.text_at(item, "content", place)),)


def _thinking(item: dict[str, Any], place: str) -> Iterable[Block]:
    if isinstance(item.get("thinking"), str):
        yield Block(BlockKind.THINKING, item["thinking"], "thinking", fixed=True)


def _images(item: dict[str, Any], place: str) -> Iterable[Block]:
    for image in shared.list_at(item, "images", place):
        yield Block(BlockKind.IMAGE, raw=image)


def _calls(item: dict[str, Any], place: str, pending: Pending) -> list[Block]:
    listed = shared.list_at(item, "tool_calls", place)
    at = f"{place}.tool_calls"
    found = [_call(shared.item_at(listed, number, at), f"{at}[{number}]") for number in range(len(listed))]
    if found:
        pending.expect([(call.id, call.name) for call in found])
    return found


def _call(call: dict[str, Any], place: str) -> Block:
    function = call.get("function")
    if not isinstance(function, dict):
        raise shared.wrong(f"{place}.function", "an object", function)
    given = function.get("arguments")
    said = given if isinstance(given, str) else "" if given is None else shared.as_json(given, place)
    name = shared.text_at(function, "name", f"{place}.function")
    return Block(
        BlockKind.CALL, said, name, shared.text_at(call, "id", place) or f"{MADE_UP}{place}", raw=call
    )


def _result(item: dict[str, Any], place: str, pending: Pending) -> Block:
    name = shared.text_at(item, "tool_name", place) or shared.text_at(item, "name", place)
    id_ = (
        pending.note_answer(shared.text_at(item, "tool_call_id", place))
        or pending.answer(name)
        or f"{MADE_UP}{place}"
    )
    images = tuple(_images(item, place))
    inner = (*_text(item, place), *images) if images else ()
    return Block(BlockKind.RESULT, shared.text_at(item, "content", place), name, id_, blocks=inner)


def write_items(messages: Sequence[Message], *, joined: bool = False) -> list[Any]:
    """Return messages as a list of Ollama's format."""
    return write_objects(messages, _write_texts, _write_result)


def _write_result(block: Block, shell: dict[str, Any]) -> dict[str, Any]:
    images = [inner.raw for inner in block.blocks if inner.kind is BlockKind.IMAGE]
    kept = {key: value for key, value in shell.items() if key != "images"}
    named = {"tool_name": block.name} if block.name and not ({"name", "tool_name"} & shell.keys()) else {}
    joining = {"tool_call_id": block.id} if "tool_call_id" in shell else {}
    said = shared.texts_of(block.blocks) if block.blocks else block.text
    written = {**kept, "role": "tool", "content": said, **named, **joining}
    return written | ({"images": images} if images else {})


def _write_texts(found: Sequence[Block], shell: dict[str, Any], message: Message) -> dict[str, Any]:
    images = [block.raw for block in found if block.kind is BlockKind.IMAGE]
    thoughts = [block.text for block in found if block.kind is BlockKind.THINKING]
    calls = [_write_call(block) for block in found if block.kind is BlockKind.CALL]
    kept = {key: value for key, value in shell.items() if key not in ("images", "thinking", "tool_calls")}
    written = {**kept, "content": shared.texts_of(found)}
    extra = (("thinking", "\n".join(thoughts)), ("images", images), ("tool_calls", calls))
    return {**written, **{key: value for key, value in extra if value}}


def _write_call(call: Block) -> dict[str, Any]:
    raw = call.raw or {"function": {}}
    function = raw["function"]
    joining = {"id": call.id} if "id" in raw else {}
    said = shared.arguments_as(call.text, function.get("arguments"))
    return {**raw, **joining, "function": {**function, "name": call.name, "arguments": said}}
