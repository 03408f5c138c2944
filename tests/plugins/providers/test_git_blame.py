"""The provider `git_blame`: the commits that the best files and lines come from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.core.repositories import git, write_files

from satchel_plugins.providers import GitBlame

from .shop import CART_TASK, FILES, MAIL_TASK, gathered, make_shop

BEST = ("shop/cart.py", "shop/receipt.py", "shop/mail.py", "shop/tax.py")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a repository with seven commits."""
    return make_shop(tmp_path / "shop")


def test_the_last_commits_of_the_best_files_are_told(shop: Path) -> None:
    items = gathered(GitBlame(), shop, CART_TASK, BEST)

    assert [item.id for item in items] == [f"blame:{path}" for path in BEST[:3]]
    lines = (items[0].text or "").split("\n")
    assert lines[0] == "last commits of shop/cart.py"
    assert lines[1].endswith("give the third price of the cart with a discount (#43)")
    assert lines[2].endswith("give the second price of the cart with a discount (#42)")


def test_lines_that_hold_the_tasks_words_name_their_commit(shop: Path) -> None:
    first = git(shop, "rev-parse", "--short=10", "HEAD~6")

    (item,) = gathered(GitBlame(), shop, "why does grand_total sum the discount?", BEST[:1])

    assert any(
        line.startswith("lines 8-14 are of ") and line.endswith(f"{first} open the shop")
        for line in (item.text or "").split("\n")
    )
    assert item.relevance == 0.7


def test_a_file_with_uncommitted_changes_has_no_line_blame(shop: Path) -> None:
    write_files(shop, {"shop/cart.py": "grand_total = 1\n"}, age_seconds=500)

    (item,) = gathered(GitBlame(), shop, CART_TASK, BEST[:1])

    assert " are of " not in (item.text or "")


def test_one_line_is_of_its_commit(shop: Path) -> None:
    texts = [item.text or "" for item in gathered(GitBlame(), shop, CART_TASK, ["shop/cart.py"])]

    assert not [text for text in texts if re.search(r"^line \d+ are|^lines \d+-\d+ is", text, re.MULTILINE)]
    assert re.search(r"^lines? \d+(-\d+ are| is) of ", "".join(texts), re.MULTILINE)


def test_a_long_file_has_no_line_blame(shop: Path) -> None:
    write_files(shop, {"shop/tax.py": "grand_total = 1\n" * 2_500}, age_seconds=500)
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "long")

    (item,) = gathered(GitBlame(), shop, CART_TASK, ["shop/tax.py"])

    assert (item.text or "").count("\n") == 3
    assert " are of " not in (item.text or "")


def test_it_stays_within_three_hundred_tokens(shop: Path) -> None:
    items = gathered(GitBlame(), shop, f"{CART_TASK}, why? {MAIL_TASK}", BEST)

    assert sum(len((item.text or "").encode()) for item in items) / 4 < 340
    assert all(item.path == "" for item in items)


def test_a_file_that_no_commit_touched_has_none(shop: Path) -> None:
    write_files(shop, {"new.py": "cart = 1\n"})

    assert gathered(GitBlame(), shop, CART_TASK, ["new.py"]) == []


def test_a_question_about_something_else_than_the_past_has_none(shop: Path) -> None:
    assert gathered(GitBlame(), shop, "how does the cart sum the discount?", BEST) == []


def test_a_plain_folder_has_none(tmp_path: Path) -> None:
    assert gathered(GitBlame(), write_files(tmp_path / "plain", FILES), CART_TASK, BEST) == []
