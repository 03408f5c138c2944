"""Words of what past commits changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from satchel.plugin_api import Git
from satchel.redaction import NO_SCANNERS
from satchel.workspace import IndexStore, open_git
from satchel.workspace.git.similar_commits import count_changed_words

Repository = Any  # conftest.Repository, which --import-mode=importlib gives no name to import by

OLD = "kept = 1\nremovedName = 2\n"
NEW = "kept = 1\nadded_name = 3\n"
TOKEN = "ghp_" + "Zq7RtB2mKx9LwVn4Yc6HsDf1Jg8PaTu3Ee5o"


def opened(repository: Repository) -> Git:
    git, problems = open_git(repository.root)
    assert git is not None, problems
    return git


def words(
    repository: Repository, store: IndexStore, paths: tuple[str, ...] = ("a",)
) -> Mapping[str, Mapping[str, int]]:
    git = opened(repository)
    newest = git.log()[0]._replace(paths=paths)
    return count_changed_words(git, store, [newest], NO_SCANNERS)


def test_words_added_and_taken_away_are_counted_and_those_around_are_not(repository: Repository) -> None:
    repository.commit(a=OLD)
    sha = repository.commit(a=NEW, b="other\n")

    assert words(repository, IndexStore.open(None)) == {
        sha: {"": 6, "name": 2, "added": 1, "added_name": 1, "removed": 1, "removedname": 1}
    }


def test_only_the_paths_that_are_given_count(repository: Repository) -> None:
    sha = repository.commit(a=OLD, b="other\n")

    assert words(repository, IndexStore.open(None), ("b",)) == {sha: {"": 1, "other": 1}}
    assert words(repository, IndexStore.open(None), ()) == {}


def test_a_commit_is_asked_for_once(repository: Repository) -> None:
    repository.commit(a=OLD)
    store = IndexStore.open(None)
    git = opened(repository)
    commits = git.log()

    first = count_changed_words(git, store, commits, NO_SCANNERS)
    git.program.path = "/nowhere/git"

    assert count_changed_words(git, store, commits, NO_SCANNERS) == first


def test_no_secret_is_among_the_words(repository: Repository) -> None:
    sha = repository.commit(a=f"token = '{TOKEN}'\n")

    found = words(repository, IndexStore.open(None))[sha]
    assert "token" in found
    assert TOKEN.lower() not in found
    assert "ghp" not in found


def test_the_commonest_words_are_kept_and_all_are_counted(repository: Repository) -> None:
    names = [f"w{chr(97 + at // 26)}{chr(97 + at % 26)}q" for at in range(120)]
    sha = repository.commit(a="\n".join(" ".join(names[at:]) for at in range(120)))

    found = words(repository, IndexStore.open(None))[sha]

    assert found[""] == 120 * 121 // 2
    assert found[names[-1]] == 120
