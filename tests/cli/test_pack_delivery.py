"""Where a pack goes: into a file, onto the clipboard, with its task on top."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import toktok

from .conftest import Satchel

TASK = "fix the login"


def test_a_pack_goes_into_a_file_whole(
    satchel: Satchel, shop: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    printed = satchel("pack", TASK, cwd=shop)
    target = tmp_path_factory.mktemp("packs") / "context.md"
    target.write_text("an older pack")

    written = satchel("pack", TASK, "-o", str(target), cwd=shop)

    assert written.returncode == 0
    assert written.stdout == b""
    assert target.read_bytes() == printed.stdout
    assert [path.name for path in target.parent.iterdir()] == ["context.md"]


@pytest.mark.parametrize(("name", "reason"), [("", "is a folder"), ("none/context.md", "there is no folder")])
def test_a_file_that_cannot_be_is_named(
    satchel: Satchel, shop: Path, tmp_path: Path, name: str, reason: str
) -> None:
    done = satchel("pack", TASK, "-o", str(tmp_path / name), "--pin", "none.py", cwd=shop)

    assert done.returncode == 2
    assert reason in done.stderr.decode()  # and not the pin, which is found wrong later
    assert done.stderr.count(b"\n") == 1
    assert done.stdout == b""


def test_the_task_stands_on_top(satchel: Satchel, shop: Path) -> None:
    done = satchel("pack", TASK, "--with-task", cwd=shop)

    assert done.stdout.decode().startswith(f"# Task\n\n{TASK}\n\n# Context\n\nContext for the task.")


@pytest.mark.parametrize("form", ["markdown", "xml"])
def test_the_task_is_counted(satchel: Satchel, shop: Path, form: str) -> None:
    task = "fix the login " + "of every shop that was opened before the new one " * 4

    done = satchel("pack", task, "--with-task", "--budget", "200", "--format", form, cwd=shop)

    shown = done.stdout.decode()
    assert "every shop that was opened" in shown
    assert toktok.batch_count([shown], "o200k_base")[0] <= 200


def test_the_order_can_be_that_of_paths(satchel: Satchel, shop: Path) -> None:
    best = satchel("pack", TASK, "--budget", "4000", cwd=shop).stdout.decode()
    by_path = satchel("pack", TASK, "--budget", "4000", "--order", "path", cwd=shop).stdout.decode()

    assert "Where to start, best first" in best
    assert "Where to start" not in by_path
    assert by_path.index("src/app.py") < by_path.index("src/mail.py")


def test_a_program_puts_it_on_the_clipboard(satchel_process: Satchel, shop: Path, tmp_path: Path) -> None:
    board = tmp_path / "board"
    program = tmp_path / "bin" / "pbcopy"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat > {board}\n")
    program.chmod(0o755)

    done = satchel_process("pack", TASK, "--copy", cwd=shop, env={"PATH": f"{program.parent}:/usr/bin:/bin"})

    assert done.returncode == 0
    assert board.read_text().startswith("Context for the task.")


def test_json_can_be_written_too(satchel: Satchel, shop: Path, tmp_path: Path) -> None:
    satchel("pack", TASK, "--format", "json", "--output", str(tmp_path / "pack.json"), cwd=shop)

    assert json.loads((tmp_path / "pack.json").read_text())["task"] == TASK
