"""A window for a named reader shows nothing that the reader was shown before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.core.session.window.talks import Make

from satchel import Session, UsageError
from satchel.session import SessionWindow, record_entry


def said(role: str, text: str) -> dict[str, str]:
    return {"role": role, "content": text}


def shown(made: SessionWindow) -> str:
    return json.dumps(made.document)


def test_the_second_window_has_what_is_new(session: Session, make: Make) -> None:
    session.add(said("user", "make polling faster"))
    session.add(said("assistant", "It waits a second each time."))
    first = make(reader="helper")
    session.add(said("user", "then halve it"))
    second = make(reader="helper")

    assert "waits a second" in shown(first)
    assert "def polling_3" in shown(first)
    assert second.messages == [said("user", "then halve it")]
    assert make(reader="helper").messages == []


def test_what_is_new_is_compacted_where_it_does_not_fit(session: Session, make: Make) -> None:
    session.add(said("user", "make polling faster, the old way"))
    make(reader="helper")
    for number in range(12):
        session.add(said("user", f"request {number}: " + "please " * 60))
        session.add(said("assistant", f"answer {number}: " + "done " * 60))
    second = make(reader="helper", budget=800)

    assert second.tokens <= 800
    assert second.cut
    assert "request 11" in shown(second)
    assert "the old way" not in shown(second)
    assert make(reader="helper").messages == []


def test_a_call_is_shown_with_its_result(session: Session, make: Make) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
    said_so = [
        said("user", "make polling faster"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    for message in said_so:
        session.add(message)
    first = make(reader="helper")
    assert make(reader="helper").messages == []
    session.add({"role": "tool", "tool_call_id": "c", "content": "it waits a second"})
    second = make(reader="helper")

    assert first.messages[-1] == said_so[0]
    assert second.messages[-2:] == [
        said_so[1],
        {"role": "tool", "tool_call_id": "c", "content": "it waits a second"},
    ]
    assert (first.problems, second.problems) == ((), ())


def test_a_call_that_was_interrupted_holds_nothing_back(session: Session, make: Make) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
    session.add(said("user", "make polling faster"))
    session.add({"role": "assistant", "content": None, "tool_calls": [call]})
    session.add(said("user", "no, wait"))

    assert make(reader="helper").messages[-1] == said("user", "no, wait")


def test_each_reader_has_its_own(session: Session, make: Make) -> None:
    session.add(said("user", "make polling faster"))
    alone = make()
    make(reader="first")

    assert make(reader="second").messages == alone.messages
    assert make().messages == alone.messages


def test_a_file_that_changed_is_told_once(session: Session, make: Make, root: Path) -> None:
    session.add(said("user", "make polling faster"))
    make(reader="helper")
    polling = root / "src/polling.py"
    polling.write_text(polling.read_text().replace("return a + 3\n", "return a + 3_000\n"))
    session.add(said("user", "and now?"))
    second, third = make(reader="helper"), make(reader="helper")

    assert "3_000" in shown(second)
    assert "def polling_9" not in shown(second)
    assert third.messages == []


def test_what_happened_is_told_once(session: Session, make: Make, store: Path) -> None:
    session.add(said("user", "make polling faster"))
    record_entry(session, [b"1 failed: polling\n"], command="pytest -q", exit_code=1, store=store)
    first, second = make(reader="helper"), make(reader="helper")

    assert "1 failed: polling" in shown(first)
    assert second.messages == []


def test_another_task_brings_files_that_were_not_shown(session: Session, make: Make) -> None:
    session.add(said("user", "make polling faster"))
    first = make(reader="helper", budget=1_500)
    second = make("why does the cart forget things?", reader="helper")

    assert "def polling_3" in shown(first)
    assert "def cart_3" not in shown(first)
    assert "def cart_3" in shown(second)
    assert "def polling_3" not in shown(second)


@pytest.mark.weekly
def test_the_sessions_own_window_and_the_branch_stay(session: Session, make: Make) -> None:
    session.add(said("user", "make polling faster"))
    make()
    session.undo()
    session.redo()
    session.add(said("user", "then halve it"))
    made = make()
    make(reader="helper")

    assert make().messages == made.messages
    assert session.count() == 2


def test_a_name_that_is_none_is_refused(session: Session, make: Make) -> None:
    session.add(said("user", "make polling faster"))
    with pytest.raises(UsageError, match="can't name a reader"):
        make(reader=" helper")
    with pytest.raises(UsageError, match="choose one"):
        make(reader="helper", subagent=True)
