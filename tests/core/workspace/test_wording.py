"""Words of what past commits changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from satchel import Workspace

Repository = Any  # conftest.Repository, which --import-mode=importlib gives no name to import by

OLD = "kept = 1\nremovedName = 2\n"
NEW = "kept = 1\nadded_name = 3\n"
TOKEN = "ghp_" + "Zq7RtB2mKx9LwVn4Yc6HsDf1Jg8PaTu3Ee5o"


def words(repository: Repository, paths: tuple[str, ...] = ("a",)) -> Mapping[str, Mapping[str, int]]:
    workspace = Workspace.open(repository.root)
    newest = workspace.history.commits()[0]._replace(paths=paths)
    found = workspace.history.changed_words([newest])
    workspace.close()
    return found


def test_words_added_and_taken_away_are_counted_and_those_around_are_not(repository: Repository) -> None:
    repository.commit(a=OLD)
    sha = repository.commit(a=NEW, b="other\n")

    assert words(repository) == {
        sha: {"": 6, "name": 2, "added": 1, "added_name": 1, "removed": 1, "removedname": 1}
    }


def test_only_the_paths_that_are_given_count(repository: Repository) -> None:
    sha = repository.commit(a=OLD, b="other\n")

    assert words(repository, ("b",)) == {sha: {"": 1, "other": 1}}
    assert words(repository, ()) == {}


def test_no_secret_is_among_the_words(repository: Repository) -> None:
    sha = repository.commit(a=f"token = '{TOKEN}'\n")

    found = words(repository)[sha]
    assert "token" in found
    assert TOKEN.lower() not in found
    assert "ghp" not in found


def test_the_commonest_words_are_kept_and_all_are_counted(repository: Repository) -> None:
    names = [f"w{chr(97 + at // 26)}{chr(97 + at % 26)}q" for at in range(120)]
    sha = repository.commit(a="\n".join(" ".join(names[at:]) for at in range(120)))

    found = words(repository)[sha]

    assert found[""] == 120 * 121 // 2
    assert found[names[-1]] == 120
