"""The status of a working tree: git is asked again in each pack."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.core.repositories import git, make_repository

from satchel import Workspace, WorkspaceError
from satchel.plugin_api import Git

FILES = {f"{folder}/{name}.py": f"{name} = 1\n" for folder in ("a", "b é", "b") for name in ("x", "y", "z")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", FILES)


def test_a_workspace_looks_again_at_what_a_refresh_names(root: Path) -> None:
    workspace = Workspace.open(root)
    workspace.history.status()
    assert workspace.history.diff() == ()
    (root / "a/x.py").write_text("changed\n")

    workspace.refresh(touched=["a/x.py"])

    assert workspace.history.status().unstaged == (("changed", "a/x.py"),)
    assert [one.path for one in workspace.history.diff()] == ["a/x.py"]
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


def test_a_listing_leaves_to_git_only_what_may_have_changed(root: Path) -> None:
    workspace = Workspace.open(root)
    assert workspace.git is not None
    assert workspace.git.touched == []
    assert workspace.history.status().branch == "main"
    workspace.close()


@pytest.mark.parametrize("below", ["", "b é"])
def test_the_status_after_a_listing_is_that_of_all_files(root: Path, below: str) -> None:
    (root / "vendor/lib").mkdir(parents=True)
    (root / "vendor/lib/v.py").write_text("v = 1\n")
    git(root, "add", "-f", ".")
    git(root, "commit", "-qm", "vendor")
    (root / "vendor/lib/v.py").write_text("v = 2\n")
    (root / "a/x.py").write_text("changed\n")
    (root / "a/y.py").write_text("staged\n")
    (root / "b é/new [1].py").write_text("new = 1\n")
    git(root, "add", "a/y.py", "b é/new [1].py")
    git(root, "rm", "-q", "b/x.py")
    git(root, "rm", "-q", "--cached", "b é/z.py")
    (root / "b é/y.py").unlink()
    (root / "b é/x.py").write_text("moved = 1\n")
    os.utime(root / "b/z.py", (1, 1))

    workspace = Workspace.open(root / below)
    plain = Git.open(root / below)

    assert plain is not None
    assert workspace.history.status() == plain.status()
    workspace.close()
