"""An index that turns out to be damaged in the middle of a pack."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from satchel import pack
from satchel.plugin_api import cache_folder

from .repositories import write_files

TASK = "login fails with a wrong password"
FILES = {f"src/login{n}.py": f"def login{n}(password): return check{n}(password)\n" * 20 for n in range(30)}


def damage(table: str, file: Path) -> None:
    """Overwrite the first page of a table."""
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (page,) = connection.execute(query, (table,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    with file.open("r+b") as stream:
        stream.seek((page - 1) * size)
        stream.write(b"\xa5" * size)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SATCHEL_CACHE_DIR", str(tmp_path / "cache"))
    return write_files(tmp_path / "w", FILES)


@pytest.mark.costly
@pytest.mark.parametrize("table", ["documents", "terms_data", "parts"])
def test_a_pack_that_meets_damage_is_made_again_and_says_so(root: Path, table: str) -> None:
    before = pack(TASK, root, budget=1_000)
    (file,) = (cache_folder() / "index").glob("*.sqlite")
    damage(table, file)

    after = pack(TASK, root, budget=1_000)

    assert after.text == before.text
    assert [problem.error for problem in after.problems] == ["the index was damaged; it was rebuilt"]
    assert pack(TASK, root, budget=1_000).problems == ()


@pytest.mark.weekly
def test_damage_that_a_plugin_meets_leaves_no_problem_of_the_plugin(root: Path) -> None:
    pack(TASK, root, budget=1_000)
    (file,) = (cache_folder() / "index").glob("*.sqlite")
    damage("terms_data", file)

    problems = pack("where is check7 called", root, budget=1_000).problems

    assert {problem.plugin for problem in problems} == {"index"}
