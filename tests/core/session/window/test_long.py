"""Long sessions: a window reads what it needs and no more."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from satchel import Host, Session, WindowOptions
from satchel.session import MOST_READ, place_of, source_of
from satchel.session.window.memory import WindowMemory, recall

MANY = MOST_READ + 1_500


def fill(session: Session) -> None:
    """Put many short messages into a session."""
    said = [("message", {"role": "system", "content": "You are careful."})]
    said += [
        ("message", {"role": ("user", "assistant")[number % 2], "content": f"message {number}"})
        for number in range(MANY)
    ]
    session.record_many(said)


def spoil(file: Path, position: int) -> None:
    """Damage the body of a node."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        where = "(SELECT body FROM nodes WHERE position = ?)"
        connection.execute(f"UPDATE bodies SET content = x'7b7d' WHERE id = {where}", (position,))
        connection.commit()


def test_of_a_long_session_the_beginning_and_the_end_are_read(session: Session) -> None:
    fill(session)

    source = source_of(session, WindowMemory(), budget=1_000, whole=False)

    said = [one["content"] for one in source.messages]
    assert said[:2] == ["You are careful.", "message 0"]
    assert said[-1] == f"message {MANY - 1}"
    assert said[2].startswith("[satchel: ")
    assert len(said) < 1_500


@pytest.mark.weekly
def test_later_windows_read_only_what_came_since(session: Session, tmp_path: Path, host: Host) -> None:
    fill(session)
    options = WindowOptions(root=tmp_path, store=tmp_path)
    first = session.window("x", budget=1_000, options=options, host=host)
    session.add({"role": "user", "content": "and now"})

    memory, problems = recall(session)
    source = source_of(session, memory, budget=1_000, whole=False)

    assert first.compacted
    assert problems == []
    assert source.fresh == 1
    assert len(source.messages) < 400
    assert session.window("x", budget=1_000, options=options, host=host).document[-1]["content"] == "and now"


def test_a_damaged_window_is_told_and_the_one_before_is_used(
    session: Session, store: Path, tmp_path: Path, host: Host
) -> None:
    options = WindowOptions(root=tmp_path, store=tmp_path)
    session.add({"role": "user", "content": "one"})
    session.window("x", budget=1_000, options=options, host=host)
    session.add({"role": "user", "content": "two"})
    session.window("x", budget=1_000, options=options, host=host)
    node = session.latest("window")
    assert node is not None
    spoil(store / "sessions.sqlite", place_of(node.id).position)

    made = session.window("x", budget=1_000, options=options, host=host)

    assert [problem.plugin for problem in made.problems] == ["session"]
    assert "the one before it is used" in made.problems[0].error
