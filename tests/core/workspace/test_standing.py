"""The status of a working tree: what git tells of touched files alone is what it tells of all."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.core.repositories import git, make_repository

from satchel import Workspace, WorkspaceError
from satchel.plugin_api import Git
from satchel.workspace.git.repository import StatusCache

FILES = {f"{folder}/{name}.py": f"{name} = 1\n" for folder in ("a", "b é", "b") for name in ("x", "y", "z")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", FILES)


def git_of(root: Path) -> Git:
    found = Git.open(root)
    assert found is not None
    return found


def edit(root: Path, path: str, rng: random.Random) -> None:
    how = rng.randrange(4)
    if how == 0:
        (root / path).unlink(missing_ok=True)
    else:
        (root / path).write_text(FILES[path] if how == 1 else f"x = {rng.randrange(9)}\n")


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_same_as_a_fresh_status_after_any_edits(root: Path, seed: int) -> None:
    rng = random.Random(seed)
    edit(root, "a/x.py", rng)
    git(root, "rm", "-q", "--cached", "b/z.py")
    standing = StatusCache(git_of(root))
    assert standing.status() == git_of(root).status()

    for _ in range(4):
        touched = rng.sample(sorted(FILES), rng.randint(0, 3))
        for path in touched:
            edit(root, path, rng)
        standing.touch(touched)

        assert standing.status() == git_of(root).status()


def test_what_nobody_touched_is_not_looked_at_again(root: Path) -> None:
    standing = StatusCache(git_of(root))
    standing.status()
    (root / "a/x.py").write_text("changed\n")
    (root / "b/y.py").write_text("changed\n")

    standing.touch(["b/y.py"])

    assert standing.status().unstaged == (("changed", "b/y.py"),)


def test_a_workspace_looks_again_at_what_a_refresh_names(root: Path) -> None:
    workspace = Workspace.open(root)
    workspace.history.status()
    (root / "a/x.py").write_text("changed\n")

    workspace.refresh(touched=["a/x.py"])

    assert workspace.history.status().unstaged == (("changed", "a/x.py"),)
    workspace.close()


def test_a_whole_refresh_asks_git_anew(root: Path) -> None:
    workspace = Workspace.open(root)
    workspace.history.status()
    (root / "a/x.py").write_text("changed\n")
    git(root, "add", "a/x.py")

    workspace.refresh()

    assert workspace.history.status().staged == (("changed", "a/x.py"),)
    workspace.close()


def test_a_folder_without_a_repository_has_none(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)

    with pytest.raises(WorkspaceError, match="not a git repository"):
        workspace.history.status()
    workspace.close()
