"""Past commits whose messages resemble the task."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.repositories import commit

from satchel_plugins.scorers import HistoryScorer

from .scored import by_path, scores_of


def test_the_files_of_the_commit_that_resembles_the_task_have_one(polyglot: Path) -> None:
    (polyglot / "web/cart.ts").write_text("changed();\n")
    commit(polyglot, "round the discount of the voucher", day=10)

    scores = by_path(scores_of(HistoryScorer(), "the voucher discount is rounded down", polyglot))

    assert scores["web/cart.ts"] == 1.0
    assert scores["src/shop/mail.py"] == 0.0


@pytest.mark.costly
def test_the_twenty_nearest_commits_vote(polyglot: Path) -> None:
    for number in range(24):
        (polyglot / f"voucher{number}.py").write_text(f"discount = {number}\n")
        commit(polyglot, f"round the discount {'again ' * number}", day=10 + number)

    scores = by_path(scores_of(HistoryScorer(), "the discount is rounded", polyglot))

    assert len([path for path, score in scores.items() if score and "voucher" in path]) == 20


def test_a_task_that_no_message_resembles_scores_nothing(polyglot: Path) -> None:
    assert set(by_path(scores_of(HistoryScorer(), "quetzalcoatl", polyglot)).values()) == {0.0}
