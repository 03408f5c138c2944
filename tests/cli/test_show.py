"""`satchel show` on a terminal: what it shows where nothing is named."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.processes import start_satchel

pty = pytest.importorskip("pty")


def run_typed(*words: str, typed: bytes = b"") -> subprocess.CompletedProcess[str]:
    """Run a command with a terminal for stdin."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, typed)
        with start_satchel(words, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            out, err = process.communicate(timeout=60)
            assert out is not None
            assert err is not None
            return subprocess.CompletedProcess(words, process.wait(), out.decode(), err.decode())
    finally:
        os.close(theirs)
        os.close(ours)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_newest_session_is_shown_where_nothing_is_named(home: Path) -> None:
    folder = home / "claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(home))
    folder.mkdir(parents=True)
    record = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "Fix the login"}}
    (folder / "s.jsonl").write_text(json.dumps(record))

    shown, line = run_typed("show"), run_typed("show", "--line")

    assert shown.stdout.startswith("claude-code: ")
    assert "user: Fix the login" in shown.stdout
    assert " | dialog " in line.stdout


def test_where_there_is_no_session_nobody_waits_for_one() -> None:
    ran = run_typed("show")

    assert ran.returncode == 1
    assert ran.stderr.startswith("satchel: no agent has a session for ")


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(
    ("document", "what"),
    [
        ({"text": "a", "tokens": 1, "lines": 1, "gaps": []}, "an output that satchel squeeze shortened"),
        ({"window": 9, "parts": {}, "messages": {}, "cut": []}, "a session's window"),
    ],
)
def test_what_another_command_shows_is_told(home: Path, document: dict[str, object], what: str) -> None:
    (home / "x.json").write_text(json.dumps(document))

    ran = run_typed("show", "x.json")

    assert ran.returncode != 0
    assert f"x.json: {what}; satchel report shows it" in ran.stderr


def test_who_reads_from_a_terminal_says_so() -> None:
    ran = run_typed("count", "-", typed=b"two words\n\x04")

    assert ran.stderr == "satchel: reading the input from the terminal; Ctrl-D ends it\n"
    assert ran.stdout.startswith("3 tokens")
