"""Expanding commits, diffs, and files that are not there any more."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.repositories import commit, git, make_repository, write_files

from satchel import PackOptions, PointerError, expand, pack

TAX = "def add_tax(price):\n    return price\n"
KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "MIIEpAIBAAKCAQEA7bq0CkR5aF1x9Zq3\n" * 3
    + "-----END RSA PRIVATE KEY-----\n"
)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a repository of three commits."""
    root = make_repository(
        tmp_path / "shop", {"shop/tax.py": TAX, "shop/cart.py": "x = 1\n", "logo.bin": b"\0\1"}
    )
    write_files(root, {"shop/cart.py": "x = 22\n"})
    commit(root, "count to two\n\nOne was not enough.\n", day=3)
    write_files(root, {"shop/cart.py": "x = 333\n", "shop/new.py": "y = 1\n"})
    commit(root, "count to three", day=4)
    return root


def test_a_commit_at_the_level_diff_has_its_message_and_its_diffs(shop: Path) -> None:
    sha = git(shop, "rev-parse", "HEAD~1").strip()

    text = expand(f"commit:{sha[:9]}", shop, level="diff")

    assert sha in text
    assert "One was not enough.\n" in text
    assert "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -1 +1 @@\n-x = 1\n+x = 22\n" in text
    assert "new.py" not in text


def test_the_first_commit_is_all_new(shop: Path) -> None:
    sha = git(shop, "rev-list", "--max-parents=0", "HEAD").strip()

    text = expand(f"commit:{sha}", shop, level="diff")

    assert "--- /dev/null\n+++ b/shop/tax.py\n@@ -0,0 +1,2 @@\n+def add_tax(price):\n" in text


def test_of_a_binary_the_header_tells_that_it_is_one(shop: Path) -> None:
    write_files(shop, {"logo.bin": b"\0\1\2\3"}, age_seconds=500)

    assert expand("satchel://diff/logo.bin", shop) == "--- a/logo.bin\n+++ b/logo.bin\nbinary, not shown\n"


def test_what_changed_in_a_file_since_a_commit_and_up_to_one_is_shown(shop: Path) -> None:
    first, second, _ = git(shop, "rev-list", "--reverse", "HEAD").split()[-3:]
    write_files(shop, {"shop/cart.py": "x = 4444\n"}, age_seconds=500)

    def lines(pointer: str) -> list[str]:
        return [line for line in expand(pointer, shop).splitlines() if line[1:2] == "x"]

    assert lines("satchel://diff/shop/cart.py") == ["-x = 333", "+x = 4444"]
    assert lines(f"satchel://diff/shop/cart.py?since={first[:12]}") == ["-x = 1", "+x = 4444"]
    assert lines(f"satchel://diff/shop/cart.py?since={first[:12]}&until={second[:12]}") == [
        "-x = 1",
        "+x = 22",
    ]
    assert expand("satchel://diff/shop/tax.py", shop) == ""


@pytest.mark.weekly
def test_a_deleted_file_is_expanded_as_it_was(shop: Path) -> None:
    (shop / "shop/tax.py").unlink()

    assert expand("shop/tax.py", shop) == TAX
    assert expand("shop/tax.py:2", shop) == "    return price\n"
    assert expand("shop/tax.py", shop, level="diff").startswith("--- a/shop/tax.py\n+++ /dev/null\n@@")

    commit(shop, "no taxes", day=5)

    assert expand("shop/tax.py", shop) == TAX
    with pytest.raises(PointerError, match="no such file"):
        expand("shop/nothing.py", shop)


@pytest.mark.weekly
def test_every_pointer_of_a_pack_for_a_review_expands(shop: Path) -> None:
    (shop / "shop/tax.py").unlink()
    git(shop, "mv", "shop/cart.py", "shop/basket.py")
    write_files(shop, {"logo.bin": b"\0\2", "poetry.lock": "a = 1\n"}, age_seconds=500)
    first = git(shop, "rev-list", "--max-parents=0", "HEAD").strip()

    for options in (PackOptions(left_out="all"), PackOptions(left_out="all", since=first)):
        bundle = pack("review my changes", root=shop, budget=2_000, options=options)
        pointers = [one.pointer for one in (*bundle.items, *bundle.left_out)]
        assert [one for one in pointers if one.startswith("satchel://diff/")]
        for pointer in pointers:
            if not pointer.startswith(("satchel://environment", "satchel://git", "satchel://tree")):
                assert expand(pointer, shop)


def test_a_secret_that_only_the_whole_file_reveals_is_not_in_an_old_diff(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "r", {"notes.txt": "a\n" * 9 + KEY})
    write_files(root, {"notes.txt": "a\n" * 9 + KEY.replace("MIIE", "NIIE", 1)})
    commit(root, "another key", day=3)
    write_files(root, {"notes.txt": "nothing\n"})
    commit(root, "no key", day=4)

    for digits in git(root, "rev-list", "HEAD").split():
        assert "IIEpAIBAAKCAQEA7bq0CkR5aF1x9Zq3" not in expand(f"commit:{digits}", root, level="diff")
    bundle = pack(f"explain commit {git(root, 'rev-parse', 'HEAD~1')}", root=root, budget=3_000)
    assert "another key" in bundle.text
    assert "IIEpAIBAAKCAQEA7bq0CkR5aF1x9Zq3" not in bundle.text


def test_credentials_and_what_satchelignore_names_are_not_shown_as_they_were(tmp_path: Path) -> None:
    files = {".env": "TOKEN=abcdef0123456789\n", "hidden/a.py": "x = 1\n", ".satchelignore": "hidden/\n"}
    root = make_repository(tmp_path / "r", files)
    for name in (".env", "hidden/a.py"):
        (root / name).unlink()

    for pointer in (".env", "hidden/a.py"):
        with pytest.raises(PointerError):
            expand(pointer, root)
    assert "abcdef0123456789" not in expand("satchel://diff/.env", root)
    assert expand("satchel://diff/hidden/a.py", root) == ""


@pytest.mark.costly
@pytest.mark.parametrize("pointer", ["satchel://diff/a.py?since=0123456", "commit:0123456"])
def test_a_commit_that_is_not_there_is_an_error(shop: Path, pointer: str) -> None:
    with pytest.raises(PointerError):
        expand(pointer, shop)


def test_a_diff_without_a_repository_is_an_error(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": "x = 1\n"})

    with pytest.raises(PointerError, match="not a git repository"):
        expand("satchel://diff/a.py", tmp_path)
