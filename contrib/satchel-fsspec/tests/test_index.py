"""Clones that index at once share what they have read, through a folder as through any file system."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def git(folder: Path, *words: str) -> None:
    person = ("-c", "user.name=A", "-c", "user.email=a@example.invalid")
    subprocess.run(["git", *person, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def clones(tmp_path: Path) -> list[Path]:
    first = tmp_path / "first"
    first.mkdir()
    for number in range(60):
        (first / f"m{number}.py").write_text(f"def login_{number}(name):\n    return check(name, {number})\n")
    git(first, "init", "-q")
    git(first, "add", "-A")
    git(first, "commit", "-qm", "begin")
    folders = [tmp_path / name for name in ("one", "two", "three")]
    for folder in folders:
        git(tmp_path, "clone", "-q", str(first), str(folder))
        for file in folder.glob("*.py"):  # as if cloned a while ago
            os.utime(file, (file.stat().st_mtime - 100,) * 2)
        git(folder, "update-index", "-q", "--refresh")
    return folders


def start(clone: Path, store: Path) -> subprocess.Popen[str]:
    own = clone.with_name(f"{clone.name}-own")
    env = {**os.environ, "SATCHEL_CACHE_DIR": f"{own}/cache", "SATCHEL_STATE_DIR": f"{own}/state"}
    words = ["index", "--root", str(clone), "--store", f"file://{store}", "--format", "json"]
    return subprocess.Popen(
        [sys.executable, "-m", "satchel", *words], env=env, stdout=subprocess.PIPE, text=True
    )


def end(process: subprocess.Popen[str]) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(process.communicate(timeout=120)[0])
    assert process.returncode == 0
    return answer


def test_two_that_index_at_once_leave_what_a_third_takes(clones: list[Path], tmp_path: Path) -> None:
    store = tmp_path / "store"
    together = [start(clone, store) for clone in clones[:2]]
    for process in together:
        end(process)

    third = end(start(clones[2], store))

    assert (third["taken"], third["split"], third["given"]) == (60, 0, 0)
    segments = [path for path in store.rglob("*") if path.is_file()]
    assert len(segments) == 1
    segments[0].write_bytes(segments[0].read_bytes()[:-1])
    fresh = clones[2].rename(tmp_path / "fourth")
    git(fresh, "update-index", "-q", "--refresh")
    fourth = end(start(fresh, store))
    assert (fourth["taken"], fourth["given"]) == (0, 60)
