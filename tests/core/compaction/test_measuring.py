"""What a text and a conversation cost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import satchel
from satchel.tokens import UnknownModelWarning

MESSAGES = [
    {"role": "user", "content": "fix the login, please"},
    {"role": "assistant", "content": "it is fixed"},
]


def test_a_text_is_counted_as_a_pack_counts_it() -> None:
    assert satchel.count("hello world") == 2
    assert satchel.count("") == 0


def test_messages_are_counted_as_compact_counts_them() -> None:
    assert satchel.count(MESSAGES) == satchel.compact(MESSAGES, budget=1_000).tokens


@pytest.mark.parametrize("offloads", [False, True])
def test_a_budget_is_in_the_tokens_of_the_model(tmp_path: Path, *, offloads: bool) -> None:
    said = [{"role": role, "content": "some words about it " * 60} for role in ("user", "assistant") * 6]
    model = "claude-sonnet-4-5"
    if offloads:
        made = asyncio.run(satchel.acompact(said, budget=900, model=model, store=tmp_path))
    else:
        made = satchel.compact(said, budget=900, model=model, store=tmp_path)

    assert made.cut
    assert satchel.count(made.messages, model=model) == made.tokens == made.report["tokens"] <= 900
    assert made.report["before"]["tokens"] == satchel.count(said, model=model)
    assert sum(made.report["allocation"]["used"].values()) <= 900


def test_water_is_in_the_tokens_of_the_model(tmp_path: Path) -> None:
    said = [{"role": role, "content": "some words about it " * 60} for role in ("user", "assistant") * 6]
    state = satchel.State(water=satchel.Water(high_tokens=2_300))
    made = satchel.compact(said[:8], budget=9_000, model="claude-sonnet-4-5", state=state, store=tmp_path)

    assert satchel.count(said[:8]) < 2_300 < satchel.count(said[:8], model="claude-sonnet-4-5")
    assert made.cut


def test_the_tools_of_a_request_cost_too() -> None:
    tools = [{"type": "function", "function": {"name": "look", "description": "Look at a file."}}]

    assert satchel.count({"messages": MESSAGES, "tools": tools}) > satchel.count(MESSAGES) + 5


def test_a_model_with_a_vocabulary_of_its_own_counts_by_its_ratio() -> None:
    text = "the quick brown fox " * 50

    assert satchel.count(text, model="gpt-4o") == satchel.count(text)
    assert satchel.count(text, model="claude-sonnet-4") > satchel.count(text)
    with pytest.warns(UnknownModelWarning, match="its tokens are estimated"):
        assert satchel.count(text, model="no-such-model") > satchel.count(text)


def test_what_is_neither_a_text_nor_messages_is_refused() -> None:
    with pytest.raises(satchel.ConversationError, match="list of messages"):
        satchel.count(3)
