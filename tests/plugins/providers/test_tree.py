"""The map of a workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel_plugins.providers import Tree

from .opening import gathered, texts

SMALL = {"a.py": "x = 1\n", "src/b.py": "y = 1\n", "src/c d.py": "z = 1\n"}
LARGE = {f"pkg{n % 7}/mod{n}.py": f"def make_{n}():\n    return {n}\n" for n in range(300)} | {
    "shop/cart.py": "class Cart:\n    def total(self):\n        return 0\n\ndef checkout():\n    return 1\n"
}


def test_a_small_repository_is_listed_whole(tmp_path: Path) -> None:
    assert (
        texts(gathered(tmp_path, SMALL, Tree()))
        == "all 3 files of the workspace\na.py\nsrc/b.py\nsrc/c d.py\n"
    )


def test_a_large_one_shows_folders_with_counts_and_the_nearest_files_with_their_names(tmp_path: Path) -> None:
    text = texts(gathered(tmp_path, LARGE, Tree(), "the total of the cart is wrong"))

    assert text.startswith("301 files in 8 folders")
    assert "pkg0/ 43 files\n" in text
    assert "shop/cart.py: Cart, checkout\n" in text


def test_another_task_gets_other_files(tmp_path: Path) -> None:
    assert "cart.py" not in texts(gathered(tmp_path, LARGE, Tree(), "what does make_12 do"))


@pytest.mark.costly
@pytest.mark.parametrize("cap", [5, 50, 400])
def test_a_map_stays_within_its_cap(tmp_path: Path, cap: int) -> None:
    text = texts(gathered(tmp_path, LARGE, Tree(max_tokens=cap), "the total of the cart is wrong"))

    assert len(text.encode()) / 3 <= cap


def test_an_empty_workspace_has_no_map(tmp_path: Path) -> None:
    assert gathered(tmp_path, {}, Tree()) == []


def test_the_map_never_stands_before_files(tmp_path: Path) -> None:
    assert [item.relevance < 0.7 for item in gathered(tmp_path, SMALL, Tree())] == [True]
