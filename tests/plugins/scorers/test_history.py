"""Past commits whose messages resemble the task."""

from __future__ import annotations

from pathlib import Path

from tests.core.repositories import commit

from satchel_plugins.scorers import HistoryScorer

from .scored import by_path, scores_of


def test_the_files_of_the_commit_that_resembles_the_task_have_one(polyglot: Path) -> None:
    (polyglot / "web/cart.ts").write_text("changed();\n")
    commit(polyglot, "round the discount of the voucher", day=10)

    scores = by_path(scores_of(HistoryScorer(), "the voucher discount is rounded down", polyglot))

    assert scores["web/cart.ts"] == 1.0
    assert scores["src/shop/mail.py"] == 0.0


def test_a_task_that_no_message_resembles_scores_nothing(polyglot: Path) -> None:
    assert set(by_path(scores_of(HistoryScorer(), "quetzalcoatl", polyglot)).values()) == {0.0}
