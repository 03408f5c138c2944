"""Ollama's chat format: text contents, images beside them, and calls whose arguments are objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import attrs

from satchel.plugin_api import MADE_UP, Block, BlockKind, FormatSign, Message, list_at, text_at, wrong_shape
from satchel_plugins.formats import blocks
from satchel_plugins.formats.blocks import ChatFormat, Pending, is_typed_item, read_calls, read_function

ROLES = {role: role for role in ("system", "user", "assistant", "tool")}
_SIGNS = {"tool_name": True, "images": True, "thinking": False}
"""Keys of messages, and whether no other server uses them."""


@attrs.frozen
class Ollama(ChatFormat):
    """Ollama's own chat interface."""

    name: ClassVar[str] = "ollama"
    roles: ClassVar[Mapping[str, str]] = ROLES
    paths: ClassVar[tuple[str, ...]] = ("api/chat",)
    sized_as: ClassVar[str] = "ollama:"

    def find_signs(self, items: Sequence[Any], request: Mapping[str, Any]) -> Iterator[FormatSign]:
        """Yield signs of the format: keys, and arguments that are objects."""
        for key in ("keep_alive", "options"):
            if key in request:
                yield FormatSign(repr(key))
        for index, item in enumerate(items):
            if not isinstance(item, dict) or is_typed_item(item):
                continue
            for key, is_sure in _SIGNS.items():
                if item.get(key) is not None:
                    yield FormatSign(repr(key), index, is_sure)
            if any(isinstance(given, dict) for given in blocks.list_arguments(item)):
                yield FormatSign("arguments that are an object", index)

    def image_tokens(self, block: Block, model: str) -> int:
        """Return the larger models' tokens for a tile (Llama 3.2 Vision); Ollama has no rule of its own."""
        return 1_601

    def describe_error(self, reason: str) -> Any:
        """Return an error in Ollama's form."""
        return {"error": reason}

    def with_window(self, request: dict[str, Any], tokens: int) -> dict[str, Any]:
        """Return a request with the option `num_ctx`, the same one if it already has it."""
        options = request.get("options")
        given = options if isinstance(options, dict) else {}
        return request if "num_ctx" in given else {**request, "options": {**given, "num_ctx": tokens}}

    def _read_blocks(self, item: dict[str, Any], place: str, pending: Pending) -> tuple[Block, ...]:
        return (
            *_thinking(item, place),
            *_text(item, place),
            *_images(item, place),
            *_calls(item, place, pending),
        )

    def _read_result(self, item: dict[str, Any], place: str, pending: Pending) -> Block:
        name = text_at(item, "tool_name", place) or text_at(item, "name", place)
        id_ = (
            pending.note_answer(text_at(item, "tool_call_id", place))
            or pending.answer(name)
            or f"{MADE_UP}{place}"
        )
        images = tuple(_images(item, place))
        inner = (*_text(item, place), *images) if images else ()
        return Block(BlockKind.RESULT, text_at(item, "content", place), name, id_, blocks=inner)

    def _write_result(self, block: Block, shell: dict[str, Any]) -> dict[str, Any]:
        images = [inner.raw for inner in block.blocks if inner.kind is BlockKind.IMAGE]
        kept = {key: value for key, value in shell.items() if key != "images"}
        named = {"tool_name": block.name} if block.name and not ({"name", "tool_name"} & shell.keys()) else {}
        joining = {"tool_call_id": block.id} if "tool_call_id" in shell else {}
        said = blocks.texts_of(block.blocks) if block.blocks else block.text
        written = {**kept, "role": "tool", "content": said, **named, **joining}
        return written | ({"images": images} if images else {})

    def _write_blocks(
        self, found: Sequence[Block], shell: dict[str, Any], message: Message
    ) -> dict[str, Any]:
        images = [block.raw for block in found if block.kind is BlockKind.IMAGE]
        thoughts = [block.text for block in found if block.kind is BlockKind.THINKING]
        calls = [_write_call(block) for block in found if block.kind is BlockKind.CALL]
        kept = {key: value for key, value in shell.items() if key not in ("images", "thinking", "tool_calls")}
        written = {**kept, "content": blocks.texts_of(found)}
        extra = (("thinking", "\n".join(thoughts)), ("images", images), ("tool_calls", calls))
        return {**written, **{key: value for key, value in extra if value}}


def _text(item: dict[str, Any], place: str) -> tuple[Block, ...]:
    if item.get("content") is None:
        return ()
    return (Block(BlockKind.TEXT, text_at(item, "content", place)),)


def _thinking(item: dict[str, Any], place: str) -> Iterable[Block]:
    if isinstance(item.get("thinking"), str):
        yield Block(BlockKind.THINKING, item["thinking"], "thinking", fixed=True)


def _images(item: dict[str, Any], place: str) -> Iterable[Block]:
    for image in list_at(item, "images", place):
        yield Block(BlockKind.IMAGE, raw=image)


def _calls(item: dict[str, Any], place: str, pending: Pending) -> list[Block]:
    found = read_calls(item, place, _call)
    if found:
        pending.expect([(call.id, call.name) for call in found])
    return found


def _call(call: dict[str, Any], place: str) -> Block:
    function = call.get("function")
    if not isinstance(function, dict):
        raise wrong_shape(f"{place}.function", "an object", function)
    id_ = text_at(call, "id", place) or f"{MADE_UP}{place}"
    return read_function(function, f"{place}.function", call, id_)


def _write_call(call: Block) -> dict[str, Any]:
    raw = call.raw or {"function": {}}
    function = raw["function"]
    joining = {"id": call.id} if "id" in raw else {}
    said = blocks.arguments_as(call.text, function.get("arguments"))
    return {**raw, **joining, "function": {**function, "name": call.name, "arguments": said}}
