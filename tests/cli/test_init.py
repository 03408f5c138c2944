"""Tests of `satchel init`: a commented file that satchel reads, asked for or given."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from satchel.cli import run as satchel_run
from satchel.config import SETTINGS, load

pty = pytest.importorskip("pty")


def test_options_answer_the_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--model", "claude-sonnet-4.5", "--budget", "24k", "--agent", "vscode", "--root", str(tmp_path)]
    assert satchel_run(["init", *words]) == 0

    config = load(tmp_path, env={})
    assert (config.model, config.budget) == ("claude-sonnet-4.5", 24_000)
    assert "satchel" in json.loads((tmp_path / ".vscode/mcp.json").read_text())["servers"]
    assert "wrote" in capsys.readouterr().out


def test_every_setting_stands_there_with_its_meaning_and_can_be_uncommented(tmp_path: Path) -> None:
    assert satchel_run(["init", "--root", str(tmp_path)]) == 0

    text = (tmp_path / "satchel.toml").read_text("utf-8")
    assert set(tomllib.loads(text)) == {"budget"}
    settings = text.split("# [scorer")[0]
    whole = "".join(
        f"{line.removeprefix('# ')}\n" if " = " in line and "`" not in line else f"{line}\n"
        for line in settings.splitlines()
    )
    (tmp_path / "satchel.toml").write_text(whole, "utf-8")
    config = load(tmp_path, env={})
    assert {setting.name for setting in SETTINGS} == set(tomllib.loads(whole))
    assert config.budget == 16_000


def test_a_file_that_is_there_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "satchel.toml").write_text("budget = 7\n")

    assert satchel_run(["init", "--root", str(tmp_path)]) == 1
    assert (tmp_path / "satchel.toml").read_text() == "budget = 7\n"
    assert "already exists" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--model", "no-such-model"], ["--budget", "many"], ["--budget", "auto"], ["--agent", "emacs"]]
)
def test_a_wrong_answer_is_an_error_and_writes_nothing(words: list[str], tmp_path: Path) -> None:
    assert satchel_run(["init", *words, "--root", str(tmp_path)]) == 2
    assert list(tmp_path.iterdir()) == []


def test_printing_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        satchel_run(["init", "--print", "--budget", "auto", "--model", "gpt-5", "--root", str(tmp_path)]) == 0
    )
    assert tomllib.loads(capsys.readouterr().out) == {"budget": "auto", "model": "gpt-5"}
    assert list(tmp_path.iterdir()) == []


def test_three_questions_on_a_terminal(tmp_path: Path) -> None:
    """A wrong answer is asked for again."""
    ours, theirs = pty.openpty()
    asked = subprocess.Popen(
        [sys.executable, "-m", "satchel", "init", "--root", str(tmp_path)],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(theirs)
    os.write(ours, b"gtp-5\ngpt-5\nmuch\n24k\ncursor\n")
    out, questions = asked.communicate(timeout=60)
    os.close(ours)

    assert asked.returncode == 0, questions
    assert questions.count("? (Enter") == 5
    assert tomllib.loads((tmp_path / "satchel.toml").read_text()) == {"budget": "24k", "model": "gpt-5"}
    assert (tmp_path / ".cursor/mcp.json").exists()
    assert "wrote" in out


def test_a_model_that_is_not_known_is_told_with_the_nearest_few(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert satchel_run(["init", "--print", "--model", "gpt-99", "--root", str(tmp_path)]) == 2

    told = capsys.readouterr().err
    assert told.startswith("satchel: no model is called 'gpt-99'; similar: gpt-")
    assert "satchel completion bash" in told
    assert len(told) < 200
