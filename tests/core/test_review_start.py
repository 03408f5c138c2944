"""Tasks about a branch: which commit its changes are shown from."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tests.core.repositories import commit, git, write_files

import satchel
from satchel import Workspace, WorkspaceError
from satchel.packing.resolving import find_review_start

ABOUT_BRANCH = (
    "review this branch",
    "write the pull request description for this branch",
    "what could break if I merge this branch",
    "review my PR",
    "summarize the current branch",
)
ABOUT_CHANGES = ("review my changes", "what changed?", "review this")
OTHERS = (
    "write a commit message",
    "review the uncommitted changes",
    "review the staged files",
    "fix the branch predictor",
    "why does this branch of the parser never run",
    "explain commit 4a3eb31f in this branch",
    "how are pull requests labelled",
    "where is the cart priced?",
)


@pytest.fixture
def branched(tmp_path: Path) -> Path:
    """Return a repository on a branch with one commit of its own, main one commit further."""
    root = write_files(tmp_path / "w", {"shop.py": "def pay(basket):\n    return 1\n", "b.py": "x = 1\n"})
    git(root, "init", "-q", "-b", "main")
    commit(root, "Pay", day=1)
    git(root, "checkout", "-q", "-b", "feat")
    write_files(root, {"shop.py": "def pay(basket):\n    return 22\n"})
    commit(root, "Pay twice", day=2)
    git(root, "checkout", "-q", "main")
    write_files(root, {"b.py": "x = 20\n"})
    commit(root, "Count", day=3)
    git(root, "checkout", "-q", "feat")
    return root


def found(root: Path, task: str) -> str:
    with closing(Workspace.open(root)) as workspace:
        return find_review_start(workspace, task)


def test_a_clean_branch_is_compared_with_where_it_began(branched: Path) -> None:
    assert {task: found(branched, task) for task in (*ABOUT_BRANCH, *ABOUT_CHANGES)} == dict.fromkeys(
        (*ABOUT_BRANCH, *ABOUT_CHANGES), "main..."
    )
    assert {task: found(branched, task) for task in OTHERS} == dict.fromkeys(OTHERS, "")


@pytest.mark.weekly
def test_with_uncommitted_work_only_tasks_about_the_branch_are(branched: Path) -> None:
    write_files(branched, {"b.py": "x = 300\n"})

    assert [found(branched, task) for task in ABOUT_CHANGES] == [""] * len(ABOUT_CHANGES)
    assert [found(branched, task) for task in ABOUT_BRANCH] == ["main..."] * len(ABOUT_BRANCH)
    shown = satchel.pack("review this branch", branched, budget=2_000).text
    assert "+    return 22\n" in shown
    assert "+x = 300\n" in shown


@pytest.mark.weekly
def test_the_default_branch_and_one_without_commits_have_none_of_their_own(branched: Path) -> None:
    git(branched, "checkout", "-q", "main")
    assert found(branched, "review this branch") == ""

    git(branched, "checkout", "-q", "-b", "new")
    assert found(branched, "review this branch") == ""


@pytest.mark.weekly
def test_the_default_branch_of_origin_counts_before_usual_names(branched: Path) -> None:
    git(branched, "branch", "next", "main")
    git(branched, "update-ref", "refs/remotes/origin/next", "main")
    git(branched, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/next")

    assert found(branched, "review this branch") == "next..."

    git(branched, "branch", "-D", "-q", "next")
    assert found(branched, "review this branch") == "origin/next..."
    git(branched, "checkout", "-q", "-b", "next")
    assert found(branched, "review this branch") == ""


@pytest.mark.costly
@pytest.mark.parametrize("task", ["review this branch", "review my changes"])
def test_a_pack_says_what_it_compares_with(branched: Path, task: str) -> None:
    bundle = satchel.pack(task, branched, budget=2_000)

    assert (
        "1 changed file since the merge base with main on branch feat: 1 line added, 1 removed" in bundle.text
    )
    assert "Pay twice" in bundle.text
    assert "+    return 22\n" in bundle.text
    assert "x = 20" not in bundle.text
    assert bundle.tokens <= 2_000


@pytest.mark.weekly
def test_the_message_of_a_pull_request_is_written_from_the_diff(branched: Path) -> None:
    text = satchel.pack(ABOUT_BRANCH[1], branched, budget=2_000).text

    assert "+    return 22\n" in text


@pytest.mark.weekly
def test_three_dots_name_the_merge_base(branched: Path) -> None:
    text = satchel.pack("x", branched, budget=2_000, options=satchel.PackOptions(since="main...")).text

    assert "+    return 22\n" in text
    assert "-x = 20" not in text
    with pytest.raises(WorkspaceError, match="names no commit"):
        satchel.pack("x", branched, budget=2_000, options=satchel.PackOptions(since="nothing..."))


def test_without_a_common_commit_there_is_no_merge_base(branched: Path) -> None:
    git(branched, "checkout", "-q", "--orphan", "other")
    commit(branched, "Begin anew", day=4)

    assert found(branched, "review this branch") == ""
    with pytest.raises(WorkspaceError, match="no commit in common"):
        satchel.pack("x", branched, budget=2_000, options=satchel.PackOptions(since="main..."))


def test_what_changed_since_the_last_release_is_compared_with_its_tag(branched: Path) -> None:
    assert found(branched, "what changed since the last release?") == ""

    git(branched, "tag", "v1.0", "HEAD^")
    git(branched, "tag", "v1.1")

    assert found(branched, "what changed since the last release?") == "v1.0"
    assert found(branched, "review everything since our latest tag") == "v1.0"
