"""Tests of where a repository may keep its data."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.core.workspace.conftest import Repository

from satchel.workspace.git.running import borrows, refusal

Make = Callable[[str], Repository]


def test_a_repository_in_its_place_is_asked(repository: Repository) -> None:
    repository.commit(a="1\n")

    assert not borrows(repository.root)


def test_a_linked_worktree_belongs_to_its_folder(repository: Repository, tmp_path: Path) -> None:
    repository.commit(a="1\n")
    repository.git("worktree", "add", "-q", str(tmp_path / "side"))

    assert refusal(tmp_path / "side") == ""


def test_a_repository_that_names_this_tree_as_its_own_is_asked(
    repository: Repository, tmp_path: Path
) -> None:
    shutil.move(repository.root / ".git", tmp_path / "data")
    repository.git("init", "-q", "--separate-git-dir", str(tmp_path / "data"))
    assert "set core.worktree" in refusal(repository.root)

    repository.git("config", "core.worktree", str(repository.root))

    assert refusal(repository.root) == ""


def test_somebody_elses_repository_is_refused(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w/.git").write_text(f"gitdir: {repository.root}/.git\n")

    assert "does not name this folder" in refusal(tmp_path / "w")


def test_a_common_folder_outside_is_refused(make_repository: Make) -> None:
    mine, other = make_repository("mine"), make_repository("other")
    mine.write(".git/commondir", f"{other.root}/.git\n")

    assert refusal(mine.root) == "its commondir leads outside"


def test_objects_outside_are_seen_however_many_steps_away(make_repository: Make) -> None:
    mine, other = make_repository("mine"), make_repository("other")
    mine.write("store/info/alternates", f"{other.root}/.git/objects\n")
    mine.write(".git/objects/info/alternates", "../../store\n")

    assert borrows(mine.root)
    assert refusal(mine.root) == ""


def test_objects_within_the_tree_may_be_shared(repository: Repository) -> None:
    repository.write("store/pack/x")
    repository.write(".git/objects/info/alternates", "# shared\n../../store\n../../store\n")

    assert refusal(repository.root) == ""


def test_a_link_that_leads_outside_is_refused(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "refs").mkdir()
    (repository.root / ".git/refs/remotes").symlink_to(tmp_path / "refs")

    assert refusal(repository.root) == "refs/remotes leads outside through a link"


def test_what_would_block_is_refused_and_hooks_do_not_matter(repository: Repository) -> None:
    os.mkfifo(repository.root / ".git/hooks")
    assert refusal(repository.root) == ""

    os.mkfifo(repository.root / ".git/shallow")

    assert refusal(repository.root) == "shallow is not a regular file"


def test_what_names_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("nothing of git's\n")

    assert "neither a folder nor the address" in refusal(tmp_path)
