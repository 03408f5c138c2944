"""Requests of real clients, replayed turn by turn: what stands stays, what fits comes back as it is."""

from __future__ import annotations

import asyncio
import copy
import json
import time
from itertools import pairwise
from typing import Any

import pytest

from satchel import BudgetError, State, acompact, compact

BUDGET = 4_000
HERE = {"type": "ephemeral"}
EMPTY: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
ORPHAN = [{"role": "tool", "tool_call_id": "x", "content": "nobody asked for it"}]
NO_JSON = [
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{bad"}}],
    },
    {"role": "tool", "tool_call_id": "c", "content": "ok"},
]
NO_RESULT = [
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    }
]


def asked(turn: int) -> str:
    return f"Question {turn}: what does step {turn} do with file_{turn}.py? " * 6


def answered(turn: int) -> str:
    return f"Answer {turn}: it does step_{turn}. " * 20


def openai(turns: int, flaw: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a conversation with a flaw in each turn; ids differ as a client's do."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are an agent."}]
    for turn in range(turns):
        again = json.loads(json.dumps(flaw).replace('"c"', f'"c{turn}"').replace('"x"', f'"x{turn}"'))
        messages += [{"role": "user", "content": asked(turn)}, *again]
        messages.append({"role": "assistant", "content": answered(turn)})
    return messages[:-1]


def claude_code(turns: int) -> dict[str, Any]:
    """Return a request as Claude Code sends it: reminders among the messages, a mark that moves."""
    messages: list[dict[str, Any]] = []
    for turn in range(turns):
        last = {"cache_control": HERE} if turn == turns - 1 else {}
        messages.append({"role": "user", "content": [{"type": "text", "text": asked(turn), **last}]})
        messages.append({"role": "system", "content": f"Reminder {turn}: be brief."})
        messages.append({"role": "assistant", "content": [{"type": "text", "text": answered(turn)}]})
    tool = {"name": "Read", "description": "Reads a file.", "input_schema": {"type": "object"}}
    system = [{"type": "text", "text": "You are Claude Code.", "cache_control": HERE}]
    request = {"model": "claude", "max_tokens": 100, "system": system, "tools": [tool], "stream": True}
    return {**request, "messages": messages[:-1]}


def count_cuts(windows: list[list[Any]]) -> int:
    return sum(after[: len(before)] != before for before, after in pairwise(windows))


@pytest.mark.costly
@pytest.mark.parametrize("flaw", [EMPTY, ORPHAN, NO_JSON, NO_RESULT])
def test_a_flaw_that_repeats_makes_no_new_cuts(flaw: list[dict[str, Any]]) -> None:
    state, sound = State(), State()
    windows = [compact(openai(turns, flaw), budget=BUDGET, state=state).messages for turns in range(1, 25)]
    plain = [compact(openai(turns, []), budget=BUDGET, state=sound).messages for turns in range(1, 25)]

    assert count_cuts(plain) == sound.compactions == 2
    assert count_cuts(windows) == state.compactions <= 3


def test_requests_of_claude_code_come_back_byte_for_byte_while_they_fit() -> None:
    state = State()
    for turns in range(1, 12):
        request = claude_code(turns)
        window = compact(copy.deepcopy(request), budget=BUDGET, state=state)
        assert json.dumps(window.messages) == json.dumps(request)
        assert window.problems == ()


def test_reminders_of_the_system_stay_among_the_messages_and_the_beginning_stands() -> None:
    state = State()
    windows = [compact(claude_code(turns), budget=BUDGET, state=state) for turns in range(1, 25)]

    shares = [window.report["cached_share"] for window in windows[1:]]
    assert state.compactions <= 3
    assert sorted(shares)[len(shares) // 2] > 0.85
    for window in windows:
        assert window.messages["system"] == claude_code(1)["system"]
        assert "system" in [message["role"] for message in window.messages["messages"]]
        assert str(window.messages["messages"]).count("cache_control") == 1


def test_an_error_names_every_sum() -> None:
    request = claude_code(3)
    request["tools"][0]["description"] = "words and more words " * 2_000

    with pytest.raises(BudgetError, match="definitions of tools") as error:
        compact(request, budget=BUDGET)

    assert error.value.budget == BUDGET
    assert sum(tokens for _, tokens in error.value.costs) > BUDGET


def test_a_request_without_messages_whose_tools_cost_more_is_refused() -> None:
    tool = {"type": "function", "function": {"name": "f", "description": "words " * 900}}

    with pytest.raises(BudgetError, match="definitions of tools"):
        compact({"messages": [], "tools": [tool]}, budget=100)


def test_low_water_gives_way_to_what_must_stand() -> None:
    said = "words of a long request " * 60
    messages = [{"role": "user", "content": said}, {"role": "assistant", "content": answered(1) * 4}]
    messages.append({"role": "user", "content": f"{said} again"})

    window = compact(messages, budget=900, state=State())

    assert window.tokens <= 900
    assert window.messages[0]["content"] == said


def test_what_a_program_says_last_stays_whole_where_low_water_would_cut_it() -> None:
    state = State()
    messages: list[dict[str, Any]] = []
    for turn in range(1, 40):
        messages += [
            {"role": "user", "content": asked(turn)},
            {"role": "assistant", "content": answered(turn)},
        ]
        window = compact(messages, budget=BUDGET, state=state)
        if state.compactions and window.tokens > BUDGET * 0.8:
            break
    lines = "\n".join(f"Finding {number}: module_{number} reads config_{number}." for number in range(100))
    notice = f"<task-notification>\n{lines}\n</task-notification>"

    window = compact([*messages, {"role": "user", "content": notice}], budget=BUDGET, state=state)

    assert state.compactions == 2
    assert window.tokens <= BUDGET
    assert window.messages[-1] == {"role": "user", "content": notice}


@pytest.mark.weekly
def test_a_large_request_does_not_hold_up_an_event_loop() -> None:
    large: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for turn in range(40):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        text = f"line {turn} of file_{turn}\n" * 1_000
        large.append({"role": "assistant", "content": None, "tool_calls": [call]})
        large.append({"role": "tool", "tool_call_id": f"c{turn}", "content": text})

    async def _compact_and_wait() -> tuple[int, float]:
        longest = 0.0
        work = asyncio.create_task(acompact(large, budget=8_000))
        while not work.done():
            start = time.perf_counter()
            await asyncio.sleep(0.005)
            longest = max(longest, time.perf_counter() - start)
        return (await work).tokens, longest

    tokens, longest = asyncio.run(_compact_and_wait())
    assert tokens <= 8_000
    assert longest < 1.0  # seconds; a whole compaction takes more
