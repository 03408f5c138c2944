"""Lines of past commits that still stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from satchel import WorkspaceError
from satchel.plugin_api import Git
from satchel.workspace import IndexStore, open_git
from satchel.workspace.git.history import find_standing_lines

Repository = Any  # conftest.Repository, which --import-mode=importlib gives no name to import by

OLD = "first line here\n\tsecond line here\nx\n"
NEW = OLD + "third line, added\n}\n"


def opened(repository: Repository) -> Git:
    git, problems = open_git(repository.root)
    assert git is not None, problems
    return git


def found(
    repository: Repository, store: IndexStore, read: Callable[[str], str], content: str = "1"
) -> dict[str, tuple[int, ...]]:
    git = opened(repository)
    lines = find_standing_lines(git, store, git.log(), {"a": content}, read)
    return {sha[:6] + path: numbers for (sha, path), numbers in lines.items()}


def test_each_commit_has_the_lines_that_it_added(repository: Repository) -> None:
    old, new = repository.commit(a=OLD), repository.commit(a=NEW, b="other file\n")

    assert found(repository, IndexStore.open(None), lambda _: NEW) == {
        f"{old[:6]}a": (1, 2),
        f"{new[:6]}a": (4,),
    }


def test_while_the_content_stays_nothing_is_read_again(repository: Repository) -> None:
    repository.commit(a=OLD)
    store, read = IndexStore.open(None), list[str]()

    def text(path: str) -> str:
        read.append(path)
        return OLD

    first, again, other = (found(repository, store, text, content) for content in ("1", "1", "2"))

    assert first == again == other
    assert read == ["a", "a"]


def test_a_file_that_is_gone_holds_no_lines(repository: Repository) -> None:
    old = repository.commit(a=OLD)

    def gone(path: str) -> str:
        raise WorkspaceError(path, "gone")

    assert found(repository, IndexStore.open(None), gone) == {f"{old[:6]}a": ()}


def test_added_lines_are_told_by_commit_and_path(repository: Repository) -> None:
    repository.commit(a=OLD)
    new = repository.commit(a=NEW, b="other file\n")

    assert opened(repository).added([new]) == {
        new: {"a": frozenset({"third line, added", "}"}), "b": frozenset({"other file"})}
    }


@pytest.mark.parametrize("shas", [[], ["HEAD"], ["--output=x"], ["a" * 39]])
def test_what_is_no_full_id_is_not_asked_for(repository: Repository, shas: list[str]) -> None:
    repository.commit(a=OLD)

    assert opened(repository).added(shas) == {}
