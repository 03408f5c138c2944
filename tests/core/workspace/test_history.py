"""What past commits say about files, counted from the newest commit."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from satchel.plugin_api import Commit
from satchel.redaction import NO_SCANNERS
from satchel.workspace import IndexStore, open_git, similar_commits
from satchel.workspace.git.log import COMMITS as KNOWN
from satchel.workspace.git.log import NO_PAST, read_history, recency, votes

Repository = Any  # conftest.Repository, which --import-mode=importlib gives no name to import by

DAY = 86_400
TOKEN = "ghp_" + "Zq7RtB2mKx9LwVn4Yc6HsDf1Jg8PaTu3Ee5o"


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
    assert votes([]) == {}


def test_a_commit_that_touched_many_files_says_less_about_each() -> None:
    many = made(1, "login everywhere", *[f"f{number}.py" for number in range(50)])

    scores = votes([(1.0, made(2, "login", "one.py")), (1.0, many)])

    assert scores["one.py"] == 1.0
    assert scores["f1.py"] < 0.2


def test_without_a_repository_there_is_no_history() -> None:
    assert read_history(None, IndexStore.open(None), NO_SCANNERS) == NO_PAST


def test_what_is_remembered_is_what_was_read(repository: Repository) -> None:
    for subject in ("open the till", "paint the door", "close the till"):
        repository.commit(subject, a=f"{subject}\n")
    git, _ = open_git(repository.root)
    assert git is not None
    store = IndexStore.open(None)

    read, stored = (read_history(git, store, NO_SCANNERS) for _ in range(2))

    assert read.commits == stored.commits
    both = [similar_commits(one.messages, {"till": 1.0}, lambda _: {}) for one in (read, stored)]
    assert both[0] == both[1]


@pytest.mark.weekly
def test_a_commit_of_long_ago_is_still_similar(repository: Repository) -> None:
    repository.commit("mend the quokka", a="quokka\n")
    parent = repository.git("rev-parse", "HEAD")
    stream = "".join(
        f"commit refs/heads/main\ncommitter A <a@example.org> {DAY * 40_000 + at} +0000\ndata 1\nx\n"
        + (f"from {parent}\n" if at == 0 else "")
        for at in range(KNOWN + 5)
    )
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repository.root, input=stream.encode(), check=True)
    git, _ = open_git(repository.root)
    assert git is not None

    past = read_history(git, IndexStore.open(None), NO_SCANNERS)
    similar = similar_commits(past.messages, {"quokka": 1.0}, git.paths_of)

    assert len(past.commits) == KNOWN
    assert [(one.subject, one.paths) for _, one in similar] == [("mend the quokka", ("a",))]


def test_no_secret_of_a_message_reaches_the_index(repository: Repository) -> None:
    repository.commit(f"first\n\nthe token was {TOKEN}", a="1\n")
    store = IndexStore.open(None)

    read_history(open_git(repository.root)[0], store, NO_SCANNERS)

    kept = str(store.rows("SELECT name, value FROM facts")).lower()
    assert TOKEN.lower() not in kept
    assert "first" in kept


def test_what_looks_like_a_key_over_two_messages_takes_neither(repository: Repository) -> None:
    key = "MIIEpAIBAAKCAQEAtHm3Zq7RtB2mKx9LwVn4Yc6HsDf1Jg8PaTu3Ee5o"
    repository.commit(f"{key}\n-----END RSA PRIVATE KEY-----", a="1\n")
    repository.commit("open the till", a="2\n")
    repository.commit(f"last\n\n-----BEGIN RSA PRIVATE KEY-----\n{key}", a="3\n")

    past = read_history(open_git(repository.root)[0], IndexStore.open(None), NO_SCANNERS)

    assert [commit.subject for commit in past.commits][:2] == ["last", "open the till"]
    assert len(past.messages.lengths()) == 3


def test_messages_with_a_line_of_a_form_feed_stay_apart_and_hold_no_secret(repository: Repository) -> None:
    repository.commit(f"first\n\none\n\f\ntwo, the token was {TOKEN}", a="1\n")
    repository.commit("second\n\nthree", a="2\n")

    past = read_history(open_git(repository.root)[0], IndexStore.open(None), NO_SCANNERS)

    assert [commit.subject for commit in past.commits][:2] == ["second", "first"]
    assert past.commits[0].body.strip() == "three"
    assert "one\n\f\ntwo" in past.commits[1].body
    assert TOKEN not in past.commits[1].body


def test_a_key_that_ends_in_another_message_leaves_what_stands_between(repository: Repository) -> None:
    body = "\n".join(["MIIEpAIBAAKCAQEAtHm3Zq7RtB2mKx9LwVn4Yc6HsDf1Jg8PaTu3Ee5o"] * 3)
    repository.commit(f"{body}\n-----END RSA PRIVATE KEY-----", a="1\n")
    repository.commit("open the till", a="2\n")
    repository.commit(f"last\n\n-----BEGIN RSA PRIVATE KEY-----\n{body}", a="3\n")

    past = read_history(open_git(repository.root)[0], IndexStore.open(None), NO_SCANNERS)

    assert past.commits[1].subject == "open the till"
