"""A few rounds of what docs/benchmarks/killing.py does for hours."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import killing
import pytest

from satchel import Session


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(("trial", "rounds"), [("kill", 4), ("races", 1), ("damage", 6)])
def test_a_session_survives(trial: str, rounds: int) -> None:
    found = list(killing.TRIALS[trial](rounds, random.Random(5)))

    assert len(found) >= 2
    assert [wrong for one in found for wrong in one] == []


@pytest.mark.costly
@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
@pytest.mark.parametrize("call", ["pwrite64", "fdatasync"])
def test_a_call_that_fails_loses_nothing(call: str) -> None:
    happened, wrong = killing._fault(call, 2, "EIO", fresh=False)

    assert (happened, wrong) == (True, [])


def test_what_is_lost_doubled_or_moved_is_seen(tmp_path: Path) -> None:
    with Session.open("s", store=tmp_path, create=True) as session:
        said = [(session.add({"role": "user", "content": text}).id, text) for text in "aabc"]

    assert killing.complaints(tmp_path, said[1:]) == ["doubled ['a']"]
    assert killing.complaints(tmp_path, [*said[2:], ("9.9.x", "d")])[0] == "lost ['d']"
    assert "the order changed" in killing.complaints(tmp_path, [said[3], said[2]])


@pytest.mark.weekly
def test_a_damaged_answer_is_seen(tmp_path: Path) -> None:
    with Session.open("s", store=tmp_path, create=True) as session:
        said = [(session.add({"role": "user", "content": text}).id, text) for text in "ab"]
    assert killing._served(tmp_path, said) == []
    assert killing._served(tmp_path, said[:1]) == []
    assert killing._served(tmp_path, said[::-1]) != []

    with closing(sqlite3.connect(tmp_path / "sessions.sqlite")) as connection:
        connection.execute("DELETE FROM nodes")
        connection.commit()
    assert killing._served(tmp_path, said) == []
