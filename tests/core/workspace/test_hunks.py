"""Lines of past commits that still stand."""

from __future__ import annotations

from typing import Any

import pytest

from satchel import Workspace
from satchel.plugin_api import Git
from satchel.workspace import open_git

Repository = Any  # conftest.Repository, which --import-mode=importlib gives no name to import by

OLD = "first line here\n\tsecond line here\nx\n"
NEW = OLD + "third line, added\n}\n"


def opened(repository: Repository) -> Git:
    git, problems = open_git(repository.root)
    assert git is not None, problems
    return git


def found(workspace: Workspace, *paths: str) -> dict[str, tuple[int, ...]]:
    lines = workspace.history.brought_lines(workspace.history.commits(), paths)
    return {sha[:6] + path: tuple(numbers) for (sha, path), numbers in lines.items()}


def test_each_commit_has_the_lines_that_it_added(repository: Repository) -> None:
    old, new = repository.commit(a=OLD), repository.commit(a=NEW, b="other file\n")

    workspace = Workspace.open(repository.root)

    assert found(workspace, "a") == {f"{old[:6]}a": (1, 2), f"{new[:6]}a": (4,)}
    assert found(workspace) == {}
    workspace.close()


def test_a_file_that_was_edited_since_has_the_lines_that_are_left(repository: Repository) -> None:
    old = repository.commit(a=OLD)
    workspace = Workspace.open(repository.root)
    assert found(workspace, "a") == {f"{old[:6]}a": (1, 2)}

    (repository.root / "a").write_text("new\n" + OLD.splitlines()[0] + "\n")
    workspace.refresh()

    assert found(workspace, "a") == {f"{old[:6]}a": (2,)}
    workspace.close()


def test_a_file_that_is_gone_holds_no_lines(repository: Repository) -> None:
    old = repository.commit(a=OLD)
    workspace = Workspace.open(repository.root)

    (repository.root / "a").unlink()

    assert found(workspace, "a") == {f"{old[:6]}a": ()}
    workspace.close()


@pytest.mark.parametrize("shas", [[], ["HEAD"], ["--output=x"], ["a" * 39]])
def test_what_is_no_full_id_is_not_asked_for(repository: Repository, shas: list[str]) -> None:
    repository.commit(a=OLD)

    assert opened(repository).changes_of(shas) == {}
