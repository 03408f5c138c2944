"""The beginning of a window stays as it was sent: only a compaction changes what precedes the dialogue."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.amounts import is_full
from tests.core.formats import read
from tests.core.session.window.talks import Make, talk

from satchel import Session, SessionWindow
from satchel.conversation import flaws_of
from satchel.runs import open_run
from satchel.session import add_pin, record_edit

SUBJECTS = ("polling", "gauges", "server", "cart", "login")
TURNS = 20 if is_full() else 10


def said(made: SessionWindow) -> list[str]:
    """Return each message as it is sent."""
    return [json.dumps(message, sort_keys=True) for message in made.messages]


def context_of(made: SessionWindow, number: int = 0) -> str:
    """Return a part of the workspace as it stands in the window, "" where there are fewer."""
    found = made.text.split("<context ")[1:]
    packed = [part.split("</context ")[0] for part in found if "what happened" not in part.split(">")[0]]
    return packed[number] if number < len(packed) else ""


def call(form: str, number: int, name: str, given: dict[str, str]) -> dict[str, Any]:
    if form == "openai":
        function = {"name": name, "arguments": json.dumps(given)}
        return {"id": f"call_{number}", "type": "function", "function": function}
    return {"type": "tool_use", "id": f"call_{number}", "name": name, "input": given}


def ask(session: Session, form: str, turn: int, texts: tuple[str, str]) -> None:
    """Let the agent read a file and a log at the same time."""
    subject = SUBJECTS[turn % len(SUBJECTS)]
    calls = [
        call(form, 2 * turn, "read_file", {"path": f"src/{subject}.py"}),
        call(form, 2 * turn + 1, "bash", {"command": f"git log src/{subject}.py"}),
    ]
    if form == "openai":
        session.add({"role": "assistant", "content": "I read both.", "tool_calls": calls})
        for at, text in enumerate(texts):
            session.add({"role": "tool", "tool_call_id": f"call_{2 * turn + at}", "content": text})
        return
    session.add({"role": "assistant", "content": [{"type": "text", "text": "I read both."}, *calls]})
    results = [
        {"type": "tool_result", "tool_use_id": f"call_{2 * turn + at}", "content": text}
        for at, text in enumerate(texts)
    ]
    session.add({"role": "user", "content": results})


def run_script(session: Session, make: Make, form: str, budget: int, task: str) -> Iterator[SessionWindow]:
    """Yield two windows for each turn: for the request, and for the results of two calls at once."""
    lines = budget // 100
    for turn in range(TURNS):
        subject = SUBJECTS[turn // 4 % len(SUBJECTS)]
        session.add({"role": "user", "content": f"Turn {turn}: what does {subject}_{turn % 12} return?"})
        yield make(task, budget=budget, form=form)
        read_text = "".join(f"def {subject}_{line}(a):  # {turn}\n    return a\n" for line in range(lines))
        log = "".join(f"{turn * 7919 + line:07x} mend {subject} {line}\n" for line in range(lines // 2))
        ask(session, form, turn, (read_text, log))
        yield make(task, budget=budget, form=form)
        session.add({"role": "assistant", "content": f"Answer {turn}: it adds {turn % 12}."})


class Script(NamedTuple):
    """What of the beginnings of a script's windows changed."""

    compacted: int
    broken: int
    """Windows that begin otherwise than the one before, at the block or before it."""
    in_vain: int
    """Those of them in which nothing was cut."""


def play(session: Session, make: Make, form: str, budget: int, task: str) -> Script:
    """Run the script and count."""
    fronts: list[str] = []
    made: list[SessionWindow] = []
    for window in run_script(session, make, form, budget, task):
        assert window.tokens <= budget
        assert flaws_of(read(window.document, form)) == []
        fronts.append(context_of(window))
        made.append(window)
    broken = [at for at in range(1, len(fronts)) if fronts[at] != fronts[at - 1]]
    in_vain = [at for at in broken if not made[at].cut]
    for before, window in pairwise(made):
        # the last of what was sent may be what happened, or stand in one message with it
        same = window.first_divergence is None or window.first_divergence >= len(before.messages) - 2
        assert window.cut or same
    return Script(sum(bool(one.cut) for one in made), len(broken), len(in_vain))


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("task", ["", "make polling faster"])
@pytest.mark.parametrize("budget", [8_000, 24_000])
@pytest.mark.parametrize("form", ["openai", "anthropic"])
def test_only_a_compaction_changes_what_stands_before_the_dialogue(
    session: Session, make: Make, form: str, budget: int, task: str
) -> None:
    script = play(session, make, form, budget, task)

    assert script.compacted >= 3
    assert script.in_vain == 0
    assert script.broken <= script.compacted


@pytest.mark.weekly
def test_what_another_task_needs_stands_behind_what_was_sent(session: Session, make: Make) -> None:
    talk(session, 1)
    first = make("make polling faster", budget=1_200)
    session.add({"role": "user", "content": "the total of the cart is wrong"})

    made = make("the total of the cart is wrong", budget=1_200)

    assert made.context["kept"]
    assert said(made)[: len(first.messages) - 1] == said(first)[:-1]
    assert "def cart_" in context_of(made, 1)
    assert made.messages[-1]["content"] == "the total of the cart is wrong"


def test_what_was_added_stays_where_it_is(session: Session, make: Make) -> None:
    talk(session, 1)
    make("make polling faster", budget=1_200)
    session.add({"role": "user", "content": "the total of the cart is wrong"})
    second = make("the total of the cart is wrong", budget=1_200)
    talk(session, 1, words=1)

    third = make("the total of the cart is wrong", budget=1_200)

    at = next(at for at, one in enumerate(said(second)) if "more of the workspace" in one)
    assert said(third)[: at + 1] == said(second)[: at + 1]
    assert third.text.count("more of the workspace") == 1


def test_what_was_added_goes_with_what_is_undone(session: Session, make: Make) -> None:
    talk(session, 1)
    first = make("make polling faster", budget=1_200)
    session.add({"role": "user", "content": "the total of the cart is wrong"})
    make("the total of the cart is wrong", budget=1_200)

    session.undo()

    assert make("make polling faster", budget=1_200).messages == first.messages


@pytest.mark.weekly
def test_nothing_is_put_between_calls_and_their_results(session: Session, make: Make) -> None:
    talk(session, 1)
    make("make polling faster", budget=1_200)
    session.add({"role": "user", "content": "go on"})
    calls = [call("openai", at, "read_file", {"path": "src/cart.py"}) for at in range(2)]
    session.add({"role": "assistant", "content": None, "tool_calls": calls})
    session.add({"role": "tool", "tool_call_id": "call_0", "content": "the cart"})
    make("the total of the cart is wrong", budget=1_200)
    session.add({"role": "tool", "tool_call_id": "call_1", "content": "the cart again"})

    made = make("the total of the cart is wrong", budget=1_200)

    assert [one["role"] for one in made.messages][-5:] == ["user", "assistant", "tool", "tool", "user"]
    assert flaws_of(read(made.document, "openai")) == []
    assert "src/cart.py" in context_of(made, 1)


@pytest.mark.weekly
def test_a_workspace_that_was_empty_is_shown_behind_when_it_has_files(
    session: Session, make: Make, root: Path
) -> None:
    texts = {path: path.read_text() for path in root.rglob("*.py")}
    for path in texts:
        path.unlink()
    talk(session, 1)
    first = make()
    for path, text in texts.items():
        path.write_text(text)

    second = make()

    assert "def polling_3" in second.text
    assert said(second)[:3] == said(first)[:3]


def test_a_compaction_takes_in_what_was_added(session: Session, make: Make) -> None:
    talk(session, 1)
    make("make polling faster", budget=1_200)
    session.add({"role": "user", "content": "the total of the cart is wrong"})
    make("the total of the cart is wrong", budget=1_200)
    for _ in range(12):
        talk(session, 1, words=12)
        made = make("the total of the cart is wrong", budget=1_200)
        if made.cut:
            break

    assert made.cut
    assert "more of the workspace" not in made.text
    assert "def cart_" in context_of(made)  # which of the twelve alike is for the model of worth to say


def test_no_file_stands_stale_without_a_word(session: Session, make: Make, root: Path) -> None:
    talk(session, 1)
    make(budget=1_600)
    for path in root.rglob("*.py"):
        path.write_text(path.read_text().replace("return a +", "return 2 * a +"))

    made = make(budget=1_600)

    shown = {item["path"] for item in made.context["items"] if item["level"] != "pointer" and item["path"]}
    behind = made.text.rpartition("what happened")[2]
    assert made.context["kept"]
    assert shown
    assert all(path in behind for path in shown)


def test_an_edit_of_before_tells_nothing_of_a_later_change(
    session: Session, make: Make, root: Path, store: Path
) -> None:
    polling = root / "src/polling.py"
    old = polling.read_text()
    polling.write_text(old.replace("return a + 3\n", "return a + 33\n"))
    run = open_run(root)
    record_edit(session, "src/polling.py", run=run, texts=(old, polling.read_text()), store=str(store))
    run.workspace.close()
    talk(session, 1)
    make()
    polling.write_text(old.replace("return a + 3\n", "return a + 333\n"))

    assert "return a + 333\n" in make().text


def test_a_pinned_file_that_changed_is_shown_as_it_is(session: Session, make: Make, root: Path) -> None:
    talk(session, 1)
    add_pin(session, "src/login.py", root)
    make(budget=1_600)
    login = root / "src/login.py"
    login.write_text(login.read_text().replace("return a +", "return 2 * a +"))

    made = make(budget=1_600)

    assert "return 2 * a + 11" in made.text
