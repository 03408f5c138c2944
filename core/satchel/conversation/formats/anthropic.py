"""Anthropic's format: content blocks, calls and results among them, and `system` beside the messages."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from satchel.conversation.formats import shared
from satchel.conversation.wrappers import spoken
from satchel.errors import ConversationError
from satchel.messages import Block, BlockKind, Message

PLACE = "messages"
OUTSIDE = "system"
ROLES = {"user": "user", "assistant": "assistant", "system": "system"}


def _call(part: dict[str, Any], place: str) -> Block:
    name, id_ = shared.text_at(part, "name", place), shared.text_at(part, "id", place)
    said = shared.as_json(part["input"], f"{place}.input") if "input" in part else ""
    return Block(BlockKind.CALL, said, name, id_, raw=part)


def _result(part: dict[str, Any], place: str) -> Block:
    text, inner = shared.read_result(part.get("content"), f"{place}.content")
    id_ = shared.text_at(part, "tool_use_id", place)
    return Block(BlockKind.RESULT, text, "", id_, error=part.get("is_error") is True, blocks=inner, raw=part)


_READERS = {**shared.READERS, "tool_use": _call, "tool_result": _result}


def read_items(items: Sequence[Any], place: str = PLACE) -> list[Message]:
    """Return the messages of a list; results and what is beside them become messages of their own."""
    read: list[Message] = []
    for index, item in enumerate(items):
        plain = shared.plain_message(item, index, ROLES)
        read.extend((plain,) if plain else _read(shared.item_at(items, index, place), index, place))
    return read


def _read(item: dict[str, Any], index: int, around: str) -> Iterable[Message]:
    place = f"{around}[{index}]"
    role = shared.role_at(item, ROLES, place)
    found = shared.blocks_of(item.get("content"), f"{place}.content", _READERS)
    if role != "assistant":
        _refuse_calls(found, place)
    runs = (
        _split_runs(found, is_user=role == "user")
        if isinstance(item.get("content"), list)
        else [(False, found)]
    )
    for results, run in runs:
        yield Message("tool" if results else role, run, index, raw=item, original=run)


def _split_runs(found: tuple[Block, ...], *, is_user: bool) -> list[tuple[bool, tuple[Block, ...]]]:
    """Return runs of results and of other blocks, at least one.

    What a program put behind a person's words, as the text of a skill, is a run of its own.
    """
    kinds = _find_kinds(found, is_user=is_user)
    if len(set(kinds)) <= 1:
        return [(kinds[:1] == [_RESULT], found)]
    runs = groupby(zip(kinds, found, strict=True), operator.itemgetter(0))
    return [(kind == _RESULT, tuple(block for _, block in run)) for kind, run in runs]


_RESULT, _SAID, _MADE = "result", "said", "made"


def _find_kinds(found: Sequence[Block], *, is_user: bool) -> list[str]:
    """Return of each block whether it is a result, said, or put behind a person's words by a program."""
    kinds: list[str] = []
    typed = False
    for block in found:
        is_text = is_user and len(found) > 1 and block.kind is BlockKind.TEXT and bool(block.text.strip())
        words = is_text and bool(spoken(block.text))
        kind = (
            _RESULT if block.kind is BlockKind.RESULT else _MADE if typed and is_text and not words else _SAID
        )
        kinds.append(kind)
        typed = typed or words
    return kinds


def _refuse_calls(found: Sequence[Block], place: str) -> None:
    for at, block in enumerate(found):
        if block.kind is BlockKind.CALL:
            raise ConversationError(f"{place}.content[{at}]", "only an assistant can use tools")


def read_outside(value: Any, place: str = OUTSIDE) -> Message | None:
    """Return `system` as a message, None where there is none."""
    if not value:
        return None
    found = shared.blocks_of(value, place)
    return Message("system", found, outside=True, raw=value, original=found)


def write_outside(message: Message) -> Any:
    """Return a system message as `system`."""
    return message.raw if shared.is_untouched(message) else _content([message])


def write_items(messages: Sequence[Message], *, joined: bool = False) -> list[Any]:
    """Return messages as a list; pieces of one message together, with `joined` all of one role in a row."""
    return [_write_run(run) for run in _together(messages, joined=joined)]


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
    """Whether all pieces of one message are here, untouched and in order."""
    first = run[0]
    if not all(shared.is_untouched(message) and _of_one(message, first) for message in run):
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
        return shared.write_content(found, like, "text")
    return [block.raw if id(block) in read and block.raw is not None else _part(block) for block in found]


def _part(block: Block) -> Any:
    if block.kind is BlockKind.CALL:
        raw = block.raw or {"type": "tool_use"}
        return {**raw, "id": block.id, "name": block.name, "input": shared.object_of(block.text)}
    if block.kind is BlockKind.RESULT:
        raw = block.raw or {"type": "tool_result"}
        flag = {"is_error": True} if block.error and "is_error" not in raw else {}
        content = shared.write_result(block, raw.get("content"), "text")
        return {**raw, "tool_use_id": block.id, "content": content, **flag}
    return shared.write_part(block, "text")
