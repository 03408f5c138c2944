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


def test_what_a_commit_changed_is_asked_for_once(repository: Repository) -> None:
    old, new = repository.commit(a=OLD), repository.commit(a=NEW)
    workspace = Workspace.open(repository.root)
    first, words = found(workspace, "a"), workspace.history.changed_words(workspace.history.commits())
    workspace.close()

    blob = repository.git("rev-parse", f"{old}:a").strip()
    (repository.root / ".git/objects" / blob[:2] / blob[2:]).unlink()

    later = Workspace.open(repository.root)
    assert found(later, "a") == first == {f"{old[:6]}a": (1, 2), f"{new[:6]}a": (4,)}
    assert later.history.changed_words(later.history.commits()) == words
    assert not later.problems
    (repository.root / "a").write_text("now git has to be asked\n")
    later.refresh()
    assert found(later, "a") == {f"{old[:6]}a": (), f"{new[:6]}a": ()}
    assert later.problems
    later.close()


@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes"])
def test_what_git_holds_for_text_decides_which_lines_stand(repository: Repository, place: str) -> None:
    old = repository.commit(a=OLD)
    workspace = Workspace.open(repository.root)
    assert found(workspace, "a") == {f"{old[:6]}a": (1, 2)}
    assert workspace.history.changed_words(workspace.history.commits())[old]["line"] == 2

    (repository.root / place).parent.mkdir(exist_ok=True)
    (repository.root / place).write_text("a -diff\n")
    workspace.refresh()

    assert found(workspace, "a") == {f"{old[:6]}a": ()}
    assert workspace.history.changed_words(workspace.history.commits()) == {old: {"": 0}}
    workspace.close()


def test_of_a_path_that_is_ignored_later_no_word_is_told(repository: Repository) -> None:
    old = repository.commit(a=OLD, b="other file\n")
    workspace = Workspace.open(repository.root)
    assert workspace.history.changed_words(workspace.history.commits())[old]["other"] == 1

    (repository.root / ".satchelignore").write_text("b\n")
    workspace.refresh()

    assert "other" not in workspace.history.changed_words(workspace.history.commits())[old]
    workspace.close()


@pytest.mark.weekly
def test_a_large_commit_takes_no_room_from_others(repository: Repository) -> None:
    large = {f"f{at}": f"{at}" * 900_000 for at in range(6)}
    shas = [repository.commit(**large), repository.commit(a=OLD)]
    git = opened(repository)

    alone = {sha: git.changes_of([sha])[sha] for sha in shas}
    assert git.changes_of(shas) == git.changes_of(shas[::-1]) == alone
    assert 0 < len(alone[shas[0]]) < len(large)
