"""What past commits say about files, counted from the newest commit."""

from __future__ import annotations

import pytest

from satchel.scanning import NO_SCANNERS
from satchel.workspace.git import Commit
from satchel.workspace.history import read_history, recency, similar_commits, votes
from satchel.workspace.store import Store
from satchel.workspace.terms import query_terms

DAY = 86_400


def made(day: int, subject: str, *paths: str) -> Commit:
    return Commit(f"{day:040}", day * DAY, subject, "", paths)


COMMITS = (
    made(100, "fix the login of guests", "login.py", "guest.py"),
    made(40, "draw maps", "map.py"),
    made(0, "first", "login.py", "map.py", "old.py"),
)


def test_the_newest_commit_counts_one_and_sixty_days_before_half() -> None:
    scores = recency(COMMITS)

    assert scores["login.py"] == scores["guest.py"] == 1.0
    assert scores["map.py"] == pytest.approx(0.5)
    assert 0 < scores["old.py"] < 0.5


def test_recency_counts_from_the_newest_commit_and_not_from_the_clock() -> None:
    later = [Commit(one.sha, one.time + 1_000 * DAY, one.subject, one.body, one.paths) for one in COMMITS]

    assert recency(later) == recency(COMMITS)


def test_without_commits_nothing_is_recent_or_similar() -> None:
    assert recency(()) == {}
    assert similar_commits((), {"login": 1.0}) == []
    assert votes([]) == {}


def test_the_commit_whose_message_fits_best_comes_first() -> None:
    similar = similar_commits(COMMITS, query_terms("guests can't use the login"))

    assert [(round(likeness, 2), commit.subject) for likeness, commit in similar] == [
        (1.0, "fix the login of guests")
    ]


def test_a_message_that_shares_no_word_says_nothing() -> None:
    assert similar_commits(COMMITS, query_terms("weather")) == []


def test_a_commit_that_touched_many_files_says_less_about_each() -> None:
    many = made(1, "login everywhere", *[f"f{number}.py" for number in range(50)])

    scores = votes([(1.0, made(2, "login", "one.py")), (1.0, many)])

    assert scores["one.py"] == 1.0
    assert scores["f1.py"] < 0.2


def test_without_a_repository_there_is_no_history() -> None:
    assert read_history(None, Store.open(None), NO_SCANNERS) == ()
