"""What scorers may ask of the terms of parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.core.repositories import write_files

from satchel import Part, Task, Workspace
from satchel.plugin_api import SplitItem

ONE, TWO = (
    Part("block", "", lines, id=f"a:{lines[0]}", item="file:a", path="a") for lines in ((1, 2), (3, 4))
)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace.open(
        write_files(tmp_path / "w", {"a": "login\nother\nother\nlogin\n"}), cache_dir=tmp_path
    )
    opened.terms.learn("file:a", SplitItem((ONE, TWO), {"login": [0, 1], "other": [0, 1, 1, 2]}, (2, 2)))
    yield opened
    opened.close()


def test_a_part_has_all_of_its_terms(workspace: Workspace) -> None:
    assert workspace.terms.vocabulary([TWO, ONE]) == [{"other": 2}, {"login": 1, "other": 1}]


def test_a_part_of_an_item_that_nobody_split_has_none(workspace: Workspace) -> None:
    assert workspace.terms.vocabulary([ONE._replace(item="file:b")]) == [{}]


def test_items_that_hold_a_term_are_counted(workspace: Workspace) -> None:
    assert workspace.terms.holders(["login", "absent"], ["file:a", "file:b"]) == {"login": 1, "absent": 0}


def test_the_passage_with_the_tasks_word_is_best_and_the_answer_stays(workspace: Workspace) -> None:
    first, again = (workspace.ranking.parts(Task("login"), [ONE, TWO]) for _ in range(2))

    assert list(first) == list(again) == [1.0, 0.0]


def test_without_a_repository_no_commit_is_similar(workspace: Workspace) -> None:
    assert list(workspace.history.similar(Task("login"))) == []
    assert workspace.history.brought_lines([], {"a"}) == {}
