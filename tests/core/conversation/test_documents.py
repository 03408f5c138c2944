"""Documents are read without loss in each provider's format, or refused in one line."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples
from tests.core.formats import FORMATS, read

from satchel import ConversationError, SatchelError, UnknownNameError
from satchel.conversation import dump, parse, write
from satchel.plugin_api import Block, BlockKind, Message

from .drawn import JUNK, documents


@settings(deadline=None, max_examples=examples(150))
@given(documents())
def test_what_is_read_is_written_again(drawn: tuple[str, Any]) -> None:
    form, document = drawn
    before = copy.deepcopy(document)

    written = write(read(document, form))

    assert written == before
    assert document == before


@settings(deadline=None)
@given(documents())
def test_a_message_whose_blocks_are_made_anew_says_the_same(drawn: tuple[str, Any]) -> None:
    form, document = drawn
    found = read(document, form)
    changed = [attrs.evolve(m, blocks=[*m.blocks, Block(BlockKind.TEXT, "more")]) for m in found.messages]
    back = [attrs.evolve(m, blocks=m.blocks[:-1]) for m in changed]

    written = write(attrs.evolve(found, messages=tuple(back)))

    again = read(written, form)
    assert [text_of(m) for m in again.messages] == [text_of(m) for m in back]


def text_of(message: Message) -> str:
    """Return what a message says; blocks that say nothing may go."""
    return "".join(block.text for block in message.blocks if block.kind is not BlockKind.CALL)


def refusal(call: Callable[[], Any]) -> str:
    """Return the error's text, "" where there is none."""
    try:
        call()
    except SatchelError as error:
        return str(error)
    return ""


@settings(deadline=None)
@given(JUNK, st.sampled_from(FORMATS.names))
def test_junk_is_read_or_refused_in_one_line(document: Any, form: str) -> None:
    told = refusal(lambda: read(document, form))

    assert "\n" not in told
    assert told or dump(write(read(document, form))) == dump(document)


@settings(deadline=None)
@given(st.one_of(st.text(), st.binary(max_size=50)))
def test_no_text_brings_the_reader_down(text: str | bytes) -> None:
    assert "\n" not in refusal(lambda: parse(text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"[1,\n2", "not JSON at line 2 column 2"),
        (b"", "empty"),
        (b"\xff[]", "not UTF-8 at byte 0"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5_000, "not JSON that can be read"),
    ],
)
def test_malformed_json_is_told_with_its_place(text: str | bytes, told: str) -> None:
    with pytest.raises(ConversationError, match=told):
        parse(text)


def test_a_byte_order_mark_is_no_error() -> None:
    assert parse(b"\xef\xbb\xbf[]") == []


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ([{"role": "user", "content": "q"}, {"content": "x"}], "messages[1].role"),
        ([{"role": "bot", "content": "x"}], "messages[0].role"),
        ([{"role": "user", "content": 5}], "messages[0].content"),
        ([{"role": "user", "content": [5]}], "messages[0].content[0]"),
        ([{"role": "assistant", "tool_calls": [{"id": "a"}]}], "messages[0].tool_calls[0].function"),
        ([{"role": "tool", "tool_call_id": 7}], "messages[0].tool_call_id"),
        ({"messages": {}}, "messages"),
        ({"input": [{"type": "function_call", "call_id": 1}]}, "input[0].call_id"),
        ([{"role": "user", "content": [{"type": "tool_use", "id": "a"}]}], "messages[0].content[0]"),
        ([{"role": "user", "content": "x"}, 3], "messages[1]"),
    ],
)
def test_a_wrong_shape_is_told_with_index_and_key(document: Any, place: str) -> None:
    with pytest.raises(ConversationError) as caught:
        read(document)

    assert caught.value.place == place


@pytest.mark.parametrize("document", [5, None, "text", {"model": "m"}])
def test_what_holds_no_messages_is_refused(document: Any) -> None:
    with pytest.raises(ConversationError, match="expected a list of messages"):
        read(document)


def test_an_unknown_format_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="anthropic"):
        read([], "antropic")


def test_lone_surrogates_survive_as_json() -> None:
    text = dump(write(read([{"role": "user", "content": "a\ud800"}])))

    assert json.loads(text.encode().decode()) == [{"role": "user", "content": "a\ud800"}]


def test_letters_are_written_as_they_are() -> None:
    assert dump(["é"]) == '["é"]'


def test_a_request_keeps_its_other_keys_and_their_order() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "q"}], "stream": True}

    assert list(write(read(request))) == ["model", "messages", "stream"]


def test_an_input_that_is_a_text_stays_one() -> None:
    found = read({"input": "hi", "model": "m"})

    assert found.format.name == "responses"
    assert write(found) == {"input": "hi", "model": "m"}
    assert write(attrs.evolve(found, messages=(*found.messages, Message("user", "more"))))["input"] == [
        {"role": "user", "content": "hi"},
        {"role": "user", "content": "more"},
    ]


def test_the_same_object_twice_stays_two_messages() -> None:
    same = {"role": "user", "content": [{"type": "text", "text": "q"}]}

    assert write(read([same, same], "anthropic")) == [same, same]
