"""Git's index as it is read here, beside what git itself says of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.core.workspace.conftest import Repository

from satchel.workspace.git.repository import Git, open_git, read_head, read_index


def opened(root: Path) -> Git:
    git, _ = open_git(root)
    assert git is not None
    return git


def test_the_index_is_read_as_git_tells_it(repository: Repository) -> None:
    repository.write("a/" + "deep/" * 30 + "file.py")
    repository.write("b.sh").chmod(0o755)
    os.symlink("b.sh", repository.root / "link")
    repository.write("naïve \n name")
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "x")
    git = opened(repository.root)

    files = read_index(git.git_dir, git.prefix)

    assert files is not None
    assert len(files) == 4
    assert files == git._list_index()


def test_a_workspace_below_the_top_has_its_own_files_alone(repository: Repository) -> None:
    for path in ("a.py", "in/b.py", "in/c/d.py", "inner.py"):
        repository.write(path)
    repository.git("add", "-A")
    git = opened(repository.root / "in")

    assert [file.path for file in read_index(git.git_dir, git.prefix) or ()] == ["b.py", "c/d.py"]


def test_files_of_flags_are_read_too(repository: Repository) -> None:
    for name in ("a", "b", "c"):
        repository.write(name)
    repository.git("add", "a", "b")
    repository.git("add", "--intent-to-add", "c")
    repository.git("update-index", "--skip-worktree", "a")
    repository.git("update-index", "--assume-unchanged", "b")
    git = opened(repository.root)

    assert read_index(git.git_dir, "") == git._list_index()


def test_each_stage_of_a_conflict_is_read(repository: Repository) -> None:
    blob = repository.git("hash-object", "-w", "--stdin")
    lines = "".join(f"100644 {blob} {stage}\tb\n" for stage in (1, 2, 3))
    (repository.root / "lines").write_text(lines)
    repository.git("-c", "alias.x=!git update-index --index-info < lines", "x")
    git = opened(repository.root)

    assert [(file.path, file.stage) for file in read_index(git.git_dir, "") or ()] == [
        ("b", "1"), ("b", "2"), ("b", "3"),
    ]  # fmt: skip
    assert [(file.path, file.blob) for file in git.tracked()] == [("b", "")]


@pytest.mark.parametrize(
    "command", [("--index-version", "4"), ("--split-index",), ("--index-version", "4", "--split-index")]
)
def test_strange_forms_are_left_to_git(repository: Repository, command: tuple[str, ...]) -> None:
    repository.write("a")
    repository.git("add", "-A")
    repository.git("update-index", *command)
    git = opened(repository.root)

    assert read_index(git.git_dir, "") is None
    assert [file.path for file in git.tracked()] == ["a"]


@pytest.mark.parametrize("at", [0, 5, 40, -3])
def test_a_damaged_index_is_left_to_git(repository: Repository, at: int) -> None:
    repository.write("a")
    repository.git("add", "-A")
    file = repository.root / ".git/index"
    data = bytearray(file.read_bytes())
    data[at] ^= 0xFF
    file.write_bytes(data)

    assert read_index(repository.root / ".git", "") is None


def test_no_index_is_left_to_git(tmp_path: Path) -> None:
    assert read_index(tmp_path, "") is None


def test_the_head_is_told_where_it_is_plain_to_see(repository: Repository) -> None:
    git_dir = repository.root / ".git"
    assert read_head(git_dir, git_dir) == ""
    sha = repository.commit(a="1")
    assert read_head(git_dir, git_dir) == sha

    repository.git("checkout", "-q", "--detach")
    assert read_head(git_dir, git_dir) == sha

    repository.git("checkout", "-q", "-")
    repository.git("pack-refs", "--all")
    assert read_head(git_dir, git_dir) == ""


@pytest.mark.parametrize("head", ["ref: refs/heads/../../../secret", "ref: /etc/passwd", "x" * 5_000, "\0"])
def test_a_strange_head_names_nothing(tmp_path: Path, head: str) -> None:
    (tmp_path / "HEAD").write_text(head)
    (tmp_path.parent / "secret").write_text("a" * 40)

    assert read_head(tmp_path, tmp_path) == ""
