"""The format of a document is told from what only one format has."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.formats import read

from satchel import ConversationError

USER = {"role": "user", "content": "q"}


def calling(arguments: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "f", "arguments": arguments}}],
    }


@pytest.mark.parametrize(
    ("document", "form"),
    [
        ([USER], "openai"),
        ([], "openai"),
        ([USER, calling("{}")], "openai"),
        ([USER, calling({})], "ollama"),
        ([{"role": "user", "content": "q", "images": ["aGk="]}], "ollama"),
        ([{"role": "tool", "content": "r", "tool_name": "f"}], "ollama"),
        ([{"role": "developer", "content": "d"}], "openai"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}], "openai"),
        ([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}], "anthropic"),
        ({"system": "s", "messages": [USER]}, "anthropic"),
        ({"options": {}, "messages": [USER]}, "ollama"),
        ({"input": [USER]}, "responses"),
        ([USER, {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}], "responses"),
        ([{"type": "message", "role": "user", "content": "q"}], "responses"),
        ([{"role": "user", "content": [{"type": "input_text", "text": "q"}]}], "responses"),
    ],
)
def test_a_format_is_known_by_its_signs(document: Any, form: str) -> None:
    assert read(document).format.name == form


def test_signs_of_two_formats_are_an_error_that_names_both_places() -> None:
    mixed = [USER, calling("{}"), {"role": "assistant", "content": [{"type": "tool_use", "id": "a"}]}]

    with pytest.raises(
        ConversationError, match=r"openai .*messages\[1\].*anthropic .*messages\[2\].*--format"
    ):
        read(mixed)


@pytest.mark.parametrize(
    "dumped",
    [
        [{"type": "human", "data": {"content": "q"}}, {"type": "ai", "data": {"content": "a"}}],
        [{"lc": 1, "type": "constructor", "id": ["messages", "HumanMessage"], "kwargs": {"content": "q"}}],
    ],
)
def test_items_of_types_that_no_provider_has_are_an_error_and_no_empty_conversation(dumped: Any) -> None:
    with pytest.raises(ConversationError, match=r"messages\[0\]\.role: expected one of"):
        read(dumped)


def test_a_tool_of_responses_that_is_new_is_known_by_how_its_type_ends() -> None:
    assert read([{"type": "paint_call", "id": "p", "status": "completed"}]).format.name == "responses"


def test_a_format_that_is_said_is_not_guessed() -> None:
    assert read([USER], "anthropic").format.name == "anthropic"


def test_a_weak_sign_gives_way_to_a_sure_one() -> None:
    answered = {"role": "tool", "content": "r", "tool_call_id": "a"}

    assert read([USER, calling({}), answered]).format.name == "ollama"


def test_a_role_that_is_no_text_is_refused_and_not_looked_up() -> None:
    with pytest.raises(ConversationError, match="role"):
        read([{"role": [], "content": "q"}])
