"""A window grows and shrinks with its budget."""

from __future__ import annotations

import pytest
from tests.amounts import is_full
from tests.core.session.window.talks import WORDS, Make, talk

from satchel import Session


def test_a_window_grows_and_shrinks_with_its_budget(make: Make, session: Session) -> None:
    session.add({"role": "user", "content": "make polling faster"})

    small, large, again = (make(budget=budget).tokens for budget in (1_000, 8_000, 1_000))

    assert small == again <= 1_000
    assert large > small * 1.5


@pytest.mark.weekly
def test_a_window_with_more_room_than_before_shows_what_was_cut(make: Make, session: Session) -> None:
    talk(session, 60, words=8)

    windows = [make(budget=budget) for budget in (1_500, 3_000, 6_000)]

    assert all(window.tokens > 0.85 * window.budget for window in windows)
    assert [window.text.count("messages cut; ") for window in windows] == [1, 1, 1]


def test_a_session_that_comes_in_long_fills_its_window(make: Make, session: Session) -> None:
    talk(session, 60, words=8)

    window = make(budget=6_000)

    assert window.compacted
    assert window.tokens > 0.9 * window.budget


@pytest.mark.weekly
def test_a_later_cut_leaves_most_of_the_budget_filled(make: Make, session: Session) -> None:
    fills = []
    turns, budget = (80, 6_000) if is_full() else (24, 3_000)
    for _ in range(turns):
        talk(session, 1, words=8)
        window = make(budget=budget)
        if window.compacted:
            fills.append(window.tokens / window.budget)

    assert len(fills) >= 3
    assert min(fills) > 0.6


@pytest.mark.weekly
def test_what_the_agent_told_stands_whole_after_a_later_cut(make: Make, session: Session) -> None:
    answers = [f"answer {turn}: " + "the poll waits for the lock of the queue. " * 12 for turn in range(12)]
    for turn, answer in enumerate(answers):
        session.add({"role": "user", "content": f"question {turn}"})
        function = {"name": "read_file", "arguments": f'{{"path": "src/polling_{turn}.py"}}'}
        call = {"id": f"c{turn}", "type": "function", "function": function}
        session.add({"role": "assistant", "content": None, "tool_calls": [call]})
        session.add({"role": "tool", "tool_call_id": f"c{turn}", "content": f"{turn} {WORDS}\n" * 40})
        session.add({"role": "assistant", "content": answer})
        window = make(budget=5_000)

    assert all(answer in window.text for answer in answers)


@pytest.mark.weekly
def test_a_later_cut_leaves_the_beginning_of_the_window_as_it_was_sent(make: Make, session: Session) -> None:
    turns, budget = (40, 6_000) if is_full() else (20, 3_000)
    talk(session, turns, words=8)
    shares, cuts = [], 0
    for _ in range(turns // 2):
        talk(session, 1, words=16)
        window = make(budget=budget)
        if window.compacted:
            cuts += 1
            shares.append(window.cached_share)

    assert cuts >= 3
    assert min(shares[2:]) > 0.45


@pytest.mark.weekly
def test_a_dialogue_of_results_is_cut_to_low_water_and_no_further(make: Make, session: Session) -> None:
    session.add({"role": "user", "content": "make polling faster"})
    steps, budget = (40, 6_000) if is_full() else (20, 3_000)
    fills = []
    for step in range(steps):
        function = {"name": "read_file", "arguments": f'{{"path": "src/polling_{step}.py"}}'}
        call = {"id": f"c{step}", "type": "function", "function": function}
        session.add({"role": "assistant", "content": None, "tool_calls": [call]})
        lines = [f"poll_{step}_{line} = wait(gauge_{step}, {line})" for line in range(20)]
        session.add({"role": "tool", "tool_call_id": f"c{step}", "content": "\n".join(lines)})
        window = make(budget=budget)
        if window.compacted:
            fills.append(
                (window.parts["dialog"] + window.parts["results"]) / (budget - window.parts["context"])
            )

    assert len(fills) >= 2
    assert all(0.6 < fill < 0.75 for fill in fills)
