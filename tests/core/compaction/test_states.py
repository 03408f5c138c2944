"""A state keeps the beginning of a window as it was sent, until the window is full."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from satchel import ConversationError, Host, State, Water, Window, compact

from .talks import talk

HOST = Host.installed(deadline_seconds=None)


def grown(state: State, steps: int, store: Path, budget: int = 6_000) -> Window:
    return compact(talk(steps), budget=budget, state=state, host=HOST, store=store)


@pytest.mark.weekly
def test_between_two_cuts_messages_are_only_appended(tmp_path: Path) -> None:
    state = State()
    before, cuts = grown(state, 8, tmp_path).messages, 0
    for steps in range(9, 24):
        window = grown(state, steps, tmp_path)
        assert window.tokens <= 6_000
        cuts += window.messages[: len(before)] != before
        before = window.messages

    assert 1 <= cuts <= 4


def test_a_cut_goes_to_low_water_and_no_cut_follows_at_once(tmp_path: Path) -> None:
    state = State(water=Water(low=0.4))
    sizes = [grown(state, steps, tmp_path).tokens for steps in range(8, 24)]
    falls = [at for at in range(1, len(sizes)) if sizes[at] < sizes[at - 1]]

    assert all(sizes[at] <= 2_400 for at in falls)
    assert all(later - earlier > 1 for earlier, later in pairwise(falls))


def test_a_state_survives_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "chat.state"
    first = grown(State.at(path), 16, tmp_path)
    second = compact(talk(16), budget=6_000, state=State.at(path), host=HOST, store=tmp_path)

    assert second.messages == first.messages
    assert second.report["cached_share"] == 1.0
    assert second.report["first_divergence"] is None


def test_another_conversation_starts_anew(tmp_path: Path) -> None:
    state = State()
    grown(state, 16, tmp_path)
    other = compact(talk(2, asked="something else"), budget=6_000, state=state, host=HOST, store=tmp_path)

    assert other.messages == talk(2, asked="something else")
    assert state.compactions == 0


def test_water_in_tokens_holds_where_it_is_less(tmp_path: Path) -> None:
    state = State(water=Water(high_tokens=3_000, low_tokens=1_500))

    grown(state, 6, tmp_path)
    assert grown(state, 7, tmp_path).tokens <= 1_500


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": 2}', '{"schema": 1}', "null"])
def test_a_file_that_is_no_state_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.state"
    path.write_text(text)

    with pytest.raises(ConversationError, match="is not a state of satchel compact"):
        State.at(path)
