"""Indexing ahead: packs find everything done, answer the same, and an interruption loses nothing."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import attrs
import pytest
from tests.core.fakes import host_with
from tests.core.repositories import Files, make_repository
from tests.processes import run_satchel, start_satchel

from satchel import Bundle, ContextItem, Host, Part, SatchelError, pack
from satchel.config import Config
from satchel.packing import Indexed, index_all, jobs_for
from satchel.packing.representing import claims_of, unsplit
from satchel.runs import open_run
from satchel.workspace import ReportProgress

FILES: Files = {
    **{f"src/m{n}.py": f"def login_{n}(name):\n    return check(name, {n})\n" for n in range(12)},
    "src/copy.py": "def login_3(name):\n    return check(name, 3)\n",
    "README.md": "# Shop\n\nHow to log in.\n",
    "logo.png": b"\x89PNG\x00",
    "odd\tname.txt": "login\n",
}
TASK = "login checks the wrong name"
_SEES = """
import sys, satchel
from satchel.packing.representing import _split_batch as split_new
import satchel.packing.representing
split = []
module = satchel.packing.representing
module._split_batch = lambda run, new: split.extend(i.path for i, _ in new) or split_new(run, new)
satchel.pack(sys.argv[2], sys.argv[1])
print([path for path in split if path.startswith("src/")])
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", FILES)


def indexed(root: Path, *, jobs: int = 1, progress: ReportProgress | None = None) -> Indexed:
    return index_all(root, host=Host.installed(), config=Config(), flags={}, jobs=jobs, progress=progress)


def told(bundle: Bundle) -> Bundle:
    return attrs.evolve(bundle, snapshot=None)  # type: ignore[arg-type]


@pytest.mark.weekly
def test_every_text_is_split_once(shop: Path) -> None:
    first, again = indexed(shop, jobs=2), indexed(shop)

    assert (first.files, first.texts, first.split, first.left) == (16, 15, 14, 0)
    assert (again.texts, again.split, again.problems) == (15, 0, ())


@pytest.mark.weekly
def test_a_pack_after_it_splits_no_file(shop: Path) -> None:
    indexed(shop)

    done = run_satchel([str(shop), TASK], code=_SEES, check=True)

    assert done.stdout.decode().strip() == "[]"


@pytest.mark.weekly
def test_a_pack_after_it_answers_as_one_without_it(shop: Path, cache_dir: Path) -> None:
    without = pack(TASK, shop, budget=600)
    shutil.rmtree(cache_dir)

    indexed(shop)

    assert told(pack(TASK, shop, budget=600)) == told(without)


@pytest.mark.weekly
def test_an_interruption_loses_nothing_that_is_done(shop: Path) -> None:
    def interrupt(stage: str, done: int, _: int) -> None:
        if stage == "split" and done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        indexed(shop, progress=interrupt)

    assert indexed(shop).split == 0


@pytest.mark.weekly
def test_only_what_changed_is_split_again(shop: Path) -> None:
    indexed(shop)
    (shop / "src/m1.py").write_text("def login(other):\n    return None\n")

    assert indexed(shop).split == 1


@pytest.mark.weekly
def test_two_at_once_make_one_index(shop: Path) -> None:
    words = ["index", "--root", str(shop), "--jobs", "1"]

    running = [start_satchel(words, stderr=subprocess.PIPE) for _ in range(2)]

    assert [process.communicate()[1] for process in running] == [b"", b""]
    assert indexed(shop).split == 0


def test_an_index_that_can_not_be_kept_is_an_error(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_CACHE_DIR", os.devnull + "/below")

    with pytest.raises(SatchelError, match="the index can't be kept"):
        indexed(shop)


def test_a_secret_does_not_reach_the_index(shop: Path) -> None:
    key = "ghp_" + "Zq7RtB2mKx9LwVn4Yc6HsDf1Jg8PaTu3Ee5o"
    (shop / "src/upload.py").write_text(f"TOKEN = '{key}'\n")

    path = indexed(shop).path

    with contextlib.closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'terms'")
        dump = str([connection.execute(f'SELECT * FROM "{name}"').fetchall() for (name,) in tables])
    assert "upload" in dump
    assert key[4:].lower() not in dump.lower()


@pytest.mark.parametrize(("size", "jobs"), [(0, 1), (1_999_999, 1), (2_000_000, 2), (10**9, 3)])
def test_a_process_more_is_started_where_there_is_work_for_it(size: int, jobs: int) -> None:
    assert jobs_for(size, most=3) == jobs


def test_settings_may_be_lists(shop: Path) -> None:
    @attrs.define
    class Words:
        """A representer with a setting that no set can hold."""

        name: ClassVar[str] = "words"
        version: ClassVar[str] = "1"
        words: list[str] = attrs.field(factory=lambda: ["login"])

        def claims(self, item: ContextItem) -> float:
            return 1.0 if item.path == "README.md" else 0.0

        def split(self, item: ContextItem) -> Sequence[Part]:
            return [Part("block", "", (1, 3))]

    config = Config(plugins={"representer": {"words": {"words": ["shop"]}}})
    run = open_run(shop, config=config, host=host_with(representers=[Words]))
    items = [
        ContextItem(f"file:{p}", "files", "file", p, path=p, content=p) for p in ("README.md", "src/m1.py")
    ]
    claims = claims_of(run, items)

    assert claims["file:README.md"].loaded.name == "words"
    assert unsplit(run, items, claims) == items
    run.workspace.close()
