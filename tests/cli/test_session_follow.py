"""`satchel session show --follow`: what others add is printed within a second, once."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from satchel import Session
from satchel.cli import run


def test_what_others_add_is_printed_within_a_second(tmp_path: Path) -> None:
    with Session.open("s", store=tmp_path, create=True) as session:
        session.add({"role": "user", "content": "before"})
        words = ["session", "show", "--store", str(tmp_path), "--session", "s", "--follow", "60"]
        follower = subprocess.Popen(
            [sys.executable, "-m", "satchel", *words], stdout=subprocess.PIPE, text=True
        )
        assert follower.stdout is not None
        assert follower.stdout.readline() == "user: before\n"

        began = time.monotonic()
        session.add({"role": "assistant", "content": "new"})
        assert follower.stdout.readline() == "assistant: new\n"
        assert time.monotonic() - began < 5  # a second, and what a busy machine adds
        session.undo()
        session.add({"role": "user", "content": "another way"})
        assert follower.stdout.readline() == "user: another way\n"
        follower.kill()
        follower.wait()
        follower.stdout.close()


def test_following_ends_when_its_time_is_over(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with Session.open("s", store=tmp_path, create=True) as session:
        for at in range(3):
            session.add({"role": "user", "content": f"m{at}"})

    place = ["--store", str(tmp_path), "--session", "s"]
    assert run(["session", "show", *place, "--follow", "0.1", "--last", "2"]) == 0
    assert capfd.readouterr().out == "user: m1\nuser: m2\n"
    assert run(["session", "show", *place, "--follow", "1", "--format", "json"]) == 2
