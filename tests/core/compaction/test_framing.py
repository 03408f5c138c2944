"""What stands in a window before anything is chosen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from satchel import Host, Window, compact

from .talks import step, talk

HOST = Host.installed(deadline_seconds=None)


def compacted(messages: Any, budget: int, store: Path) -> Window:
    return compact(messages, budget=budget, store=store, host=HOST)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def test_the_last_steps_stand_behind_a_request_that_is_larger_than_the_window(tmp_path: Path) -> None:
    messages = [*talk(3), user("word " * 3_000), *step(9, lines=5)]
    window = compacted(messages, 1_000, tmp_path)

    assert window.messages[-2:] == messages[-2:]
    assert window.tokens > 850
    assert "[satchel:" in str(window.messages)


def test_a_last_call_with_long_arguments_stays_with_short_ones(tmp_path: Path) -> None:
    call, result = step(9, lines=2)
    arguments = json.dumps({"path": "src/new.py", "text": "value = 1\n" * 4_000})
    call["tool_calls"][0]["function"]["arguments"] = arguments
    window = compacted([*talk(3), call, result], 1_500, tmp_path)

    said, answer = window.messages[-2:]
    assert answer["tool_call_id"] == "c9"
    kept = json.loads(said["tool_calls"][0]["function"]["arguments"])
    assert kept["path"] == "src/new.py"
    assert kept["text"].count("value = 1") > 20


def contexts(count: int, lines: int = 150) -> list[dict[str, Any]]:
    """Return a chat with a packed context before each request."""
    said = [user("begin")]
    for number in range(count):
        packed = "\n".join(f"src/part_{number}_{line}.py holds part {line}" for line in range(lines))
        said += [user(f"<context>\n{packed}"), {"role": "assistant", "content": "yes " * 200}]
        said += [user(f"do {number} " * 60)]
    return said


def of_context(window: Window) -> int:
    return int(window.report["allocation"]["used"]["context"])


@pytest.mark.costly
@pytest.mark.parametrize("count", [6, 20])
def test_context_has_its_share_and_no_more_however_much_there_is(count: int, tmp_path: Path) -> None:
    window = compacted(contexts(count), 3_000, tmp_path)
    caps = window.report["allocation"]["caps"]

    assert 0.9 * caps["context"] <= of_context(window) <= caps["context"]
    assert f"part_{count - 1}_" in str(window.messages)


def test_what_is_said_leaves_its_room_to_context_where_it_is_short(tmp_path: Path) -> None:
    window = compacted(contexts(6), 8_000, tmp_path)

    assert of_context(window) > 0.35 * 8_000
    assert {loan["borrower"] for loan in window.report["allocation"]["loans"]} == {"context"}
    assert window.tokens > 7_700


def test_caps_add_up_to_the_budget_and_contributors_to_context(tmp_path: Path) -> None:
    told = compacted(contexts(6), 3_000, tmp_path).report["allocation"]

    assert sum(told["caps"].values()) == 3_000
    assert sum(told["contributors"].values()) == told["caps"]["context"]
    assert told["over"] == {
        name: told["used"][name] - cap for name, cap in told["caps"].items() if told["used"][name] > cap
    }
