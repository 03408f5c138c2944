"""OpenAI's chat format: messages with `content`, `tool_calls`, and a `tool` message for each result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import attrs

from satchel.plugin_api import (
    MADE_UP,
    Block,
    BlockKind,
    Flaw,
    FormatRules,
    FormatSign,
    Message,
    text_at,
    wrong_shape,
)
from satchel_plugins.formats import blocks
from satchel_plugins.formats.blocks import ChatFormat, Pending, is_typed_item, read_calls, read_function
from satchel_plugins.formats.images import count_openai_image

ROLES = {role: role for role in ("system", "developer", "user", "assistant", "tool")} | {"function": "tool"}
_THOUGHTS = ("reasoning_content", "reasoning")
_SIGNS = {"function_call": True, "tool_call_id": False, "refusal": False}
"""Keys of messages, and whether no other server uses them."""
_PARTS = frozenset({"image_url", "input_audio"})


@attrs.frozen
class OpenAi(ChatFormat):
    """OpenAI's chat completions, which many other servers take too."""

    name: ClassVar[str] = "openai"
    roles: ClassVar[Mapping[str, str]] = ROLES
    rules: ClassVar[FormatRules] = FormatRules(json_arguments=True)
    paths: ClassVar[tuple[str, ...]] = ("chat/completions",)
    cache_mark: ClassVar[str] = "cache_control"
    """OpenAI's own cache needs none: routers hand it on to models whose cache does."""

    def find_signs(self, items: Sequence[Any], request: Mapping[str, Any]) -> Iterator[FormatSign]:
        """Yield signs of the format: roles, keys, parts, and arguments that are texts."""
        for index, item in enumerate(items):
            if not isinstance(item, dict) or is_typed_item(item):
                continue
            if item.get("role") in ("developer", "function"):
                yield FormatSign(f"role {item['role']!r}", index, item["role"] == "function")
            for key, is_sure in _SIGNS.items():
                if item.get(key) is not None:
                    yield FormatSign(repr(key), index, is_sure)
            if any(isinstance(given, str) for given in blocks.list_arguments(item)):
                yield FormatSign("arguments that are a text", index)
            for kind in blocks.find_types(item, _PARTS):
                yield FormatSign(repr(kind), index)

    def mend(self, messages: Sequence[Message]) -> tuple[Sequence[Message], Sequence[Flaw]]:
        """Leave out empty lists of tool calls."""
        empty = {id(message) for message in messages if _has_empty_calls(message)}
        flaws = [
            Flaw(message.index, "empty", "an empty list of tool calls; it was left out")
            for message in messages
            if id(message) in empty
        ]
        return [_drop_calls(one) if id(one) in empty else one for one in messages], flaws

    def image_tokens(self, block: Block, model: str) -> int:
        """Return the tokens of an image by OpenAI's rule."""
        return count_openai_image(block.raw, model)

    def _read_blocks(self, item: dict[str, Any], place: str, pending: Pending) -> tuple[Block, ...]:
        found = blocks.blocks_of(item.get("content"), f"{place}.content")
        return (*_thoughts(item), *found, *_refusal(item), *_calls(item, place, pending))

    def _read_result(self, item: dict[str, Any], place: str, pending: Pending) -> Block:
        text, inner = blocks.read_result(item.get("content"), f"{place}.content")
        name = text_at(item, "name", place)
        if item["role"] == "function":
            id_ = pending.answer(name) or f"{MADE_UP}{place}"
        else:
            id_ = text_at(item, "tool_call_id", place)
        return Block(BlockKind.RESULT, text, name, id_, blocks=inner)

    def _write_result(self, block: Block, shell: dict[str, Any]) -> dict[str, Any]:
        content = blocks.write_result(block, shell.get("content"), "text")
        if shell["role"] == "function":
            return {**shell, "content": content}
        if shell.keys() == {"role"} and block.id.startswith(MADE_UP):  # of a call in the old form
            return {"role": "function", "name": block.name, "content": content}
        return {**shell, "role": "tool", "tool_call_id": block.id, "content": content}

    def _write_blocks(
        self, found: Sequence[Block], shell: dict[str, Any], message: Message
    ) -> dict[str, Any]:
        read = {id(block) for block in message.original}
        own = [block for block in found if block.raw is not None or not block.fixed]
        calls = [block for block in own if block.kind is BlockKind.CALL]
        shown = [block for block in own if block.kind is not BlockKind.CALL]
        gone = _gone(found, shell)
        kept = {key: value for key, value in shell.items() if key not in gone}
        content = blocks.write_content(shown, shell.get("content"), "text")
        if calls and not shown and not isinstance(shell.get("content"), str):
            content = None
        return {**kept, "content": content, **_write_calls(calls, read)}


def _has_empty_calls(message: Message) -> bool:
    return isinstance(message.raw, dict) and message.raw.get("tool_calls") == []


def _drop_calls(message: Message) -> Message:
    kept = {key: value for key, value in message.raw.items() if key != "tool_calls"}
    return attrs.evolve(message, raw=kept)


def _thoughts(item: dict[str, Any]) -> Iterable[Block]:
    for key in _THOUGHTS:
        if isinstance(item.get(key), str):
            yield Block(BlockKind.THINKING, item[key], key, fixed=True)


def _refusal(item: dict[str, Any]) -> Iterable[Block]:
    if isinstance(item.get("refusal"), str):
        yield Block(BlockKind.OPAQUE, item["refusal"], "refusal", fixed=True)
    if isinstance(item.get("audio"), dict):
        yield Block(BlockKind.OPAQUE, name="audio", fixed=True)


def _calls(item: dict[str, Any], place: str, pending: Pending) -> list[Block]:
    found = read_calls(item, place, _call)
    old = item.get("function_call")
    if isinstance(old, dict):
        id_ = f"{MADE_UP}{place}.function_call"
        found.append(read_function(old, f"{place}.function_call", old, id_))
        pending.expect([(id_, found[-1].name)])
    return found


def _call(call: dict[str, Any], place: str) -> Block:
    id_ = text_at(call, "id", place)
    custom = call.get("custom")
    if isinstance(custom, dict):
        name = text_at(custom, "name", f"{place}.custom")
        said = text_at(custom, "input", f"{place}.custom")
        return Block(BlockKind.CALL, said, name, id_, free=True, raw=call)
    function = call.get("function")
    if not isinstance(function, dict):
        raise wrong_shape(f"{place}.function", "an object", function)
    return read_function(function, f"{place}.function", call, id_)


def _gone(found: Sequence[Block], shell: dict[str, Any]) -> set[str]:
    """Return the keys that a message has no block for any more."""
    named = {block.name for block in found if block.fixed and block.raw is None}
    thoughts = {key for key in _THOUGHTS if isinstance(shell.get(key), str) and key not in named}
    return {"tool_calls", "function_call"} | thoughts


def _write_calls(calls: Sequence[Block], read: set[int]) -> dict[str, Any]:
    old = [call for call in calls if _is_old(call)]
    new = [call.raw if id(call) in read else _write_call(call) for call in calls if not _is_old(call)]
    written: dict[str, Any] = {"tool_calls": new} if new else {}
    if old:
        written["function_call"] = {**old[0].raw, "name": old[0].name, "arguments": old[0].text}
    return written


def _is_old(call: Block) -> bool:
    return isinstance(call.raw, dict) and "function" not in call.raw and "custom" not in call.raw


def _write_call(call: Block) -> dict[str, Any]:
    raw = call.raw or {"id": call.id, "type": "function", "function": {}}
    if "custom" in raw and "function" not in raw:
        return {**raw, "id": call.id, "custom": {**raw["custom"], "name": call.name, "input": call.text}}
    function = raw["function"]
    said = blocks.arguments_as(call.text, function.get("arguments") or "")
    return {**raw, "id": call.id, "function": {**function, "name": call.name, "arguments": said}}
