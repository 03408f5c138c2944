"""`Window.origins` tells which message of the input each message of a window is."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from satchel import Conversations, Host, State, Window, acompact, compact
from satchel.compaction import is_large

from .talks import step, talk

HOST = Host.installed(deadline_seconds=None)


def text_of(message: Any) -> str:
    return str(message.get("content"))


def check(window: Window, given: list[Any]) -> None:
    """Whatever is said to have stood at a place is that message, or has its role and what is left of it."""
    items = window.messages if isinstance(window.messages, list) else window.messages["messages"]
    assert len(window.origins) == len(items)
    assert [at for at in window.origins if at >= 0] == sorted({at for at in window.origins if at >= 0})
    changed = {cut.index for cut in window.cut if cut.kept}
    for at, item in zip(window.origins, items, strict=True):
        if at < 0:
            assert text_of(item).startswith("[satchel"), item
        elif item != given[at]:
            assert at in changed, (at, item)
            assert item["role"] == given[at]["role"]


def anthropic(turns: int) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"role": "user", "content": "Fix the build."}]
    for turn in range(turns):
        call = {"type": "tool_use", "id": f"t{turn}", "name": "read", "input": {"path": f"src/f{turn}.py"}}
        lines = "\n".join(f"def load_{turn}_{line}(): ..." for line in range(40))
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": lines}
        said.append({"role": "assistant", "content": [{"type": "text", "text": f"I read {turn}."}, call]})
        said.append({"role": "user", "content": [result, {"type": "text", "text": f"Go on after {turn}."}]})
    return said


def test_what_is_not_cut_stands_where_it_stood(tmp_path: Path) -> None:
    window = compact(talk(3), budget=50_000, store=tmp_path, host=HOST)

    assert window.origins == tuple(range(len(talk(3))))


@pytest.mark.costly
@pytest.mark.parametrize("budget", [2_000, 4_000])
def test_each_message_of_a_cut_window_leads_to_its_own(budget: int, tmp_path: Path) -> None:
    window = compact(talk(), budget=budget, store=tmp_path, host=HOST)

    check(window, talk())
    assert -1 in window.origins
    assert window.origins[-1] == len(talk()) - 1


def test_messages_in_pieces_are_found(tmp_path: Path) -> None:
    given = anthropic(20)
    window = compact({"messages": given}, budget=3_000, format="anthropic", store=tmp_path, host=HOST)

    assert window.cut
    assert len(window.origins) == len(window.messages["messages"])
    whole = [
        (at, item) for at, item in zip(window.origins, window.messages["messages"], strict=True) if at > 0
    ]
    assert whole
    for at, item in whole:
        assert item["role"] == given[at]["role"]
        ids = {block.get("id") or block.get("tool_use_id") for block in item["content"] if "type" in block}
        assert ids - {None} <= {block.get("id") or block.get("tool_use_id") for block in given[at]["content"]}


@pytest.mark.weekly
def test_they_hold_while_a_window_goes_on_and_after_a_restart(tmp_path: Path) -> None:
    cuts = 0
    for turns in range(2, 24):
        conversations = Conversations(tmp_path / "states", budget=3_000, store=tmp_path, host=HOST)
        for given in (talk(turns), [*talk(turns), {"role": "user", "content": f"and then, {turns}?"}]):
            window = conversations.window(given)
            cuts += bool(window.cut)
            assert len(window.origins) == len(window.messages)
            for at, item in zip(window.origins, window.messages, strict=True):
                assert at < 0 or item["role"] == given[at]["role"]
                if at >= 0 and item["role"] == "user":
                    assert item["content"] == given[at]["content"]
            assert window.origins[-1] == len(given) - 1
    assert cuts > 1


def test_a_result_that_was_put_in_is_from_nowhere(tmp_path: Path) -> None:
    given = [one for one in talk(3) if one["role"] != "tool"]
    state = State()
    for messages in (given, [*given, {"role": "user", "content": "go on"}]):
        window = compact(messages, budget=50_000, state=state, store=tmp_path, host=HOST)
        stood = [at for at in window.origins if at >= 0]
        assert stood == list(range(len(messages)))
        assert window.origins.count(-1) == len(window.messages) - len(messages) > 0


@pytest.mark.weekly
def test_they_come_out_of_another_process_alike(tmp_path: Path) -> None:
    large = talk(1) + [message for number in range(1, 60) for message in step(number, 200)]
    assert is_large(large)

    window = asyncio.run(acompact(large, budget=6_000, store=tmp_path))

    check(window, large)
    assert window.origins == compact(large, budget=6_000, store=tmp_path, host=HOST).origins
