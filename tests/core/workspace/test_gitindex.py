"""What git tells of its index and its HEAD."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.core.workspace.conftest import Repository

from satchel import WorkspaceError
from satchel.plugin_api import Git
from satchel.workspace import open_git


def opened(root: Path) -> Git:
    git, _ = open_git(root)
    assert git is not None
    return git


def test_each_file_has_its_mode_its_blob_and_its_state_on_the_disk(repository: Repository) -> None:
    repository.write("a/" + "deep/" * 30 + "file.py")
    repository.write("b.sh").chmod(0o755)
    os.symlink("b.sh", repository.root / "link")
    repository.write("naïve \n name")
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "x")

    files = {file.path: file for file in opened(repository.root).files.tracked()}

    assert [file.mode for file in files.values()] == ["100644", "100755", "120000", "100644"]
    assert files["b.sh"].blob == repository.git("rev-parse", "HEAD:b.sh")
    assert all(file.is_unchanged(os.lstat(repository.root / path)) for path, file in files.items())
    (repository.root / "b.sh").write_text("changed")
    assert not files["b.sh"].is_unchanged(os.lstat(repository.root / "b.sh"))


def test_a_workspace_below_the_top_has_its_own_files_alone(repository: Repository) -> None:
    for path in ("a.py", "in/b.py", "in/c/d.py", "inner.py"):
        repository.write(path)
    repository.git("add", "-A")

    assert [file.path for file in opened(repository.root / "in").files.tracked()] == ["b.py", "c/d.py"]


def test_files_of_flags_are_read_too(repository: Repository) -> None:
    for name in ("a", "b", "c"):
        repository.write(name)
    repository.git("add", "a", "b")
    repository.git("add", "--intent-to-add", "c")
    repository.git("update-index", "--skip-worktree", "a")
    repository.git("update-index", "--assume-unchanged", "b")

    assert [file.path for file in opened(repository.root).files.tracked()] == ["a", "b", "c"]


def test_a_path_in_conflict_has_no_blob(repository: Repository) -> None:
    blob = repository.git("hash-object", "-w", "--stdin")
    lines = "".join(f"100644 {blob} {stage}\tb\n" for stage in (1, 2, 3))
    (repository.root / "lines").write_text(lines)
    repository.git("-c", "alias.x=!git update-index --index-info < lines", "x")

    assert [(file.path, file.blob) for file in opened(repository.root).files.tracked()] == [("b", "")]


@pytest.mark.parametrize(
    "command", [("--index-version", "4"), ("--split-index",), ("--index-version", "4", "--split-index")]
)
def test_every_form_of_the_index_is_read(repository: Repository, command: tuple[str, ...]) -> None:
    repository.write("a")
    repository.git("add", "-A")
    repository.git("update-index", *command)

    assert [file.path for file in opened(repository.root).files.tracked()] == ["a"]


@pytest.mark.parametrize("at", [0, 5])
def test_a_damaged_index_is_an_error(repository: Repository, at: int) -> None:
    repository.write("a")
    repository.git("add", "-A")
    file = repository.root / ".git/index"
    data = bytearray(file.read_bytes())
    data[at] ^= 0xFF
    file.write_bytes(data)

    with pytest.raises(WorkspaceError):
        opened(repository.root).files.tracked()
