"""The status of a working tree: git is asked again in each pack."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.repositories import git, make_repository

from satchel import Workspace, WorkspaceError

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
