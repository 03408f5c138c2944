"""Lines that commits with similar messages brought."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.core.repositories import commit

from satchel_plugins.scorers import Hunks

from .scored import by_name, scores_of

CART = """\
def total(basket):
    return sum(basket)


def empty(basket):
    basket.clear()
"""
VOUCHER = "\n\ndef voucher(basket):\n    rebate = basket.pop('rebate')\n    return rebate * 2\n"


def changed(root: Path) -> Path:
    (root / "cart.py").write_text(CART)
    commit(root, "open the shop", day=3)
    (root / "cart.py").write_text(CART + VOUCHER)
    commit(root, "take vouchers at the till", day=4)
    return root


def test_the_part_that_the_commit_brought_has_one(polyglot: Path) -> None:
    scores = by_name(scores_of(Hunks(), "the till refuses my vouchers", changed(polyglot)))

    assert scores["voucher"] == 1.0
    assert scores["total"] == scores["empty"] == 0.0


def test_lines_are_found_where_they_stand_today(polyglot: Path) -> None:
    changed(polyglot)
    (polyglot / "cart.py").write_text("# moved down\n" * 30 + VOUCHER + CART)

    assert by_name(scores_of(Hunks(), "the till refuses my vouchers", polyglot))["voucher"] == 1.0


def test_the_answer_is_the_same_when_it_is_remembered(polyglot: Path) -> None:
    changed(polyglot)

    first, second = (scores_of(Hunks(), "the till refuses my vouchers", polyglot) for _ in range(2))

    assert first == second


def test_a_task_that_no_message_resembles_scores_nothing(polyglot: Path) -> None:
    scores = by_name(scores_of(Hunks(), "quetzalcoatl", changed(polyglot)))

    assert set(scores.values()) == {0.0}


def test_without_a_repository_nothing_scores(polyglot: Path) -> None:
    shutil.rmtree(changed(polyglot) / ".git")

    assert set(by_name(scores_of(Hunks(), "vouchers at the till", polyglot)).values()) == {0.0}
