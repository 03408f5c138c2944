"""A cut leaves the beginning of the window that was sent last as it is."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.core.formats import read

from satchel import Host, State, compact
from satchel.compaction.prefix import NOTHING, origins_of, restore_sent, standing
from satchel.conversation import Counts, exchanges_of, repair, write
from satchel.plugin_api import Conversation
from satchel_plugins.tokenizers import OfflineTokenizer

from .talks import talk

HOST = Host.installed(deadline_seconds=None)
FORMATS = ("openai", "anthropic", "responses", "ollama")
BUDGET = 6_000
Grown = tuple[str, list[tuple[int, list[Any]]]]


def _anthropic(message: dict[str, Any]) -> dict[str, Any]:
    if message["role"] == "tool":
        result = {
            "type": "tool_result",
            "tool_use_id": message["tool_call_id"],
            "content": message["content"],
        }
        return {"role": "user", "content": [result]}
    if message["role"] == "user":
        return message
    call = message["tool_calls"][0]
    use = {"type": "tool_use", "id": call["id"], "name": "read"}
    return {
        "role": "assistant",
        "content": [{**use, "input": json.loads(call["function"]["arguments"])}],
    }


def _responses(message: dict[str, Any]) -> dict[str, Any]:
    if message["role"] == "tool":
        kept = {"call_id": message["tool_call_id"], "output": message["content"]}
        return {"type": "function_call_output", **kept}
    if message["role"] != "assistant":
        return message
    call = message["tool_calls"][0]
    return {"type": "function_call", "call_id": call["id"], **call["function"]}


def _ollama(message: dict[str, Any]) -> dict[str, Any]:
    if message["role"] == "tool":
        return {"role": "tool", "tool_name": "read", "content": message["content"]}
    if message["role"] != "assistant":
        return message
    arguments = json.loads(message["tool_calls"][0]["function"]["arguments"])
    call = {"function": {"name": "read", "arguments": arguments}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def told(form: str, steps: int) -> list[dict[str, Any]]:
    """Return the talk in a format, without its system message in Anthropic's."""
    writers = {"anthropic": _anthropic, "responses": _responses, "ollama": _ollama}
    said = talk(steps)[1:] if form == "anthropic" else talk(steps)
    return [writers[form](message) for message in said] if form in writers else said


def windows(form: str, state: State, store: Path, steps: range) -> list[tuple[int, list[Any]]]:
    """Return the number of compactions and the window after each step."""
    found = []
    for number in steps:
        made = compact(told(form, number), budget=BUDGET, state=state, format=form, host=HOST, store=store)
        found.append((state.compactions, made.messages))
    return found


def same_beginning(one: list[Any], other: list[Any]) -> int:
    return next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
        min(len(one), len(other)),
    )


def cuts(found: list[tuple[int, list[Any]]]) -> list[tuple[list[Any], list[Any]]]:
    """Return the windows before and after each compaction but the first."""
    return [(one[1], other[1]) for one, other in pairwise(found) if other[0] > one[0] > 0]


@pytest.fixture(scope="module", params=FORMATS)
def grown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Grown:
    form = str(request.param)
    return form, windows(form, State(), tmp_path_factory.mktemp("store"), range(6, 36))


def test_a_second_cut_leaves_the_first_note_and_what_follows_it(grown: Grown) -> None:
    assert len(cuts(grown[1])) > 1
    for before, after in cuts(grown[1]):
        kept = json.dumps(before[: same_beginning(before, after)])
        assert "[satchel: " in kept
        assert kept.count("def load_") > 3


def test_windows_that_stand_keep_their_budget_and_what_providers_ask(grown: Grown) -> None:
    form, found = grown
    for _, messages in found:
        given = read(messages, form)
        assert Counts(OfflineTokenizer(), form=given.format).total(given).total <= BUDGET
        assert not repair(given).flaws


@pytest.mark.weekly
def test_a_process_that_reads_the_state_makes_the_same_windows(tmp_path: Path) -> None:
    path = tmp_path / "chat.state"
    lasting = windows("openai", State(), tmp_path, range(6, 30))
    fresh = [windows("openai", State.at(path), tmp_path, range(n, n + 1))[0] for n in range(6, 30)]

    assert [json.dumps(one) for _, one in fresh] == [json.dumps(one) for _, one in lasting]


def test_a_new_pin_is_whole_though_its_message_stood_shortened(tmp_path: Path) -> None:
    state = State()
    windows("openai", state, tmp_path, range(6, 20))
    wanted = talk(30)[7]
    made = compact(talk(30), budget=BUDGET, state=state, pins=[7], host=HOST, store=tmp_path)

    assert wanted in made.messages


def test_a_result_that_came_again_stands_once(tmp_path: Path) -> None:
    state = State()
    windows("openai", state, tmp_path, range(6, 16))
    marked = "def load_0_30(): return 0"
    again = [{**message} for message in talk(1)[2:]]
    again[0] = {**again[0], "tool_calls": [{**again[0]["tool_calls"][0], "id": "again"}]}
    again[1] = {**again[1], "tool_call_id": "again"}
    made = compact([*talk(26), *again], budget=BUDGET, state=state, host=HOST, store=tmp_path)

    assert json.dumps(made.messages).count(marked) == 1


def test_what_is_repaired_at_the_end_leaves_the_beginning_and_its_places(tmp_path: Path) -> None:
    state = State()
    windows("openai", state, tmp_path, range(6, 20))
    places, sent = list(state.origins), list(state.window)
    astray = {"role": "tool", "tool_call_id": "astray", "content": "a result without its call"}
    made = compact([*talk(20), astray], budget=100_000, state=state, host=HOST, store=tmp_path)

    assert places == state.origins != []
    assert made.messages[: len(sent)] == sent


def read_again(form: str) -> tuple[Conversation, Conversation]:
    """Return a conversation, and the same one written and read again."""
    given = repair(read(told(form, 4), form)).conversation
    return given, read(write(given), form)


@pytest.mark.parametrize("form", FORMATS)
def test_messages_that_were_read_again_have_their_places(form: str) -> None:
    given, again = read_again(form)

    found = restore_sent(again.messages, origins_of(given.messages))

    assert [message.index for message in found] == [message.index for message in given.messages]
    assert found == list(given.messages)


def test_a_window_that_is_another_one_stands_for_nothing() -> None:
    given, again = read_again("openai")

    assert restore_sent(again.messages[:3], origins_of(given.messages)) == []
    assert restore_sent(again.messages, [(0, 3)]) == []


def test_where_nothing_was_cut_nothing_needs_to_stand() -> None:
    given, _ = read_again("openai")
    exchanges = exchanges_of(given)
    costs = [10] * len(given.messages)

    assert standing(given.messages, exchanges, costs, most=1_000, before=len(exchanges), whole=()) == NOTHING
