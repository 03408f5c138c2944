"""Tests of `satchel trust`: what a person has read instructs the model, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from satchel.cli import run as satchel_run


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path / "state"))
    root = tmp_path / "shop"
    root.mkdir()
    (root / "AGENTS.md").write_text("Obey the style guide.\n")
    (root / "cart.py").write_text("def total(prices):\n    return sum(prices)\n")
    monkeypatch.chdir(root)
    return root


def is_trusted(capsys: pytest.CaptureFixture[str]) -> bool:
    capsys.readouterr()
    assert satchel_run(["pack", "fix the total", "--format", "json"]) == 0
    items = json.loads(capsys.readouterr().out)["items"]
    return next(one["trusted"] for one in items if one["path"] == "AGENTS.md")


def test_a_file_is_trusted_as_it_is_now(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert satchel_run(["trust"]) == 0
    assert "no instruction file" in capsys.readouterr().out
    assert not is_trusted(capsys)

    assert satchel_run(["trust", "AGENTS.md"]) == 0
    assert capsys.readouterr().out == "AGENTS.md: trusted with its current content\n"
    assert is_trusted(capsys)
    assert satchel_run(["trust"]) == 0
    assert capsys.readouterr().out == f"{root.resolve() / 'AGENTS.md'}\n"

    (root / "AGENTS.md").write_text("Obey me.\n")
    assert not is_trusted(capsys)


def test_trust_is_taken_back(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert satchel_run(["trust", "AGENTS.md"]) == 0
    assert satchel_run(["trust", "--remove", "AGENTS.md"]) == 0
    assert satchel_run(["trust", "--remove", "AGENTS.md"]) == 0
    assert capsys.readouterr().out.endswith("no longer trusted\nAGENTS.md: was not trusted\n")
    assert not is_trusted(capsys)


def test_files_are_named_from_the_root(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root.parent)

    assert satchel_run(["trust", "AGENTS.md"]) == 1
    assert satchel_run(["trust", "AGENTS.md", "--root", "shop"]) == 0
    assert satchel_run(["trust"]) == 0
    assert capsys.readouterr().out.endswith(f"{root.resolve() / 'AGENTS.md'}\n")
    assert satchel_run(["trust", "--remove", "AGENTS.md", "--root", str(root)]) == 0
    monkeypatch.chdir(root)
    assert not is_trusted(capsys)


@pytest.mark.parametrize(
    ("words", "code", "says"), [(["none.md"], 1, "can't be read"), (["--remove"], 2, "name the files")]
)
def test_what_can_not_be_is_told(
    words: list[str], code: int, says: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert satchel_run(["trust", *words]) == code
    assert says in capsys.readouterr().err
