"""OpenAI's Responses format: a list of items: messages, calls, results and others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import attrs

from satchel.plugin_api import (
    Block,
    BlockKind,
    FormatRules,
    FormatSign,
    Message,
    MessageFormat,
    as_json,
    item_at,
    list_at,
    text_at,
    wrong_shape,
)
from satchel_plugins.formats import blocks
from satchel_plugins.formats.anthropic import is_answer
from satchel_plugins.formats.blocks import is_typed_item
from satchel_plugins.formats.images import count_openai_image

ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "developer"}
_PARTS = frozenset({"input_text", "output_text", "input_image", "input_file"})
_FRAME = frozenset({"type", "id", "call_id", "status"})
# what a call says and who is called, where it is not a plain function
_SAID = {"function_call": "arguments", "custom_tool_call": "input", "mcp_approval_request": "arguments"}
# results whose text can be replaced; of all others the shape is the provider's own
_TEXTUAL = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
# types of items: all of the tools that OpenAI brings end alike
_ENDINGS, _OTHERS = (
    ("_call", "_output"),
    frozenset({"message", "reasoning", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"}),
)
# what a result that was put in for a call is, where it is not that of a plain function
_OUTPUTS = {"custom_tool_call": "custom_tool_call_output"}


@attrs.frozen
class Responses(MessageFormat):
    """OpenAI's Responses API."""

    name: ClassVar[str] = "responses"
    list_key: ClassVar[str] = "input"
    system_key: ClassVar[str] = "instructions"
    takes_text: ClassVar[bool] = True
    rules: ClassVar[FormatRules] = FormatRules(
        items=True,
        json_arguments=True,
        thoughts_alone=True,
        kept_history=frozenset({"previous_response_id", "conversation", "item_reference", "compaction"}),
    )
    paths: ClassVar[tuple[str, ...]] = ("responses",)
    cache_mark: ClassVar[str] = "cache_control"
    """OpenAI's own cache needs none: routers hand it on to models whose cache does."""

    def find_signs(self, items: Sequence[Any], request: Mapping[str, Any]) -> Iterator[FormatSign]:
        """Yield signs of the format: keys of the request, types of items and of parts."""
        for key in ("instructions", "previous_response_id"):
            if key in request:
                yield FormatSign(repr(key))
        for index, item in enumerate(items):
            if not isinstance(item, dict):
                continue
            if is_typed_item(item):
                if _is_known(item["type"]) and not is_answer(item):
                    yield FormatSign(repr(item["type"]), index)
                continue
            for kind in blocks.find_types(item, _PARTS):
                yield FormatSign(repr(kind), index)

    def read_messages(self, items: Any, place: str) -> list[Message]:
        """Return the messages of an input: one for each item; a text is a user's message."""
        if isinstance(items, str):
            said = (Block(BlockKind.TEXT, items),)
            return [Message("user", said, 0, raw=items, original=said)]
        return [_read(item_at(items, index, place), index, place) for index in range(len(items))]

    def write_messages(self, messages: Sequence[Message], *, joined: bool) -> Any:
        """Return messages as a list of items; a single original text as a text."""
        if len(messages) == 1 and isinstance(messages[0].raw, str) and len(messages[0].blocks) == 1:
            return messages[0].text
        types = {call.id: call.raw["type"] for message in messages for call in message.calls if call.raw}
        written: list[Any] = []
        for message in messages:
            plain = blocks.is_untouched(message) and not isinstance(message.raw, str)
            written.extend((message.raw,) if plain else _write_message(message, types))
        return written

    def read_system(self, value: Any) -> Message | None:
        """Return the instructions as a system message, None if there are none."""
        if not value:
            return None
        if not isinstance(value, str | list):
            raise wrong_shape(self.system_key, "a text, a list or null", value)
        if isinstance(value, list):
            inner = self.read_messages(value, self.system_key)
            found = tuple(block for message in inner for block in message.blocks)
            found = tuple(Block(block.kind, block.text, block.name, fixed=True) for block in found)
        else:
            found = (Block(BlockKind.TEXT, value),)
        return Message("system", found, outside=True, raw=value, original=found)

    def write_system(self, message: Message) -> Any:
        """Return a system message as instructions."""
        return message.raw if blocks.is_untouched(message) else message.text

    def image_tokens(self, block: Block, model: str) -> int:
        """Return the tokens of an image by OpenAI's rule."""
        return count_openai_image(block.raw, model)


def _is_known(kind: str) -> bool:
    """Return whether Responses has items of this type: lists of other makers have `human` or `ai`, too."""
    return kind.endswith(_ENDINGS) or kind in _OTHERS or kind in Responses.rules.kept_history


def _read(item: dict[str, Any], index: int, around: str) -> Message:
    place = f"{around}[{index}]"
    kind = item.get("type")
    if kind == "message" or (kind is None and "role" in item):
        role = blocks.role_at(item, ROLES, place)
        found = blocks.blocks_of(item.get("content"), f"{place}.content")
        return Message(role, found, index, raw=item, original=found)
    if not isinstance(kind, str):
        raise wrong_shape(f"{place}.type", "a text", kind)
    role, block = _read_own_item(item, kind, place)
    found = (block,)
    return Message(role, found, index, raw=item, original=found)


def _read_own_item(item: dict[str, Any], kind: str, place: str) -> tuple[str, Block]:
    """Return the role and the block of an item that is not a message."""
    if kind == "reasoning":
        return "assistant", Block(
            BlockKind.THINKING, _thoughts(item, place), "reasoning", fixed=True, raw=item
        )
    if kind == "mcp_approval_request":
        return "assistant", _call(item, kind, (place, "id"))
    if kind == "mcp_approval_response":
        id_ = text_at(item, "approval_request_id", place)
        return "tool", Block(BlockKind.RESULT, name=kind, id=id_, fixed=True, raw=item)
    if kind in _SAID or (kind.endswith("_call") and isinstance(item.get("call_id"), str)):
        return "assistant", _call(item, kind, (place, "call_id"))
    if kind.endswith("_output"):
        return "tool", _result(item, kind, place)
    return "assistant", blocks.opaque(item, place)


def _thoughts(item: dict[str, Any], place: str) -> str:
    parts = (*list_at(item, "summary", place), *list_at(item, "content", place))
    return blocks.texts_of(blocks.leaves(parts, f"{place}.summary"))


def _call(item: dict[str, Any], kind: str, where: tuple[str, str]) -> Block:
    place, key = where
    id_ = text_at(item, key, place)
    name = text_at(item, "name", place) or kind.removesuffix("_call")
    if kind in _SAID:
        said, fixed = text_at(item, _SAID[kind], place), kind.startswith("mcp")
        is_free = kind == "custom_tool_call"
        return Block(BlockKind.CALL, said, name, id_, fixed=fixed, free=is_free, raw=item)
    asked = {key: value for key, value in item.items() if key not in _FRAME}
    return Block(BlockKind.CALL, as_json(asked, place), name, id_, fixed=True, raw=item)


def _result(item: dict[str, Any], kind: str, place: str) -> Block:
    id_ = text_at(item, "call_id", place) or text_at(item, "id", place)
    text, inner = blocks.read_result(item.get("output"), f"{place}.output")
    return Block(BlockKind.RESULT, text, "", id_, blocks=inner, fixed=kind not in _TEXTUAL, raw=item)


def _write_message(message: Message, types: Mapping[str, str]) -> Iterable[dict[str, Any]]:
    read = {id(block) for block in message.original}
    standing = [block for block in message.blocks if _is_own_item(block, message)]
    shown = [block for block in message.blocks if not _is_own_item(block, message)]
    if shown or not standing:
        yield _write_texts(message, shown)
    for block in standing:
        yield block.raw if id(block) in read else _write_block(block, types)


def _is_own_item(block: Block, message: Message) -> bool:
    """Return whether a block is an item of its own and not a part of a message."""
    if block.kind in (BlockKind.CALL, BlockKind.RESULT):
        return True
    return block.raw is not None and block.raw is message.raw


def _write_texts(message: Message, shown: Sequence[Block]) -> dict[str, Any]:
    own = isinstance(message.raw, dict) and "role" in message.raw
    shell = message.raw if own else {"role": "user" if message.role == "tool" else message.role}
    text_type = "output_text" if message.role == "assistant" else "input_text"
    return {**shell, "content": blocks.write_content(shown, shell.get("content"), text_type)}


def _write_block(block: Block, types: Mapping[str, str]) -> dict[str, Any]:
    if block.kind is BlockKind.CALL:
        return _write_call(block)
    if block.kind is BlockKind.RESULT:
        return _write_result(block, _OUTPUTS.get(types.get(block.id, ""), "function_call_output"))
    return dict(block.raw)


def _write_call(call: Block) -> dict[str, Any]:
    raw = call.raw or {"type": "function_call", "call_id": call.id}
    if raw["type"] == "mcp_approval_request":
        return {**raw, "id": call.id}
    if raw["type"] not in _SAID:
        return {**raw, "call_id": call.id}
    return {**raw, "call_id": call.id, "name": call.name, _SAID[raw["type"]]: call.text}


def _write_result(result: Block, usual: str) -> dict[str, Any]:
    raw = result.raw or {"type": usual}
    if raw["type"] == "mcp_approval_response":
        return {**raw, "approval_request_id": result.id}
    joining = {"call_id": result.id} if "call_id" in raw or "id" not in raw else {}
    if raw["type"] not in _TEXTUAL:
        return {**raw, **joining}
    return {**raw, **joining, "output": blocks.write_result(result, raw.get("output"), "input_text")}
