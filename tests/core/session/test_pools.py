"""Pools: what one agent adds, others see."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from satchel import UsageError
from satchel.session import SessionError, add_note, notes_of


def test_notes_of_several_writers_are_all_there(tmp_path: Path) -> None:
    def write(author: str) -> None:
        for number in range(5):
            add_note("team", f"note {number}", store=tmp_path, root=tmp_path, author=author)

    add_note("team", "first", store=tmp_path, root=tmp_path)
    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    notes = notes_of("team", store=tmp_path, root=tmp_path)

    assert len(notes) == 16
    assert [one.text for one in notes if one.author == "b"] == [f"note {number}" for number in range(5)]


def test_a_note_may_be_shown_by_its_first_line(tmp_path: Path) -> None:
    note = add_note(
        "p", "do not touch\nit is old", store=tmp_path, root=tmp_path, author="ann", path="oom.py"
    )

    assert note.texts == ("ann: do not touch\nit is old [oom.py]\n", "ann: do not touch [oom.py]\n")


def test_a_pool_that_does_not_exist_and_an_empty_note_are_errors(tmp_path: Path) -> None:
    add_note("p", "one", store=tmp_path, root=tmp_path)

    with pytest.raises(SessionError):
        notes_of("q", store=tmp_path, root=tmp_path)
    with pytest.raises(UsageError):
        add_note("p", " \n", store=tmp_path, root=tmp_path)
