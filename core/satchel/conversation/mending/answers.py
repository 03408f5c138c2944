"""Messages that stand in for what a broken history lacks, in the words of its format."""

from __future__ import annotations

from typing import Any

import attrs

from satchel.messages import Block, BlockKind, Format, Message

NO_RESULT = "[satchel: the history has no result of this call]"
NO_CALL = "[satchel: the result of a call that the history does not have]"
NO_BEGINNING = "[satchel: the history does not begin with a message of the user]"
NO_TEXT = "[satchel: an empty message]"

# calls whose results nobody can make up: a screenshot, an approval
_OUTPUTS = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}


def answerable(call: Block, form: Format) -> bool:
    """Whether a result can be put in for a call that has none."""
    return form is not Format.RESPONSES or call.raw is None or call.raw.get("type") in _OUTPUTS


def answer(call: Block, form: Format) -> Message:
    """Return the result that stands in for the one that a call lacks."""
    block = Block(BlockKind.RESULT, NO_RESULT, call.name, call.id, error=True)
    raw: dict[str, Any] | None = None
    if form is Format.RESPONSES and call.raw is not None:
        block = attrs.evolve(block, raw={"type": _OUTPUTS[call.raw["type"]], "call_id": call.id})
    if (
        form is Format.OPENAI
        and isinstance(call.raw, dict)
        and not ({"function", "custom"} & call.raw.keys())
    ):
        raw = {"role": "function", "name": call.name}
    return Message("tool", (block,), raw=raw)


def retold(results: tuple[Block, ...], index: int) -> Message:
    """Return results that have no call as a message of the user, so that what they say is kept."""
    said = [Block(BlockKind.TEXT, f"{NO_CALL}\n{block.text}".rstrip()) for block in results]
    pictures = [
        inner
        for block in results
        if not block.fixed
        for inner in block.blocks
        if inner.kind is BlockKind.IMAGE
    ]
    text = Block(BlockKind.TEXT, "\n\n".join(block.text for block in said))
    return Message("user", (text, *pictures), index)
