"""A round of what docs/benchmarks/killing_index.py does a hundred times."""

from __future__ import annotations

from pathlib import Path

import killing_index


def test_an_index_survives_and_a_word_more_is_seen(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    for name in ("cart", "order"):
        (shop / f"{name}.py").write_text(f"def {name}(): ...\n")
    assert killing_index.row(shop, 2).startswith("| shop | 2 | 2 |")

    before = killing_index.contents(shop, tmp_path / "cache")
    (shop / "cart.py").write_text("def cart(): basket\n")
    after = killing_index.contents(shop, tmp_path / "cache")

    assert [term for term in after if term not in before] == ["\0basket"]
    assert ("cart.py", 1) in after["\0basket"]
