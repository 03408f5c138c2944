"""What must hold of the windows that a framework's model was sent, whatever the framework."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import satchel

BUDGET = 2_000
SLACK = 60
"""Tokens that the form of a framework may cost more than OpenAI's."""
TURNS, LINES = 16, 60
FIRST, LAST = "I need help with my shop.", "What is wrong in turn {turn}?"


class Sent(NamedTuple):
    """A message as a model got it."""

    role: str
    text: str
    calls: tuple[str, ...] = ()
    """Ids of the calls that it makes, or of the call that it answers."""


def result_of(name: str, turn: int) -> str:
    """Return what a tool tells in a turn of somebody's conversation."""
    return "\n".join(f"{name} line {number} of turn {turn}" for number in range(LINES))


def check_window(sent: Sequence[Sent], name: str, turn: int, others: Sequence[str]) -> None:
    """Check one window: within the budget, valid, first and last words whole, nothing of anybody else."""
    told = [{"role": "user", "content": one.text} for one in sent]
    assert satchel.count(told) <= BUDGET + SLACK, (turn, satchel.count(told))
    open_calls: set[str] = set()
    for one in sent:
        if one.role == "assistant":
            open_calls |= set(one.calls)
        if one.role == "tool":
            assert set(one.calls) <= open_calls, f"turn {turn}: an answer without its call"
            open_calls -= set(one.calls)
    assert not open_calls, f"turn {turn}: a call without its answer"
    texts = [one.text for one in sent if one.role == "user"]
    assert any(FIRST in text for text in texts), f"turn {turn}: the first words are gone"
    assert any(LAST.format(turn=turn) in text for text in texts), f"turn {turn}: the last words are gone"
    assert not any(f"{other} line" in one.text for one in sent for other in others), f"{name} sees another"


def check_steady(windows: Sequence[Sequence[Sent]]) -> None:
    """Check that most windows begin as the one before: a prompt cache lives of that."""
    kept = sum(list(later[: len(before)]) == list(before) for before, later in itertools.pairwise(windows))
    assert kept >= 0.6 * (len(windows) - 1), f"{kept} of {len(windows) - 1} windows begin as the one before"
    assert json.dumps(windows)


class Framework(NamedTuple):
    """How a framework is asked, and what it and its model then know."""

    name: str
    ask: Callable[[str, int, str], None]
    """Takes whose turn it is, which one, and the words; the turn decides how: sync, async or streaming."""
    sent: list[Any]
    """What its model was sent, one entry a call."""
    neutral: Callable[[Any], list[Sent]]
    results: Callable[[str], list[str]]
    """The results of tools in the framework's own history of somebody's conversation."""


def converse(framework: Framework) -> None:
    """Lead two conversations in turns, and check every window that the model was sent."""
    windows: dict[str, list[list[Sent]]] = {"ann": [], "bob": []}
    for turn in range(TURNS):
        for name, other in (("ann", "bob"), ("bob", "ann")):
            before = len(framework.sent)
            framework.ask(
                name, turn, f"{FIRST}\n{LAST.format(turn=turn)}" if turn == 0 else LAST.format(turn=turn)
            )
            calls = [framework.neutral(one) for one in framework.sent[before:]]
            assert len(calls) == 2, f"{len(calls)} calls of the model in a turn"
            for sent in calls:
                check_window(sent, name, turn, [other])
                windows[name].append(sent)
            results = framework.results(name)
            assert len(results) == turn + 1, (len(results), turn)
            whole = [f"{name} line {LINES - 1} of turn {at}" in text for at, text in enumerate(results)]
            assert all(whole), "the framework's own history was cut"
            if turn == 0:
                assert any(one.text.count(f"{name} line") == LINES for one in calls[-1]), (
                    "a short one was cut"
                )
    for steps in windows.values():
        check_steady(steps)
    last = windows["ann"][-1]
    assert sum(f"line {LINES - 1} of" in one.text for one in last) < TURNS, "nothing was cut at all"
    print(f"{framework.name}: {len(framework.sent)} calls of the model, all within {BUDGET} tokens")
