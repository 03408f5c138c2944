"""Conflicts of a merge: the places with both sides, and what the commits of both sides say."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.repositories import commit, git, make_repository, write_files

from satchel import pack
from satchel_plugins.providers.git.conflicts import find_conflicts

TASK = "resolve the merge conflict"
CODE = "def total(prices):\n    return sum(prices)\n\n\n" + "x = 1\n" * 30 + "def last():\n    return 1\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a repository with the branches `main` and `other`, which both changed the same lines."""
    files = {
        "cart.py": CODE,
        "notes.md": "# Notes\n",
        "gone.py": "y = 1\n",
        "use.py": "from cart import total\n",
    }
    root = make_repository(tmp_path / "shop", files)
    git(root, "checkout", "-q", "-b", "other")
    theirs = CODE.replace("sum(prices)", "max(prices)").replace("return 1", "return 'theirs'")
    write_files(root, {"cart.py": theirs, "notes.md": "# Theirs\n"})
    (root / "gone.py").unlink()
    commit(root, "take the highest price\n\nThe manager wants it.\n", day=3)
    git(root, "checkout", "-q", "main")
    ours = CODE.replace("sum(prices)", "min(prices)").replace("return 1", "return 'ours'")
    write_files(root, {"cart.py": ours, "notes.md": "# Ours too\n", "gone.py": "y = 22\n"}, age_seconds=500)
    commit(root, "take the lowest price\n\nThe customer wants it.\n", day=4)
    return root


def stop_in(root: Path, *arguments: str) -> None:
    """Run git where it stops with conflicts."""
    with pytest.raises(AssertionError):
        git(root, *arguments)


@pytest.mark.costly
@pytest.mark.parametrize("task", [TASK, "löse die Konflikte", "finish the merge", "解决冲突"])
def test_every_place_in_conflict_comes_first_with_what_both_sides_say(shop: Path, task: str) -> None:
    stop_in(shop, "merge", "other")

    bundle = pack(task, root=shop, budget=2_000)

    assert [item.title for item in bundle.items][:4] == [
        "conflicts",
        "conflict 1 of 2 in cart.py, lines 2-6, in total",
        "conflict 2 of 2 in cart.py, lines 40-44, in last",
        "conflict 1 of 1 in notes.md, lines 1-5",
    ]
    text = bundle.text
    assert "<<<<<<< HEAD\n    return min(prices)\n=======\n    return max(prices)\n>>>>>>> other\n" in text
    assert "gone.py changed on this side, deleted on the other\n" in text
    assert "take the lowest price\n  The customer wants it.\n" in text
    assert "take the highest price\n  The manager wants it.\n" in text
    assert "-y = 1\n+y = 22\n" in text
    assert "a merge of commit" in text


@pytest.mark.weekly
def test_a_place_is_named_after_what_is_changed_in_it(tmp_path: Path) -> None:
    root, first = tmp_path / "w", "def find_folder():\n    return 'here'\n\n\n"
    write_files(root, {"cache.py": f"{first}def find_file(mode):\n    return mode\n"})
    git(root, "init", "-q", "-b", "main")
    commit(root, "begin", day=1)
    git(root, "checkout", "-q", "-b", "other")
    write_files(root, {"cache.py": f"{first}def find_file(mode, size):\n    return mode\n"})
    commit(root, "add the size", day=2)
    git(root, "checkout", "-q", "main")
    write_files(root, {"cache.py": f"{first}def find_file(mode, *, day):\n    return mode\n"})
    commit(root, "add the day", day=3)
    stop_in(root, "merge", "other")

    titles = [item.title for item in pack(TASK, root=root, budget=2_000).items]

    assert titles[1] == "conflict 1 of 1 in cache.py, lines 5-9, in find_file"


@pytest.mark.weekly
def test_callers_that_break_whichever_side_is_taken_are_shown(tmp_path: Path) -> None:
    root, tax = tmp_path / "w", "def add_tax(price):\n    return price\n"
    use = "from tax import add_tax\n\nx = add_tax(3)\n"
    write_files(root, {"tax.py": tax, "use.py": use, "README.md": "Call add_tax(3).\n"})
    git(root, "init", "-q", "-b", "main")
    commit(root, "begin", day=1)
    git(root, "checkout", "-q", "-b", "other")
    (root / "tax.py").unlink()
    commit(root, "drop the tax", day=2)
    git(root, "checkout", "-q", "main")
    write_files(root, {"tax.py": tax.replace("(price)", "(price, rate)")})
    commit(root, "add the rate", day=3)
    stop_in(root, "merge", "other")

    text = pack(TASK, root=root, budget=2_000).text

    assert text.index("in conflict on branch main") < text.index("callers of add_tax")
    assert "callers of add_tax, whose parameters changed in tax.py:\nuse.py:3\n" in text
    assert "what is gone on the other side but still named" in text
    assert "tax.py is deleted, but still named:\nuse.py:1: from tax import add_tax\n" in text
    assert "add_tax of tax.py is gone, but still named:\nuse.py:3: x = add_tax(3)\n" in text


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(
    ("command", "what"),
    [(("rebase", "other"), "a rebase"), (("cherry-pick", "other"), "a cherry-pick")],
)
def test_a_commit_that_is_brought_in_is_told_as_such(shop: Path, command: tuple[str, ...], what: str) -> None:
    stop_in(shop, *command)

    text = pack(TASK, root=shop, budget=2_000).text

    assert f"{what} of commit " in text
    assert "    return min(prices)\n" in text
    assert "commits of this side:\n" in text
    assert "commits of the other side:\n" in text


def test_without_a_conflict_such_a_task_is_a_task_like_others(shop: Path) -> None:
    bundle = pack(TASK, root=shop, budget=2_000)

    assert "conflicts" not in [item.title for item in bundle.items]


def test_another_task_during_a_merge_shows_no_places(shop: Path) -> None:
    stop_in(shop, "merge", "other")

    bundle = pack("add a discount to the total", root=shop, budget=2_000)

    assert not [item for item in bundle.items if item.title.startswith("conflict ")]


def test_a_secret_on_either_side_stays_hidden(shop: Path) -> None:
    secret = "ghp_" + "x7Kq2Lm9Rt4Vb8Nc3Zw6Yp1Sd5Fg0Hj2Ka9Q"
    git(shop, "checkout", "-q", "other")
    write_files(shop, {"cart.py": CODE.replace("sum(prices)", f"'{secret}'")})
    commit(shop, f"use {secret}", day=8)
    git(shop, "checkout", "-q", "main")
    stop_in(shop, "merge", "other")

    text = pack(TASK, root=shop, budget=3_000).text

    assert "conflict 1 of" in text
    assert secret not in text


@pytest.mark.costly
@pytest.mark.parametrize("budget", [120, 300, 700])
def test_a_small_budget_holds(shop: Path, budget: int) -> None:
    stop_in(shop, "merge", "other")

    assert pack(TASK, root=shop, budget=budget).tokens <= budget


LINES = st.lists(
    st.sampled_from(["<<<<<<< HEAD", "||||||| base", "=======", ">>>>>>> other", ">>>>>>>", "x", "== =", ""])
)


@given(LINES)
def test_places_are_whole_and_apart(lines: list[str]) -> None:
    found = find_conflicts(lines)

    ends = [0]
    for first, last in found:
        assert ends[-1] < first < last
        assert lines[first - 1].startswith("<<<<<<<")
        assert "=======" in lines[first : last - 1]
        assert lines[last - 1].startswith(">>>>>>>")
        ends.append(last)
