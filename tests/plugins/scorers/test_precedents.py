"""Words of the code that commits with similar messages changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.repositories import commit

from satchel_plugins.scorers import Precedents

from .scored import by_name, scores_of

FILLING = "def rebate(basket):\n    return basket.pop('deduction')\n"
OTHER = "def paint(wall):\n    return wall.brush('green')\n"
TASK = "the till refuses my vouchers"


def changed(root: Path, path: str = "cart.py") -> Path:
    (root / "wall.py").write_text(OTHER)
    commit(root, "paint the shop", day=3)
    (root / path).write_text(FILLING)
    commit(root, "take vouchers at the till", day=4)
    (root / "later.py").write_text("def late(basket):\n    return basket.get('deduction')\n")
    commit(root, "look later", day=5)
    return root


def test_code_with_the_words_of_the_change_scores_without_a_word_of_the_task(polyglot: Path) -> None:
    scores = by_name(scores_of(Precedents(), TASK, changed(polyglot)))

    assert scores["rebate"] == 1.0
    assert scores["late"] > 0.3
    assert scores["paint"] < 0.1


def test_words_of_documents_do_not_count(polyglot: Path) -> None:
    scores = by_name(scores_of(Precedents(), TASK, changed(polyglot, "notes.md")))

    assert scores["late"] < 0.1


def test_the_answer_is_the_same_when_it_is_remembered(polyglot: Path) -> None:
    changed(polyglot)

    first, second = (scores_of(Precedents(), TASK, polyglot) for _ in range(2))

    assert first == second


@pytest.mark.costly
@pytest.mark.parametrize("scorer", [Precedents(commits=0), Precedents(words=0)])
def test_without_commits_or_words_nothing_scores(polyglot: Path, scorer: Precedents) -> None:
    assert set(by_name(scores_of(scorer, TASK, changed(polyglot))).values()) == {0.0}


def test_a_task_that_no_message_resembles_scores_nothing(polyglot: Path) -> None:
    assert set(by_name(scores_of(Precedents(), "quetzalcoatl", changed(polyglot))).values()) == {0.0}
