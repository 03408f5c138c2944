"""Anthropic's format: content blocks, calls and results among them, and `system` beside the messages."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, ClassVar

import attrs

from satchel.plugin_api import (
    Block,
    BlockKind,
    ConversationError,
    Flaw,
    FormatRules,
    FormatSign,
    Message,
    MessageFormat,
    as_json,
    item_at,
    spoken,
    text_at,
)
from satchel_plugins.formats import blocks
from satchel_plugins.formats.blocks import is_typed_item
from satchel_plugins.formats.images import count_claude_image

ROLES = {"user": "user", "assistant": "assistant", "system": "system"}
_PARTS = frozenset(
    {
        *("tool_use", "tool_result", "redacted_thinking", "server_tool_use", "mcp_tool_use"),
        *("image", "document"),
    }
)
_ANSWER_PARTS = frozenset({"text", "tool_use", "thinking", "redacted_thinking", "server_tool_use"})
"""Types of the blocks of an answer."""


def _call(part: dict[str, Any], place: str) -> Block:
    name, id_ = text_at(part, "name", place), text_at(part, "id", place)
    said = as_json(part["input"], f"{place}.input") if "input" in part else ""
    return Block(BlockKind.CALL, said, name, id_, raw=part)


def _result(part: dict[str, Any], place: str) -> Block:
    text, inner = blocks.read_result(part.get("content"), f"{place}.content")
    id_ = text_at(part, "tool_use_id", place)
    return Block(BlockKind.RESULT, text, "", id_, error=part.get("is_error") is True, blocks=inner, raw=part)


_READERS = {**blocks.READERS, "tool_use": _call, "tool_result": _result}


@attrs.frozen
class Anthropic(MessageFormat):
    """Anthropic's messages."""

    name: ClassVar[str] = "anthropic"
    system_key: ClassVar[str] = "system"
    rules: ClassVar[FormatRules] = FormatRules(
        alternating=True, thoughts_alone=True, refuses_blank_texts=True, refuses_trailing_space=True
    )
    paths: ClassVar[tuple[str, ...]] = ("messages",)
    cache_mark: ClassVar[str] = "cache_control"

    def find_signs(self, items: Sequence[Any], request: Mapping[str, Any]) -> Iterator[FormatSign]:
        """Yield signs of the format: keys of the request, types of parts, an answer in its API's form."""
        for key in ("system", "anthropic_version"):
            if key in request:
                yield FormatSign(repr(key))
        for index, item in enumerate(items):
            if not isinstance(item, dict):
                continue
            if is_answer(item):
                yield FormatSign("an answer of its API", index)
            elif not is_typed_item(item):
                for kind in blocks.find_types(item, _PARTS):
                    yield FormatSign(repr(kind), index)

    def read_messages(self, items: Any, place: str) -> list[Message]:
        """Return the messages of a list; results and blocks beside them become messages of their own."""
        return [
            message
            for index in range(len(items))
            for message in _read(item_at(items, index, place), index, place)
        ]

    def write_messages(self, messages: Sequence[Message], *, joined: bool) -> list[Any]:
        """Return messages as a list; pieces of one together, with `joined` all of one role in a row."""
        return [_write_run(run) for run in _together(messages, joined=joined)]

    def read_system(self, value: Any) -> Message | None:
        """Return `system` as a message, None if there is none."""
        if not value:
            return None
        found = blocks.blocks_of(value, self.system_key)
        return Message("system", found, outside=True, raw=value, original=found)

    def write_system(self, message: Message) -> Any:
        """Return a system message as `system`."""
        return message.raw if blocks.is_untouched(message) else _content([message])

    def mend(self, messages: Sequence[Message]) -> tuple[Sequence[Message], Sequence[Flaw]]:
        """Leave out uses of the provider's own tools without a result, and results without a use."""
        lone = _find_lone_uses(messages)
        if not lone:
            return messages, ()
        flaws = [
            Flaw(message.index, "server_pair", f"{block.name!r} without its other half")
            for message, block in lone
        ]
        gone = {id(block) for _, block in lone}
        mended = [_drop_blocks(message, gone) for message in messages]
        return [message for message in mended if message.blocks], flaws

    def image_tokens(self, block: Block, model: str) -> int:
        """Return the tokens of an image by Anthropic's rule."""
        return count_claude_image(block.raw, model)

    def describe_error(self, reason: str) -> Any:
        """Return an error as Anthropic's API does."""
        return {"type": "error", "error": {"type": "invalid_request_error", "message": reason}}


def is_answer(item: Mapping[str, Any]) -> bool:
    """Return whether a message is in the form of Anthropic's API: texts of other formats have other types."""
    content = item.get("content")
    if item.get("type") != "message" or not isinstance(content, list):
        return False
    kinds = {part.get("type") for part in content if isinstance(part, dict)}
    return bool(kinds) and kinds <= _ANSWER_PARTS


def _drop_blocks(message: Message, gone: set[int]) -> Message:
    if not any(id(block) in gone for block in message.blocks):
        return message
    return attrs.evolve(message, blocks=tuple(block for block in message.blocks if id(block) not in gone))


def _find_lone_uses(messages: Sequence[Message]) -> list[tuple[Message, Block]]:
    """Return uses of the provider's own tools without a result, and results without a use.

    The last message may end in a use: the provider continues from there.
    """
    uses: dict[str, list[tuple[Message, Block]]] = {}
    lost: list[tuple[Message, Block]] = []
    for message in messages:
        for block in message.blocks:
            if block.kind is not BlockKind.OPAQUE or not isinstance(block.raw, dict):
                continue
            if block.name in ("server_tool_use", "mcp_tool_use"):
                uses.setdefault(str(block.raw.get("id")), []).append((message, block))
            elif block.name.endswith("_tool_result"):
                waiting = uses.get(str(block.raw.get("tool_use_id")))
                lost.extend(() if waiting and waiting.pop() else ((message, block),))
    return lost + [pair for pairs in uses.values() for pair in pairs if pair[0] is not messages[-1]]


def _read(item: dict[str, Any], index: int, around: str) -> Iterable[Message]:
    place = f"{around}[{index}]"
    role = blocks.role_at(item, ROLES, place)
    found = blocks.blocks_of(item.get("content"), f"{place}.content", _READERS)
    if role != "assistant":
        _refuse_calls(found, place)
    is_list = isinstance(item.get("content"), list)
    runs = _split_runs(found, is_user=role == "user", is_first=not index) if is_list else [(False, found)]
    for results, run in runs:
        yield Message("tool" if results else role, run, index, raw=item, original=run)


def _split_runs(
    found: tuple[Block, ...], *, is_user: bool, is_first: bool
) -> list[tuple[bool, tuple[Block, ...]]]:
    """Return runs of results and of other blocks, at least one.

    A program's text beside a person's words, like that of a skill or a summary, is a run of its own; but
    text before the first words of a conversation is instructions, and stays with them.
    """
    kinds = _find_kinds(found, is_user=is_user, is_first=is_first)
    if len(set(kinds)) <= 1:
        return [(kinds[:1] == [_RESULT], found)]
    runs = groupby(zip(kinds, found, strict=True), operator.itemgetter(0))
    return [(kind == _RESULT, tuple(block for _, block in run)) for kind, run in runs]


_RESULT, _SAID, _MADE = "result", "said", "made"
_INTERRUPTED = "[Request interrupted by user"
"""The text before the words of a person who interrupted."""


def _find_kinds(found: Sequence[Block], *, is_user: bool, is_first: bool) -> list[str]:
    """Return for each block whether it is a result, a person's words, or a program's text beside them."""
    texts = [block.kind is BlockKind.TEXT and bool(block.text.strip()) for block in found]
    words = [
        is_text and is_user and bool(spoken(block.text)) for is_text, block in zip(texts, found, strict=True)
    ]
    first = words.index(True) if any(words) and len(found) > 1 else len(found)
    kinds: list[str] = []
    for at, block in enumerate(found):
        is_made = texts[at] and not words[at] and not block.text.startswith(_INTERRUPTED)
        beside = at > first or (at < first < len(found) and not is_first)
        kinds.append(_RESULT if block.kind is BlockKind.RESULT else _MADE if is_made and beside else _SAID)
    return kinds


def _refuse_calls(found: Sequence[Block], place: str) -> None:
    for at, block in enumerate(found):
        if block.kind is BlockKind.CALL:
            raise ConversationError(f"{place}.content[{at}]", "only an assistant can use tools")


def _together(messages: Iterable[Message], *, joined: bool) -> Iterator[list[Message]]:
    run: list[Message] = []
    for message in messages:
        if run and not _belongs(message, run[-1], joined=joined):
            yield run
            run = []
        run.append(message)
    if run:
        yield run


def _belongs(message: Message, before: Message, *, joined: bool) -> bool:
    if message.raw is not None and message.index == before.index and _equal(message.raw, before.raw):
        return True
    return joined and _role(message) == _role(before) != "system"


def _equal(one: object, other: object) -> bool:
    return one is other or one == other


def _role(message: Message) -> str:
    return "user" if message.role == "tool" else message.role


def _write_run(run: list[Message]) -> Any:
    first = run[0]
    if _is_complete_run(run):
        return first.raw
    extra = {key: value for message in reversed(run) for key, value in (message.raw or {}).items()}
    return {**extra, "role": _role(first), "content": _content(run)}


def _is_complete_run(run: list[Message]) -> bool:
    """Return whether all pieces of one message are here, untouched and in order."""
    first = run[0]
    if not all(blocks.is_untouched(message) and _of_one(message, first) for message in run):
        return False
    content = first.raw.get("content")
    if not isinstance(content, list):
        return len(run) == 1
    found = [block.raw for message in run for block in message.blocks]
    return len(found) == len(content) and all(map(operator.is_, found, content))


def _of_one(message: Message, first: Message) -> bool:
    return message.raw is first.raw and message.index == first.index


def _content(run: list[Message]) -> Any:
    read = {id(block) for message in run for block in message.original}
    found = [block for message in run for block in message.blocks]
    like = run[0].raw if run[0].outside else (run[0].raw or {}).get("content")
    if len(found) == 1 and found[0].kind is BlockKind.TEXT:
        return blocks.write_content(found, like, "text")
    return [block.raw if id(block) in read and block.raw is not None else _part(block) for block in found]


def _part(block: Block) -> Any:
    if block.kind is BlockKind.CALL:
        raw = block.raw or {"type": "tool_use"}
        return {**raw, "id": block.id, "name": block.name, "input": blocks.object_of(block.text)}
    if block.kind is BlockKind.RESULT:
        raw = block.raw or {"type": "tool_result"}
        flag = {"is_error": True} if block.error and "is_error" not in raw else {}
        content = blocks.write_result(block, raw.get("content"), "text")
        return {**raw, "tool_use_id": block.id, "content": content, **flag}
    return blocks.write_part(block, "text")
