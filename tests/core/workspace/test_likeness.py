"""Past commits whose messages resemble a task."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from satchel.plugin_api import Commit
from satchel.workspace import IndexStore, query_terms, similar_commits
from satchel.workspace.git.log import SIMILAR, Messages

HEAD = "0" * 40


def made(*subjects: str, paths: Sequence[str] = ("a.py",)) -> tuple[Commit, ...]:
    return tuple(Commit(f"{at:040}", at, one, "", tuple(paths)) for at, one in enumerate(subjects))


def stored(commits: Sequence[Commit], store: IndexStore | None = None) -> Messages:
    return Messages.write(store or IndexStore.open(None), HEAD, commits)


def subjects(messages: Messages, task: str) -> list[str]:
    return [commit.subject for _, commit in similar_commits(messages, query_terms(task), lambda _: {})]


COMMITS = made("fix the login of guests", "draw maps", "first")


def test_the_commit_whose_message_fits_best_comes_first() -> None:
    similar = similar_commits(stored(COMMITS), query_terms("guests can't use the login"), lambda _: {})

    assert [(round(likeness, 2), commit.subject) for likeness, commit in similar] == [
        (1.0, "fix the login of guests")
    ]


def test_a_message_that_shares_no_word_says_nothing() -> None:
    assert subjects(stored(COMMITS), "weather") == []


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    commits = made("login page", "login form", "voucher page", "login page", "login form")

    assert subjects(stored(commits), "voucher login")[0] == "voucher page"


def test_of_equal_messages_the_newest_comes_first() -> None:
    similar = similar_commits(stored(made("till", "till", "door")), {"till": 1.0}, lambda _: {})

    assert [commit.time for _, commit in similar] == [0, 1]


def test_a_commit_without_paths_is_passed_over() -> None:
    commits = (*made("merge the till", paths=()), *made("open the till"))

    assert subjects(stored(commits), "till") == ["open the till"]


def test_paths_that_were_not_read_are_asked_for_in_few_questions() -> None:
    asked: list[int] = []
    commits = made(*["till"] * 50, paths=())

    def paths_of(shas: Sequence[str]) -> dict[str, Sequence[str]]:
        asked.append(len(shas))
        return {sha: [f"{sha[-1]}.py"] for sha in shas if int(sha) > 2}

    similar = similar_commits(stored(commits), {"till": 1.0}, paths_of)

    assert [commit.paths for _, commit in similar] == [(f"{at % 10}.py",) for at in range(3, 3 + SIMILAR)]
    assert asked == [32]


def test_no_more_than_the_nearest_are_told_of() -> None:
    assert len(subjects(stored(made(*["till"] * (SIMILAR + 5))), "till")) == SIMILAR


def test_new_messages_take_the_place_of_the_old() -> None:
    store = IndexStore.open(None)
    stored(made("open the till", "close the door"), store)

    assert subjects(stored(made("paint the wall"), store), "till door wall") == ["paint the wall"]


@pytest.mark.parametrize("name", ["messages", "past 0"])
def test_a_row_that_is_gone_is_no_error(name: str) -> None:
    store = IndexStore.open(None)
    messages = stored(COMMITS, store)
    store.remember(lambda connection: connection.execute("DELETE FROM facts WHERE name = ?", (name,)))

    assert subjects(messages, "guests login") == []


def test_a_query_of_many_terms_is_looked_up_whole() -> None:
    words = " ".join(f"word{chr(97 + at // 26)}{chr(97 + at % 26)}q" for at in range(450))

    assert len(stored(made(words)).holding(words.split())) == 450
