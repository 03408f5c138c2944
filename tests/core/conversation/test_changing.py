"""A changed message keeps what was not changed: ids, flags, keys that nobody knows, its shape."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest
from tests.core.formats import read

from satchel.conversation import write
from satchel.plugin_api import Block, BlockKind, Conversation, Message


def shortened(conversation: Conversation, index: int, text: str) -> Any:
    """Return what is written once the first block of a message says `text`."""
    messages = list(conversation.messages)
    first, *rest = messages[index].blocks
    messages[index] = attrs.evolve(messages[index], blocks=(first.with_text(text), *rest))
    return write(attrs.evolve(conversation, messages=tuple(messages)))


def test_a_shortened_result_of_openai_keeps_its_id_and_keys() -> None:
    found = read([{"role": "tool", "tool_call_id": "a", "content": "long", "x": 1}], "openai")

    assert shortened(found, 0, "s") == [{"role": "tool", "tool_call_id": "a", "content": "s", "x": 1}]


def test_a_shortened_result_of_anthropic_keeps_its_flags_and_the_text_beside_it() -> None:
    parts: list[dict[str, Any]] = [
        {
            "type": "tool_result",
            "tool_use_id": "a",
            "content": "long",
            "is_error": True,
            "cache_control": {"t": 1},
        },
        {"type": "text", "text": "and now?"},
    ]
    found = read([{"role": "user", "content": parts, "x": 1}], "anthropic")

    written = shortened(found, 0, "s")

    assert written == [{"role": "user", "content": [{**parts[0], "content": "s"}, parts[1]], "x": 1}]


def test_results_and_text_of_one_anthropic_message_are_two_messages_inside() -> None:
    result = {"type": "tool_result", "tool_use_id": "a", "content": "r"}
    found = read([{"role": "user", "content": [result, {"type": "text", "text": "q"}]}], "anthropic")

    assert [message.role for message in found.messages] == ["tool", "user"]
    assert write(attrs.evolve(found, messages=found.messages[1:])) == [
        {"role": "user", "content": [{"type": "text", "text": "q"}]}
    ]


def test_a_shortened_output_of_responses_keeps_the_items_id() -> None:
    item = {
        "type": "function_call_output",
        "id": "fco",
        "call_id": "a",
        "output": "long",
        "status": "completed",
    }

    assert shortened(read([item]), 0, "s") == [{**item, "output": "s"}]


def test_a_shortened_result_of_ollama_keeps_the_tools_name() -> None:
    message = {"role": "tool", "content": "long", "tool_name": "f"}

    assert shortened(read([message]), 0, "s") == [{**message, "content": "s"}]


LONG = {"text": "long"}
CALL = {"id": "a", "type": "function", "x": 1, "function": {"name": "f", "arguments": '{"text": "long"}'}}
ASKED = {"function": {"name": "f", "arguments": LONG}}
USE = {"type": "tool_use", "id": "a", "name": "f", "input": LONG, "cache_control": {}}


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "assistant", "content": None, "tool_calls": [CALL]}],
        [{"role": "assistant", "content": [USE]}],
        [{"role": "assistant", "content": "", "thinking": "t", "tool_calls": [ASKED]}],
        [{"type": "function_call", "id": "fc", "call_id": "a", "name": "f", "arguments": '{"text": "long"}'}],
    ],
)
def test_shorter_arguments_stand_where_the_long_ones_stood(document: Any) -> None:
    found = read(document)
    (message,) = found.messages
    blocks = [b.with_text('{"text": "s"}') if b.kind is BlockKind.CALL else b for b in message.blocks]

    written = write(attrs.evolve(found, messages=(attrs.evolve(message, blocks=blocks),)))

    assert written == json.loads(json.dumps(document).replace("long", "s"))


def test_an_image_is_replaced_part_by_part() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    found = read([{"role": "user", "content": [{"type": "text", "text": "see", "x": 1}, image, image]}])
    (message,) = found.messages
    kept = (message.blocks[0], Block(BlockKind.TEXT, "[satchel: an image]"), message.blocks[2])

    (written,) = write(attrs.evolve(found, messages=(attrs.evolve(message, blocks=kept),)))

    assert written["content"] == [
        {"type": "text", "text": "see", "x": 1},
        {"type": "text", "text": "[satchel: an image]"},
        image,
    ]


_SEEN = [{"type": "text", "text": "see"}, {"type": "image"}]
ANTHROPIC = {"type": "tool_result", "tool_use_id": "a", "content": _SEEN}
RESPONSES = [{"type": "input_text", "text": "see"}, {"type": "input_image", "image_url": "u"}]


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "user", "content": [ANTHROPIC]}],
        [{"type": "function_call_output", "call_id": "a", "output": RESPONSES}],
    ],
)
def test_an_image_inside_of_a_result_is_replaced(document: Any) -> None:
    found = read(document)
    (message,) = found.messages
    (block,) = message.blocks
    changed = attrs.evolve(block, blocks=(block.blocks[0], Block(BlockKind.TEXT, "[satchel: an image]")))

    (written,) = write(attrs.evolve(found, messages=(attrs.evolve(message, blocks=(changed,)),)))

    said = written["output"] if "output" in written else written["content"][0]["content"]
    assert [part["text"] for part in said] == ["see", "[satchel: an image]"]
    assert said[1]["type"] == said[0]["type"]


def test_an_image_of_ollama_goes_and_the_others_stay() -> None:
    found = read([{"role": "user", "content": "see", "images": ["aa", "bb"]}])
    (message,) = found.messages

    (written,) = write(attrs.evolve(found, messages=(attrs.evolve(message, blocks=message.blocks[:2]),)))

    assert written == {"role": "user", "content": "see", "images": ["aa"]}


def test_a_text_that_was_changed_cites_nothing_any_more() -> None:
    part = {"type": "text", "text": "long", "citations": [{"cited_text": "long"}], "cache_control": {"t": 1}}
    found = read([{"role": "assistant", "content": [part]}], "anthropic")

    assert shortened(found, 0, "s")[0]["content"] == [
        {"type": "text", "text": "s", "cache_control": {"t": 1}}
    ]


def test_thinking_that_is_left_out_takes_its_key_along() -> None:
    found = read([{"role": "assistant", "content": "a", "reasoning_content": "hm"}])
    (message,) = found.messages

    written = write(attrs.evolve(found, messages=(attrs.evolve(message, blocks=message.blocks[1:]),)))

    assert written == [{"role": "assistant", "content": "a"}]


@pytest.mark.parametrize("form", ["openai", "anthropic", "responses", "ollama"])
def test_a_new_message_is_written_in_the_formats_words(form: str) -> None:
    found = read([{"role": "user", "content": "q"}], form)

    written = write(attrs.evolve(found, messages=(*found.messages, Message("assistant", "a"))))

    assert written[1] == {"role": "assistant", "content": "a"}


def test_a_changed_system_text_keeps_its_shape() -> None:
    request = {"system": [{"type": "text", "text": "long", "cache_control": {}}], "messages": []}

    assert shortened(read(request), 0, "s")["system"] == [{"type": "text", "text": "s", "cache_control": {}}]
    assert shortened(read({"system": "long", "messages": []}), 0, "s")["system"] == "s"
    assert shortened(read({"instructions": "long", "input": []}), 0, "s")["instructions"] == "s"
