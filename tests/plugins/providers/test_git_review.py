"""The provider `git_review`: callers and tests of what changed since a commit."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tests.core.repositories import commit, write_files

from satchel import Workspace, WorkspaceError
from satchel.references import make_task
from satchel_plugins.providers import GitProvider, GitReview

from .shop import CART, FILES, edit, gathered, make_shop


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a repository with seven commits."""
    return make_shop(tmp_path / "shop")


def reviewed(root: Path, since: str = "HEAD") -> list[str]:
    items = gathered(GitReview(since=since), root, "review this", ["README.md"])
    assert all(item.id == f"file:{item.path}" and item.relevance == 1.0 for item in items)
    return [item.path for item in items]


def test_without_since_there_is_what_is_not_committed(shop: Path) -> None:
    assert reviewed(shop, "") == []

    edit(shop, {"shop/cart.py": (shop / "shop/cart.py").read_text().replace("sum(", "max(")})

    assert gathered(GitReview(), shop, "fix the total") == []
    items = gathered(GitReview(), shop, "review my changes")
    assert {item.path for item in items} == {"shop/cart.py", "shop/receipt.py", "tests/test_cart.py"}


def test_in_one_pack_git_is_asked_once_for_the_diff(shop: Path) -> None:
    edit(shop, {"shop/cart.py": (shop / "shop/cart.py").read_text().replace("sum(", "max(")})
    with closing(Workspace.open(shop)) as workspace:
        task = make_task("review my changes", workspace.index.documents)
        assert list(GitProvider().gather(task, workspace, []))
        edit(shop, {"shop/mail.py": (shop / "shop/mail.py").read_text().replace("print(", "post(")})

        items = GitReview().gather(task, workspace, [])

    assert {item.path for item in items} == {"shop/cart.py", "shop/receipt.py", "tests/test_cart.py"}


def test_callers_and_tests_of_a_changed_body_are_found(shop: Path) -> None:
    edit(shop, {"shop/cart.py": (shop / "shop/cart.py").read_text().replace("sum(", "max(")})

    assert set(reviewed(shop)) == {"shop/cart.py", "shop/receipt.py", "tests/test_cart.py"}


def test_a_changed_constructor_concerns_those_who_name_the_class(shop: Path) -> None:
    edit(shop, {"shop/cart.py": (shop / "shop/cart.py").read_text().replace("= []", "= [0]")})

    assert set(reviewed(shop)) == {"shop/cart.py", "shop/receipt.py", "tests/test_cart.py"}


def test_what_was_committed_since_counts_too(shop: Path) -> None:
    write_files(shop, {"shop/mail.py": FILES["shop/mail.py"].replace("print(", "post(")})
    commit(shop, "post it", day=30)

    assert reviewed(shop, "HEAD~1") == ["shop/mail.py", "tests/test_mail.py"]


def test_callers_of_a_removed_function_are_found(shop: Path) -> None:
    edit(shop, {"shop/tax.py": "def share(country):\n    return 19\n"})

    assert "shop/cart.py" in reviewed(shop)


def test_a_name_within_a_longer_one_is_no_reference(shop: Path) -> None:
    write_files(shop, {"shop/other.py": "regrand_totalled = 1\ngrand_totals = 2\n"})
    commit(shop, "other", day=30)
    edit(shop, {"shop/cart.py": CART.replace("sum(", "max(")})

    assert "shop/other.py" not in reviewed(shop)


def test_functions_of_other_languages_are_found_by_the_place_of_the_hunk(tmp_path: Path) -> None:
    ring = "int ring_push(struct ring *r, char c)\n{\n" + "    r->n++;\n" * 9 + "    return 0;\n}\n"
    shop = make_shop(tmp_path / "ring")
    write_files(shop, {"ring.c": ring, "main.c": "int main(void)\n{\n    return ring_push(0, 1);\n}\n"})
    commit(shop, "ring", day=30)
    edit(shop, {"ring.c": ring.replace("return 0", "return 1")})

    assert reviewed(shop) == ["ring.c", "main.c"]


def test_what_is_no_commit_is_a_clear_error(shop: Path) -> None:
    with pytest.raises(WorkspaceError, match="is not a commit here"):
        reviewed(shop, "no-such-branch")


def test_it_keeps_to_its_cap(shop: Path) -> None:
    write_files(shop, {f"shop/use_{n}.py": "grand_total()\n" for n in range(25)})
    commit(shop, "uses", day=30)
    edit(shop, {"shop/cart.py": CART.replace("sum(", "max(")})

    found = reviewed(shop)

    assert len(found) == GitReview().max_items // 2 + 1
    assert found[0] == "shop/cart.py"
    assert "tests/test_cart.py" in found
