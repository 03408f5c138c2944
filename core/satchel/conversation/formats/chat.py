"""OpenAI's chat format: messages with `content`, `tool_calls`, and a `tool` message for each result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from satchel.conversation.formats import shared
from satchel.conversation.formats.shared import Pending, read_listed, write_objects
from satchel.messages import MADE_UP, Block, BlockKind, Message

PLACE = "messages"
OUTSIDE = ""
ROLES = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_THOUGHTS = ("reasoning_content", "reasoning")
_PLAIN = frozenset({"role", "content", "name"})


def read_items(items: Sequence[Any], place: str = PLACE) -> list[Message]:
    """Return the messages of a list."""
    pending = Pending()

    def _found(item: dict[str, Any], role: str, at: str) -> tuple[Block, ...]:
        return (_result(item, at, pending),) if role == "tool" else _blocks(item, at, pending)

    return read_listed(items, place, ROLES, _found)


def _blocks(item: dict[str, Any], place: str, pending: Pending) -> tuple[Block, ...]:
    found = shared.blocks_of(item.get("content"), f"{place}.content")
    if _PLAIN.issuperset(item):
        return found
    return (*_thoughts(item), *found, *_refusal(item), *_calls(item, place, pending))


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
    listed = shared.list_at(item, "tool_calls", place)
    at = f"{place}.tool_calls"
    found = [_call(shared.item_at(listed, number, at), f"{at}[{number}]") for number in range(len(listed))]
    old = item.get("function_call")
    if isinstance(old, dict):
        id_ = f"{MADE_UP}{place}.function_call"
        call = _function(old, f"{place}.function_call", old)
        found.append(Block(BlockKind.CALL, call.text, call.name, id_, raw=old))
        pending.expect([(id_, call.name)])
    return found


def _call(call: dict[str, Any], place: str) -> Block:
    id_ = shared.text_at(call, "id", place)
    custom = call.get("custom")
    if isinstance(custom, dict):
        name = shared.text_at(custom, "name", f"{place}.custom")
        return Block(BlockKind.CALL, shared.text_at(custom, "input", f"{place}.custom"), name, id_, raw=call)
    function = call.get("function")
    if not isinstance(function, dict):
        raise shared.wrong(f"{place}.function", "an object", function)
    return _function(function, f"{place}.function", call, id_)


def _function(function: dict[str, Any], place: str, raw: object, id_: str = "") -> Block:
    given = function.get("arguments")
    said = given if isinstance(given, str) else "" if given is None else shared.as_json(given, place)
    return Block(BlockKind.CALL, said, shared.text_at(function, "name", place), id_, raw=raw)


def _result(item: dict[str, Any], place: str, pending: Pending) -> Block:
    text, inner = shared.read_result(item.get("content"), f"{place}.content")
    name = shared.text_at(item, "name", place)
    if item["role"] == "function":
        id_ = pending.answer(name) or f"{MADE_UP}{place}"
    else:
        id_ = shared.text_at(item, "tool_call_id", place)
    return Block(BlockKind.RESULT, text, name, id_, blocks=inner)


def write_items(messages: Sequence[Message], *, joined: bool = False) -> list[Any]:
    """Return messages as a list of OpenAI's chat format."""
    return write_objects(messages, _write_texts, _write_result)


def _write_result(block: Block, shell: dict[str, Any]) -> dict[str, Any]:
    content = shared.write_result(block, shell.get("content"), "text")
    if shell["role"] == "function":
        return {**shell, "content": content}
    return {**shell, "role": "tool", "tool_call_id": block.id, "content": content}


def _write_texts(found: Sequence[Block], shell: dict[str, Any], message: Message) -> dict[str, Any]:
    read = {id(block) for block in message.original}
    own = [block for block in found if block.raw is not None or not block.fixed]
    calls = [block for block in own if block.kind is BlockKind.CALL]
    shown = [block for block in own if block.kind is not BlockKind.CALL]
    gone = _gone(found, shell)
    kept = {key: value for key, value in shell.items() if key not in gone}
    content = shared.write_content(shown, shell.get("content"), "text")
    if calls and not shown and not isinstance(shell.get("content"), str):
        content = None
    return {**kept, "content": content, **_write_calls(calls, read)}


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
    said = shared.arguments_as(call.text, function.get("arguments") or "")
    return {**raw, "id": call.id, "function": {**function, "name": call.name, "arguments": said}}
