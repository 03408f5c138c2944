"""Untracked files from the store: always those that git would tell now."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.core.workspace.conftest import Repository

from satchel.workspace import IndexStore, list_files, open_git
from satchel.workspace.files.listing import Listing
from satchel.workspace.git.program import settings_state
from satchel.workspace.git.tracking import Untracked

NAMES = ("a.py", "b.log", "sub", "sub/c.py", "sub/d.log", "sub/deep/e.py", "build/f.py", "build/sub/g.py")


@pytest.fixture(autouse=True)
def _short_settling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.workspace.git.tracking._SETTLE_NS", 20_000_000)


@pytest.fixture
def store() -> IndexStore:
    return IndexStore.open(None)


def listed(root: Path, store: IndexStore | None = None) -> Listing:
    time.sleep(0.03)  # the clock of a file system ticks slowly
    return list_files(root, open_git(root)[0], store=store)


def _toggle(repository: Repository, rng: random.Random) -> None:
    file = repository.root / rng.choice(NAMES)
    if file.is_file():
        file.unlink()
    elif not file.exists() and not any(parent.is_file() for parent in file.parents):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x\n")


def _rule(repository: Repository, rng: random.Random) -> None:
    folder = rng.choice(["", "sub/", ".git/info/"])
    if folder != "sub/" or (repository.root / "sub").is_dir():
        name = "exclude" if "info" in folder else ".gitignore"
        repository.write(folder + name, rng.choice(["*.log\n", "build/\n", "sub\n", "!b.log\n", ""]))


def _nested(repository: Repository, rng: random.Random) -> None:
    folder = repository.root / f"own{rng.randrange(2)}"
    if folder.exists():
        (folder / ".git").rename(repository.root / f".git/old{rng.random()}")
        folder.rename(repository.root / f"plain{rng.randrange(10**6)}")
    else:
        repository.git("init", "-q", folder.name)
        (folder / "h.py").write_text("x\n")


def _add(repository: Repository, rng: random.Random) -> None:
    repository.git("add", "-A", rng.choice([".", "sub", "a.py"]), code=None)


Step = Callable[[Repository, random.Random], None]
STEPS: tuple[Step, ...] = (_toggle, _toggle, _toggle, _rule, _nested, _add)


@pytest.mark.costly
@pytest.mark.parametrize("seed", range(3))
def test_after_any_steps_the_list_is_what_a_fresh_one_is(
    repository: Repository, store: IndexStore, seed: int
) -> None:
    rng = random.Random(seed)
    for _ in range(14):
        rng.choice(STEPS)(repository, rng)
        assert listed(repository.root, store) == listed(repository.root, store) == listed(repository.root)


def test_git_is_not_asked_again_where_nothing_changed(
    repository: Repository, store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("a.py")
    first = listed(repository.root, store)
    monkeypatch.setattr("satchel.workspace.git.tracking.GitFiles.others", None)

    assert listed(repository.root, store) == first


def test_what_changed_a_moment_ago_is_asked_for_again(
    repository: Repository, store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("satchel.workspace.git.tracking._SETTLE_NS", 3_600 * 10**9)
    asked: list[int] = []
    git, _ = open_git(repository.root)
    assert git is not None
    others = git.files.others

    def counting() -> Untracked:
        asked.append(1)
        return others()

    monkeypatch.setattr(git.files, "others", counting)

    for _ in range(2):
        list_files(repository.root, git, store=store)

    assert len(asked) == 2


@pytest.mark.parametrize("setting", ["core.excludesFile", "include.path"])
def test_settings_that_lead_further_are_not_relied_on(repository: Repository, setting: str) -> None:
    git, _ = open_git(repository.root)
    assert git is not None
    before = settings_state(git.program)
    repository.git("config", setting, "/elsewhere")

    assert (bool(before), settings_state(git.program)) == (True, "")
