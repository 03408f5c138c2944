"""Colours go to a terminal and nowhere else, whatever stderr is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.processes import run_satchel

pty = pytest.importorskip("pty", reason="terminals that programs make are POSIX")
CHAT = json.dumps([{"role": "user", "content": "fix the login"}])


def run(words: list[str], tmp_path: Path, *, seen: bool) -> bytes:
    """Return what a command prints: to a terminal, or beside one on which only stderr is."""
    leader, follower = pty.openpty()
    out = tmp_path / "out"
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM", "COLUMNS")}
    env |= {"TERM": "xterm", "SATCHEL_STATE_DIR": f"{tmp_path}/state"}
    out.touch()
    terminal = os.ttyname(follower)
    streams = {"out": terminal, "err": str(out)} if seen else {"out": str(out), "err": terminal}
    run_satchel(words, cwd=tmp_path, env=env, check=True, **streams)
    os.close(follower)
    shown = os.read(leader, 65_536) if seen else out.read_bytes()
    os.close(leader)
    return bytes(shown)


@pytest.mark.costly
@pytest.mark.parametrize(
    "words",
    [["show", "chat.json"], ["why", "a.py", "fix the login"]],
    ids=lambda words: words[0],
)
def test_a_pipe_has_no_colors_though_stderr_is_a_terminal(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "chat.json").write_text(CHAT)
    (tmp_path / "a.py").write_text("def login():\n    return 1\n")

    piped = run(words, tmp_path, seen=False)

    assert b"\x1b" not in piped
    assert piped
    assert b"\x1b[" in run(words, tmp_path, seen=True)
