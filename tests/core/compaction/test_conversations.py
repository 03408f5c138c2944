"""Many conversations in one process: each is found again, none sees another's texts, and the oldest goes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import satchel
from satchel import BudgetError, ConversationError, Conversations, State, UsageError
from satchel.compaction.offloading import LARGE, close_workers

BUDGET = 1_200
RULES = {"role": "system", "content": "You are a careful engineer."}


def talk(name: str, turns: int) -> list[dict[str, Any]]:
    """Return a conversation about a name, that begins like every other one."""
    said: list[dict[str, Any]] = [RULES, {"role": "user", "content": "please help me with my shop"}]
    for turn in range(turns):
        said.append({"role": "assistant", "content": f"{name} answer {turn}: " + f"{name}{turn} " * 60})
        said.append({"role": "user", "content": f"{name} asks {turn}"})
    return said


def text_of(window: satchel.Window) -> str:
    return json.dumps(window.messages)


def test_two_conversations_that_begin_alike_are_never_mixed() -> None:
    kept = Conversations(budget=BUDGET)
    for turns in range(12):
        for name, other in (("ann", "bob"), ("bob", "ann")):
            window = kept.window(talk(name, turns))
            assert window.tokens <= BUDGET
            assert turns == 0 or f"{name} asks {turns - 1}" in text_of(window)
            assert other not in text_of(window)

    assert len(kept) == 2


def test_a_conversation_is_found_again_and_its_beginning_stays() -> None:
    kept = Conversations(budget=BUDGET)
    alone = State()
    for turns in range(14):
        window = kept.window(talk("ann", turns))
        assert window.messages == satchel.compact(talk("ann", turns), budget=BUDGET, state=alone).messages
        assert kept.window(talk("bob", turns)).messages

    assert alone.compactions > 0


def with_marks(messages: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Return messages with the user's last ones marked for a prompt cache, as Anthropic's clients do."""
    users = [at for at, message in enumerate(messages) if message["role"] == "user"][-count:]
    return [
        {**one, "content": [{"type": "text", "text": one["content"], "cache_control": {"type": "ephemeral"}}]}
        if at in users
        else one
        for at, one in enumerate(messages)
    ]


@pytest.mark.costly
@pytest.mark.parametrize("marked", [0, 1, 2, 3])
def test_marks_that_move_and_a_secret_make_no_other_conversation(marked: int, tmp_path: Path) -> None:
    secret = "AKIAZ7Q4XW2PJ5T6RUNV"
    kept = Conversations(tmp_path, budget=BUDGET)
    shares = []
    for turns in range(14):
        said = talk("ann", turns)[1:]
        said = [{**said[0], "content": f"my key is {secret}, please help me"}, *said[1:]]
        blocks = [{**one, "content": [{"type": "text", "text": one["content"]}]} for one in said]
        window = kept.window(with_marks(said, marked) if marked else blocks, format="anthropic")
        shares.append(window.report["cached_share"])
        assert secret not in text_of(window)
        assert text_of(window).count("cache_control") == min(marked, turns + 1)

    assert len(kept) == 1
    assert sum(share < 0.3 for share in shares[3:]) <= 3


def test_states_are_found_after_a_restart(tmp_path: Path) -> None:
    first = Conversations(tmp_path / "states", budget=BUDGET)
    for turns in range(9):
        before = first.window(talk("ann", turns))
        first.window(talk("bob", turns))
    after = Conversations(tmp_path / "states", budget=BUDGET).window(talk("ann", 8))

    assert after.messages == before.messages
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "states").iterdir())


def test_a_damaged_state_costs_only_the_cache(tmp_path: Path) -> None:
    Conversations(tmp_path, budget=BUDGET).window(talk("ann", 2))
    for path in tmp_path.iterdir():
        path.write_text("no state")

    assert Conversations(tmp_path, budget=BUDGET).window(talk("ann", 2)).tokens


def test_the_oldest_conversations_are_forgotten(tmp_path: Path) -> None:
    kept = Conversations(tmp_path, budget=BUDGET, most=3)
    for number in range(6):
        kept.window([RULES, {"role": "user", "content": f"conversation {number}"}])

    assert len(kept) == 3
    assert len(list(tmp_path.iterdir())) == 3
    with pytest.raises(UsageError, match="most"):
        Conversations(budget=BUDGET, most=0)


def test_keys_of_known_clients_tell_conversations_apart() -> None:
    assert satchel.conversation_key([], {"X-Claude-Code-Session-Id": "a1"}) == "a1"
    assert satchel.conversation_key({"prompt_cache_key": "b2", "input": []}) == "b2"
    user = json.dumps({"session_id": "c3"})
    assert satchel.conversation_key({"metadata": {"user_id": user}, "messages": []}) == "c3"
    assert satchel.conversation_key({"metadata": {"user_id": "{no json"}, "messages": []}) == ""
    kept = Conversations(budget=BUDGET)
    kept.window(talk("ann", 1), key="one")
    kept.window(talk("ann", 1), key="two")
    assert len(kept) == 2


def test_asked_at_once_each_gets_its_own() -> None:
    kept = Conversations(budget=BUDGET)

    async def follow(name: str) -> None:
        for turns in range(6):
            window = await kept.awindow(talk(name, turns))
            others = [other for other in ("ann", "bob", "cleo", "dan") if other != name]
            assert not any(other in text_of(window) for other in others)

    async def work() -> None:
        await asyncio.gather(*(follow(name) for name in ("ann", "bob", "cleo", "dan")))

    asyncio.run(work())
    assert len(kept) == 4


def long_talk(turns: int) -> list[dict[str, Any]]:
    said = talk("ann", turns)
    said[2]["content"] = "a line of a log\n" * (LARGE // 12)
    return said


@pytest.mark.weekly
def test_a_long_conversation_comes_out_of_another_process_as_out_of_this_one(tmp_path: Path) -> None:
    async def work() -> None:
        here, there = State(), State.at(tmp_path / "state")
        whole = long_talk(30)
        for length in (7, 9, len(whole)):
            messages = whole[:length]
            window = await satchel.acompact(messages, budget=BUDGET, state=there, strategy="recent")
            same = satchel.compact(messages, budget=BUDGET, state=here, strategy="recent")
            assert (window.messages, window.tokens, window.cut) == (same.messages, same.tokens, same.cut)
            assert (there.source, there.window, there.origins) == (here.source, here.window, here.origins)
            assert window.messages[0] is messages[0]
            assert window.messages[-1] is messages[-1]
        assert State.at(tmp_path / "state").source == here.source

    try:
        asyncio.run(work())
    finally:
        close_workers()


@pytest.mark.weekly
def test_errors_of_another_process_are_the_errors_of_this_one() -> None:
    async def work() -> None:
        pinned = [{"role": "user", "content": "word " * LARGE}]
        with pytest.raises(BudgetError) as raised:
            await satchel.acompact(pinned, budget=50)
        assert raised.value.budget == 50
        with pytest.raises(ConversationError):
            await satchel.acompact([{"role": "user", "content": "x" * LARGE * 2, "tool_calls": 3}], budget=50)

    try:
        asyncio.run(work())
    finally:
        close_workers()
