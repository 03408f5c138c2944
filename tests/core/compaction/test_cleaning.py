"""No secret of a conversation reaches a model, and nothing else of it changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import Host, compact
from satchel.compaction import clean_document, join_messages
from satchel.compaction.cleaning import prepare
from satchel.plugin_api import Block, BlockKind, Message
from satchel.redaction import NO_SCANNERS, Scanners

KEY = "AKIA" + "Z7QK3VXW5RTYUIOP"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
OPENAI: list[dict[str, Any]] = [
    {"role": "system", "content": f"the key is {KEY}"},
    {"role": "user", "content": [{"type": "text", "text": f"upload with {KEY}"}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "run", "arguments": json.dumps({"cmd": f"up {KEY}"})},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": f"refused {KEY}\n"},
    {"role": "user", "content": "go on"},
]
ANTHROPIC: dict[str, Any] = {
    "system": f"the key is {KEY}",
    "messages": [
        {"role": "user", "content": f"upload with {KEY}"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t1", "name": "up", "input": {"k": KEY}}],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": KEY}]}
            ],
        },
    ],
}


@pytest.mark.parametrize("document", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
def test_no_message_keeps_its_secret(document: Any, tmp_path: Path) -> None:
    before = json.dumps(document)
    made = compact(document, budget=4_000, store=tmp_path, host=Host.installed(deadline_seconds=None))

    assert KEY not in json.dumps(made.messages)
    assert "[redacted:aws-access-key-id:" in json.dumps(made.messages)
    assert json.dumps(document) == before
    assert clean_document(clean_document(document, NO_SCANNERS), NO_SCANNERS) == clean_document(
        document, NO_SCANNERS
    )


def test_arguments_stay_json() -> None:
    call = clean_document(OPENAI, NO_SCANNERS)[2]["tool_calls"][0]["function"]

    assert json.loads(call["arguments"])["cmd"].startswith("up [redacted:")


def test_what_a_provider_signed_stays_as_it_is() -> None:
    signed = {"type": "thinking", "thinking": f"I use {KEY}", "signature": "x" * 40}
    image = {"type": "base64", "media_type": "image/png", "data": KEY}
    document = [{"role": "assistant", "content": [signed, {"type": "image", "source": image}]}]

    assert clean_document(document, NO_SCANNERS) is document


def test_scanners_are_asked_for_every_text() -> None:
    house = Scanners((lambda text, path: [(0, 4, "house")] if text.startswith("ours") else [],), "house")
    document = [{"role": "user", "content": "ours is this"}]

    assert clean_document(document, house) == [
        {"role": "user", "content": clean_document(["ours is this"], house)[0]}
    ]
    assert clean_document(document, house) != document
    assert clean_document(document, NO_SCANNERS) is document


def test_deep_lists_are_no_trouble() -> None:
    deep: Any = "text"
    for _ in range(400):
        deep = [deep]

    assert clean_document(deep, NO_SCANNERS) is deep


@given(JSON)
def test_what_holds_no_secret_is_the_very_same(document: Any) -> None:
    assert clean_document(document, NO_SCANNERS) is document


@pytest.mark.parametrize("document", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
def test_a_conversation_with_a_state_is_cleaned_alike_whenever_it_comes(document: Any) -> None:
    for _ in range(2):
        assert prepare(document, NO_SCANNERS, {}, is_kept=True).messages == clean_document(
            document, NO_SCANNERS
        )


def test_a_message_that_came_in_before_is_not_read_again() -> None:
    read: list[str] = []
    house = Scanners((lambda text, path: read.append(text) or [],), "that tells what it reads")
    said = [
        {"role": "user", "content": "good morning"},
        {"role": "assistant", "content": "good morning, Ann"},
    ]

    for messages in (said, [*said, {"role": "user", "content": "go on"}]):
        prepare({"system": "Be brief.", "messages": messages}, house, {}, is_kept=True)

    assert sorted(read) == ["Be brief.", "go on", "good morning", "good morning, Ann"]


def test_what_was_found_clean_is_archived_without_another_look() -> None:
    read: list[str] = []
    house = Scanners((lambda text, path: read.append(text) or [],), "that tells what is archived")
    said = [
        Message("user", "how are the tests?"),
        Message("assistant", (Block(BlockKind.CALL, '{"all": true}', "run", "1"),)),
        Message("assistant", f"I use {KEY}"),
    ]
    clean_document([{"role": "user", "content": said[0].text}], house)

    text, places = join_messages(said, house)

    assert read[:2] == ["how are the tests?", 'run {"all": true}']
    assert KEY not in text
    assert text.split("\n")[places[id(said[0])][0] - 1] == "how are the tests?"
