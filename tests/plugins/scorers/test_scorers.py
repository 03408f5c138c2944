"""What holds for every built-in scorer: one finite number from 0 to 1 for each part, whatever the task."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from satchel_plugins.scorers import SCORERS

from .scored import by_path, scores_of

CLASSES = [scorer for later in SCORERS if "exchange" not in (scorer := later.load()).kinds]
"""Those of exchanges are given a dialogue, not a workspace."""

TASKS = ("login fails", "", "?!", "\ud800", "src/shop/login.py:3 Session.close", "x " * 5_000, "日本語")


@pytest.mark.costly
@pytest.mark.parametrize("scorer", CLASSES, ids=lambda scorer: scorer.name)
def test_every_part_has_one_number_from_zero_to_one(scorer: Any, polyglot: Path) -> None:
    for task in TASKS:
        scored = scores_of(scorer(), task, polyglot)

        assert len(scored) > 20
        assert all(
            isinstance(score, float) and math.isfinite(score) and 0 <= score <= 1 for _, score in scored
        )


@pytest.mark.costly
@pytest.mark.parametrize("scorer", CLASSES, ids=lambda scorer: scorer.name)
def test_a_scorer_by_item_gives_all_parts_of_an_item_one_number(scorer: Any, polyglot: Path) -> None:
    scored = scores_of(scorer(), "login password in src/shop/login.py", polyglot)

    if scorer.grain == "item":
        best = by_path(scored)
        assert all(score == best[part.path] for part, score in scored)


@pytest.mark.parametrize("scorer", CLASSES, ids=lambda scorer: scorer.name)
def test_no_parts_have_no_scores(scorer: Any, tmp_path: Path) -> None:
    assert scores_of(scorer(), "login", tmp_path) == []


@pytest.mark.costly
@pytest.mark.parametrize("scorer", CLASSES, ids=lambda scorer: scorer.name)
def test_the_order_of_the_parts_changes_no_score(scorer: Any, polyglot: Path) -> None:
    first = {part.id + part.path: score for part, score in scores_of(scorer(), "login mail", polyglot)}

    assert {
        part.id + part.path: score for part, score in scores_of(scorer(), "login mail", polyglot)
    } == first
