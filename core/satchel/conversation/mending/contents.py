"""Make single messages right: blank ones, blank texts, arguments that are no JSON, calls without a name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import attrs

from satchel.conversation.mending.answers import NO_TEXT
from satchel.conversation.mending.flaws import Flaw
from satchel.messages import Block, BlockKind, Format, Message

_SOLID = frozenset({BlockKind.CALL, BlockKind.RESULT, BlockKind.IMAGE, BlockKind.DOCUMENT, BlockKind.OPAQUE})


def is_blank(message: Message, form: Format) -> bool:
    """Whether a message says nothing, which providers refuse."""
    thoughts = form in (Format.ANTHROPIC, Format.RESPONSES)
    return not any(
        block.kind in _SOLID
        or (thoughts and block.kind is BlockKind.THINKING)
        or (block.kind is BlockKind.TEXT and not _blank(block.text))
        for block in message.blocks
    )


def has_empty_calls(message: Message, form: Format) -> bool:
    """Whether a message has `tool_calls`, and none in them: OpenAI refuses an empty list."""
    raw = message.raw
    return form is Format.OPENAI and isinstance(raw, dict) and raw.get("tool_calls") == []


def _without_calls(message: Message) -> Message:
    kept = {key: value for key, value in message.raw.items() if key != "tool_calls"}
    return attrs.evolve(message, raw=kept)


def block_flaw(block: Block, form: Format) -> str:
    """Return what is wrong with one block that the provider would refuse, "" where it is right."""
    if block.kind is BlockKind.TEXT:
        return "a blank text" if form is Format.ANTHROPIC and _blank(block.text) else ""
    if block.kind is not BlockKind.CALL or block.fixed:
        return ""
    if _blank(block.name):
        return "a call without a name"
    if _takes_json(block, form) and not is_json(block.text):
        return f"the arguments of call {block.name!r} are no JSON"
    return ""


def is_json(text: str) -> bool:
    """Whether a call's arguments can be read; none at all can."""
    if not text:
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _takes_json(call: Block, form: Format) -> bool:
    raw = call.raw if isinstance(call.raw, dict) else {}
    return form in (Format.OPENAI, Format.RESPONSES) and not (
        "custom" in raw or raw.get("type") == "custom_tool_call"
    )


def _blank(text: str) -> bool:
    return not text or text.isspace()


def tidied(messages: Iterable[Message], form: Format, flaws: list[Flaw]) -> Iterator[Message]:
    """Yield messages with blocks that the provider takes; what was done is added to `flaws`."""
    for message in messages:
        if _plain(message):
            yield message
            continue
        told = [block_flaw(block, form) for block in message.blocks]
        if any(told):
            flaws.extend(Flaw(message.index, _rule(what), what) for what in told if what)
            message = _mended(message, told)
        if has_empty_calls(message, form):
            flaws.append(Flaw(message.index, "empty", "an empty list of tool calls; it was left out"))
            message = _without_calls(message)
        if not is_blank(message, form):
            yield message
        elif message.role == "user":
            flaws.append(Flaw(message.index, "empty", "an empty message; a mark stands in its place"))
            yield attrs.evolve(message, blocks=(Block(BlockKind.TEXT, NO_TEXT),))
        else:
            flaws.append(Flaw(message.index, "empty", "an empty message; it was left out"))


def _plain(message: Message) -> bool:
    """Whether a message is one text or one result, as most are: nothing can be wrong with it."""
    if message.role == "assistant" or len(message.blocks) != 1:
        return False
    (block,) = message.blocks
    return block.kind is BlockKind.RESULT or (block.kind is BlockKind.TEXT and not _blank(block.text))


def _rule(what: str) -> str:
    return "empty" if what == "a blank text" else "arguments" if "arguments" in what else "name"


def _mended(message: Message, told: list[str]) -> Message:
    pairs = zip(message.blocks, told, strict=True)
    kept = (_right(block) if what else block for block, what in pairs if what != "a blank text")
    return attrs.evolve(message, blocks=tuple(kept))


def _right(call: Block) -> Block:
    text = call.text if is_json(call.text) else json.dumps({"text": call.text}, ensure_ascii=False)
    return attrs.evolve(
        call, text=text if text.strip() else "{}", name="unknown" if _blank(call.name) else call.name
    )
