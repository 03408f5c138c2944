"""How recently files changed, by the commits alone."""

from __future__ import annotations

from pathlib import Path

from tests.core.repositories import commit

from satchel_plugins.scorers import Recency

from .scored import by_path, scores_of


def test_the_files_of_the_newest_commit_have_one(polyglot: Path) -> None:
    (polyglot / "web/cart.ts").write_text("changed();\n")
    commit(polyglot, "change the cart", day=62)

    scores = by_path(scores_of(Recency(), "x", polyglot))

    assert scores["web/cart.ts"] == 1.0
    assert 0.45 < scores["README.md"] < 0.55


def test_without_git_nothing_is_recent(strange: Path) -> None:
    assert set(by_path(scores_of(Recency(), "x", strange)).values()) == {0.0}
