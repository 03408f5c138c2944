"""Answers that are told again: as long as nothing has changed that they depend on, and no longer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.core.repositories import git, make_repository

from satchel import Workspace
from satchel.config import Config
from satchel.packing.answer_cache import MOST, CachedAnswer, PackQuestion, ask
from satchel.plugin_api import cache_folder
from satchel.workspace.files.listing import Listing, Look
from satchel.workspace.index.store import index_file

FILES = {"src/app.py": "def login(): ...\n", "src/mail.py": "def send(): ...\n", ".gitignore": "*.log\n"}
ANSWER = CachedAnswer("the document\n", ("3 files",))
Change = Callable[[Path], object]


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.packing.answer_cache._SETTLE_NS", 0)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", FILES)


def question(root: Path, name: str = "answer 1") -> PackQuestion:
    return PackQuestion(root.resolve(), name, index_file(cache_folder(), root.resolve()))


def keep(root: Path, name: str = "answer 1", *, passing: bool = False) -> PackQuestion:
    workspace = Workspace.open(root)
    workspace.is_passing = passing
    question(root, name).keep(workspace, [], ANSWER, begun=time.time_ns())
    workspace.close()
    return question(root, name)


def _same_size_and_time(root: Path) -> None:
    file = root / "src/app.py"
    facts = file.stat()
    file.write_text("def logout():...\n")
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def _new_folder(root: Path) -> None:
    (root / "deep").mkdir()
    (root / "deep/new.py").write_text("x = 1\n")


CHANGES: dict[str, Change] = {
    "edited": lambda root: (root / "src/app.py").write_text("def login(name): ...\n"),
    "same size and time": _same_size_and_time,
    "new": lambda root: (root / "src/new.py").write_text("x = 1\n"),
    "new folder": _new_folder,
    "deleted": lambda root: (root / "src/mail.py").unlink(),
    "renamed": lambda root: (root / "src/mail.py").rename(root / "src/post.py"),
    "staged": lambda root: git(root, "rm", "-q", "--cached", "src/mail.py"),
    "branch": lambda root: git(root, "checkout", "-q", "-b", "other"),
    "commit": lambda root: git(root, "commit", "-q", "--allow-empty", "-m", "again"),
    "amended": lambda root: git(root, "commit", "-q", "--amend", "--allow-empty", "-m", "other"),
    "merge": lambda root: (root / ".git/MERGE_HEAD").write_text("0" * 40),
    "setting": lambda root: git(root, "config", "core.autocrlf", "true"),
    "ignored": lambda root: (root / ".gitignore").write_text("*.py\n"),
    "own rules": lambda root: (root / ".satchelignore").write_text("mail.py\n"),
    "excluded": lambda root: (root / ".git/info/exclude").write_text("src/\n"),
}


@pytest.mark.parametrize("name", ["edited", "new", "deleted", "staged", "ignored"])
def test_a_look_at_all_files_that_found_a_change_is_handed_on(shop: Path, name: str) -> None:
    looks: list[Look] = []
    kept = keep(shop)
    CHANGES[name](shop)

    assert kept.recall(looks.append) is None

    (look,) = looks
    handed, fresh = Workspace.open(shop, look=look), Workspace.open(shop)
    assert handed.files.entries() == fresh.files.entries() == look.listing.entries
    assert handed.index.documents.keys() == fresh.index.documents.keys()
    handed.close()
    fresh.close()


def test_nothing_is_handed_on_with_an_answer(shop: Path) -> None:
    looks: list[Look] = []

    assert keep(shop).recall(looks.append) == ANSWER
    assert looks == []


def test_a_look_at_other_paths_is_not_taken(shop: Path) -> None:
    stale = Look(shop.resolve(), ("vendor/a.py",), None, Listing(()))

    workspace = Workspace.open(shop, look=stale)

    assert workspace.files.document("src/app.py") is not None
    workspace.close()


def test_an_answer_is_told_again_while_nothing_has_changed(shop: Path) -> None:
    kept = keep(shop)

    assert kept.recall() == kept.recall() == ANSWER


@pytest.mark.parametrize("name", CHANGES)
def test_no_answer_is_told_after_a_change(shop: Path, name: str) -> None:
    kept = keep(shop)

    CHANGES[name](shop)

    assert kept.recall() is None


def test_a_change_of_what_was_read_is_seen_before_the_files_are_listed(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace.open(shop)
    workspace.texts.read("src/app.py")
    question(shop).keep(workspace, [], ANSWER, begun=time.time_ns())
    workspace.close()
    assert question(shop).recall() == ANSWER

    (shop / "src/app.py").write_text("def login(name): ...\n")
    monkeypatch.setattr("satchel.packing.answer_cache.list_files", pytest.fail)

    assert question(shop).recall() is None


@pytest.mark.parametrize("name", ["edited", "same size and time", "new", "deleted", "own rules"])
def test_no_answer_is_told_after_a_change_without_git(tmp_path: Path, name: str) -> None:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    kept = keep(tmp_path)
    assert kept.recall() == ANSWER

    CHANGES[name](tmp_path)

    assert kept.recall() is None


def test_a_file_that_was_touched_a_moment_ago_keeps_an_answer_from_being_kept(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("satchel.packing.answer_cache._SETTLE_NS", 3_600 * 10**9)

    assert keep(shop).recall() is None


def test_an_answer_that_may_be_otherwise_next_time_is_not_kept(shop: Path) -> None:
    assert keep(shop, passing=True).recall() is None


def test_another_question_has_no_answer(shop: Path) -> None:
    keep(shop, "answer 1")

    assert question(shop, "answer 2").recall() is None


def test_the_newest_answers_are_kept(shop: Path) -> None:
    names = [f"answer {number}" for number in range(MOST + 2)]
    for name in names:
        keep(shop, name)

    assert [name for name in names if question(shop, name).recall()] == names[2:]


def test_a_damaged_index_answers_nothing(shop: Path) -> None:
    kept = keep(shop)
    kept.store.write_bytes(b"junk" * 4_000)

    assert kept.recall() is None


def test_settings_that_lead_to_further_files_keep_answers_from_being_told(shop: Path) -> None:
    git(shop, "config", "include.path", "/nowhere/else")

    assert keep(shop).recall() is None


@pytest.mark.parametrize(
    "config", [Config(model="gpt-5"), Config(plugins={"provider": {"notes": {"path": "x"}}})]
)
def test_what_reads_more_than_the_workspace_is_not_recalled(shop: Path, config: Config) -> None:
    assert ask(shop, {"task": "x"}, config) is None
