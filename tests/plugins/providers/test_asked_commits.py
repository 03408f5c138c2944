"""Questions about commits: their messages and diffs come first."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.repositories import commit, git, write_files

from satchel import pack
from satchel.packing.weighing.reviewing import read_diffs, relocate_hunks
from satchel.questions import asks_why_lines, find_named_commits, find_since

from .shop import make_shop

SHA = "4a3eb31f"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a repository with seven commits."""
    return make_shop(tmp_path / "shop")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f"explain commit {SHA}", (SHA,)),
        (f"what did {SHA} change?", (SHA,)),
        ("what did commit abcdefab do", ("abcdefab",)),
        (f"erkläre {SHA}", (SHA,)),
        (SHA, (SHA,)),
        ("what did HEAD~2 do? I mean commit HEAD~2", ("HEAD~2",)),
        ("explain pull request 41", ("#41",)),
        ("review PR #41", ("#41",)),
        ("what does #41 change", ("#41",)),
        ("fix #41", ()),
        (f"revert {SHA}", ()),
        ("explain the abcdefab", ()),
        ("explain 1234567", ()),
        (f"explain {SHA}" + " and more" * 50, ()),
    ],
)
def test_commits_are_named_by_id_by_place_and_by_pull_request(text: str, names: tuple[str, ...]) -> None:
    assert find_named_commits(text) == names


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("why was shop/cart.py:3 changed", True),
        ("who wrote this line", True),
        ("which commit added this?", True),
        ("why does the total fail", False),
        ("rename total to sum", False),
    ],
)
def test_who_asks_why_lines_are_there_is_understood(text: str, asks: bool) -> None:
    assert asks_why_lines(text) is asks


@pytest.mark.costly
@pytest.mark.parametrize(
    "task", ["explain commit {sha}", "what did commit {sha} change", "what did #42 change"]
)
def test_a_commit_is_explained_by_its_message_and_its_diff(shop: Path, task: str) -> None:
    sha = git(shop, "log", "-1", "--format=%h", "--abbrev=10", "--grep=second price").strip()

    bundle = pack(task.format(sha=sha), root=shop, budget=1_000)

    assert [item.title for item in bundle.items][:2] == [
        f"commit {sha}",
        f"diff of shop/cart.py in commit {sha}",
    ]
    assert "give the second price of the cart with a discount (#42)\nshop/cart.py +3 -0\n" in bundle.text
    assert "+    def second_price(self):\n" in bundle.text
    assert "+    def third_price" not in bundle.text
    assert "stamp" not in bundle.text


@pytest.mark.weekly
def test_a_line_is_explained_by_the_commit_that_last_changed_it(shop: Path) -> None:
    text = (shop / "shop/cart.py").read_text().splitlines()
    number = text.index("    def first_price(self):") + 1
    for task in (f"why was shop/cart.py:{number} changed?", f"who wrote line {number} of shop/cart.py"):
        bundle = pack(task, root=shop, budget=1_000)

        assert "give the first price of the cart" in bundle.items[0].text
        assert "+    def first_price(self):\n" in bundle.text
        assert "second" not in bundle.text.partition("```python")[0]


@pytest.mark.weekly
def test_of_a_commit_that_changed_a_line_the_other_diffs_are_named(shop: Path) -> None:
    write_files(shop, {"shop/a.py": "a = 1\n", "shop/b.py": "b = 1\n"})
    commit(shop, "two files", day=40)
    sha = git(shop, "rev-parse", "HEAD")[:10]

    text = pack("why was shop/a.py:1 added", root=shop, budget=1_000).text

    assert "+a = 1\n" in text
    assert "+b = 1\n" not in text
    assert "shop/b.py +1 -0, new\n" in text
    assert f"[other diffs left out: 1; satchel expand commit:{sha} --level diff]\n" in text


def test_a_word_that_looks_like_an_id_is_none(shop: Path) -> None:
    bundle = pack("explain commit 0123456789", root=shop, budget=1_000)

    assert not [item for item in bundle.items if item.kind == "diff"]


def test_what_a_commit_changed_is_found_where_it_stands_now() -> None:
    diff = "--- a/f.py\n+++ b/f.py\n@@ -1,2 +1,3 @@ def f\n a\n+b\n c\n@@ -9 +10 @@\n-x\n+gone\n"

    moved = relocate_hunks(diff, ["new", "new", "a", "b", "c", "x"])

    assert read_diffs(moved)["f.py"].touched == {4}


@pytest.mark.parametrize(
    ("text", "rev"),
    [
        ("review the changes since main", "main"),
        (f"review the changes since commit {SHA}", SHA),
        ("what changed since origin/main?", "origin/main"),
        ("what changed since 8.2", ""),
        ("the cart fails since main was changed", ""),
        ("review my changes", ""),
    ],
)
def test_the_name_after_since_is_found(text: str, rev: str) -> None:
    assert find_since(text) == rev


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("task", ["review the changes since {base}", "review my work since start"])
def test_a_review_since_a_commit_shows_all_that_changed_from_there(shop: Path, task: str) -> None:
    base = git(shop, "rev-parse", "--short=10", "HEAD~2").strip()
    git(shop, "branch", "start", "HEAD~2")

    text = pack(task.format(base=base), root=shop, budget=2_000).text

    assert "2 changed files since" in text
    assert "+    def third_price(self):\n" in text
    assert "+def third_stamp(letter):\n" in text


def test_since_what_is_no_commit_is_a_word_like_others(shop: Path) -> None:
    assert "since yesterday" not in pack("what changed since yesterday", root=shop, budget=1_000).text
