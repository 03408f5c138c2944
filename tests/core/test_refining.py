"""Refining: which parts are shown by stretches, and what each stretch is worth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import Part
from satchel.packing import Worths, best_parts, refine_worths, term_weights
from satchel.parts import Stretch, Stretches
from satchel.plugin_api import SplitItem

LONG = Part("function", "f", (1, 30), (1, 1), tokens=300, head_tokens=9)
SHORT = Part("block", "", (31, 35), tokens=50)
ROWS = tuple(Stretch(0, (10 * at + 1, 10 * at + 10), 100, 99, 3) for at in range(3))
SPLIT = SplitItem((LONG, SHORT), {"login": [0, 2], "token": [0, 1, 1, 1]}, (9, 3))
WHOLE = Worths(SPLIT, [0.6, 0.2], [0.4, 0.0])


NOTHING = ("", "", "")


def shares(terms: tuple[str, ...], weights: dict[str, float]) -> list[float]:
    return list(refine_worths(WHOLE, Stretches(ROWS, terms), weights, best={0}).bodies[:3])


@given(counts=st.lists(st.integers(1, 9), min_size=3, max_size=3), weight=st.floats(0.01, 50))
def test_stretches_share_out_what_their_part_is_worth(counts: list[int], weight: float) -> None:
    terms = tuple("login " * count for count in counts)

    assert sum(shares(terms, {"login": weight})) == pytest.approx(0.6)


def test_a_stretch_with_words_of_the_task_is_worth_most_and_its_neighbour_more_than_others() -> None:
    first, second, third = shares(("login login", "", "token"), {"login": 1.0})

    assert first > second > third > 0


def test_stretches_without_evidence_are_worth_their_lines() -> None:
    assert shares(NOTHING, {"login": 1.0}) == pytest.approx([0.2, 0.2, 0.2])


def test_the_first_stretch_keeps_the_head_and_other_parts_stay() -> None:
    fine = refine_worths(WHOLE, Stretches(ROWS, NOTHING), {}, best={0})

    assert [part.lines for part in fine.split.parts] == [(1, 10), (11, 20), (21, 30), (31, 35)]
    assert [part.head for part in fine.split.parts] == [(1, 1), (0, 0), (0, 0), (0, 0)]
    assert list(fine.heads) == [0.4, 0.0, 0.0, 0.0]
    assert fine.bodies[3] == 0.2


def test_parts_that_are_not_among_the_best_stay_whole() -> None:
    assert refine_worths(WHOLE, Stretches(ROWS, NOTHING), {}, best={1}).split.parts == SPLIT.parts


@pytest.mark.parametrize(("budget", "best"), [(100, {0: [0, 1]}), (174, {0: [0, 1]}), (175, {}), (4_000, {})])
def test_parts_are_refined_only_where_the_best_cost_twice_the_budget(
    budget: int, best: dict[int, list[int]]
) -> None:
    assert best_parts([SPLIT], [[0.9, 0.1]], budget) == best


def test_a_rare_term_weighs_more() -> None:
    weights = term_weights({"login": 1.0, "token": 1.0}, [SPLIT], {0: [0, 1]})

    assert weights["login"] > weights["token"] > 0
