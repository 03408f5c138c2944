"""Worth: what must hold whatever the constants are."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.parts import NO_LINES, Part
from satchel.weighing import worth
from satchel.weighing.worth import body_worths, exponent, head_worths, opening_worth

saliences = st.floats(0.001, 1.0)
budgets = st.integers(1, 1_000_000)


def part(tokens: int = 100, *, lines: tuple[int, int] = (1, 9), head: bool = False, end: int = 0) -> Part:
    return Part(
        "function",
        "f",
        lines,
        (lines[0], lines[0]) if head else NO_LINES,
        (lines[0], end) if end else NO_LINES,
    )._replace(tokens=tokens)


@given(one=saliences, other=saliences, budget=budgets, tokens=st.integers(1, 5_000))
def test_more_salience_is_never_worth_less(one: float, other: float, budget: int, tokens: int) -> None:
    low, high = body_worths([part(tokens)] * 2, sorted([one, other]), budget)

    assert 0 < low <= high < math.inf


@given(salience=saliences, budget=budgets, sizes=st.tuples(st.integers(1, 5_000), st.integers(1, 5_000)))
def test_more_text_is_never_worth_less_but_less_per_token(
    salience: float, budget: int, sizes: tuple[int, int]
) -> None:
    small, large = sorted(sizes)
    low, high = body_worths([part(small), part(large)], [salience] * 2, budget)

    assert low <= high
    assert low / small >= high / large or small < 20


@given(one=budgets, other=budgets)
def test_less_room_asks_for_sharper_choices(one: int, other: int) -> None:
    assert exponent(min(one, other)) >= exponent(max(one, other)) >= 1


@given(worths=st.lists(st.floats(0.001, 1), min_size=3, max_size=3))
def test_a_head_is_worth_something_where_there_is_one(worths: list[float]) -> None:
    parts = [part(head=True, end=30), part(lines=(10, 20)), part(lines=(21, 30), head=True)]

    heads = head_worths(parts, worths)

    assert heads[0] > 0
    assert heads[1] == 0
    assert heads[2] > 0


def test_the_head_of_a_class_is_worth_more_with_a_good_method_in_it() -> None:
    parts = [part(head=True, end=30), part(lines=(10, 20)), part(lines=(40, 50))]

    plain, with_method, with_neighbour = (
        head_worths(parts, worths)[0] for worths in ([0.1, 0.1, 0.1], [0.1, 0.9, 0.1], [0.1, 0.1, 0.9])
    )

    assert plain == with_neighbour < with_method


@given(salience=saliences, ranks=st.tuples(st.integers(0, 10_000), st.integers(0, 10_000)))
def test_a_worse_rank_is_never_opened_for_more(salience: float, ranks: tuple[int, int]) -> None:
    assert opening_worth(salience, min(ranks)) >= opening_worth(salience, max(ranks)) > 0


@pytest.mark.parametrize("salience", [0.0, 1.0])
def test_no_worth_is_negative(salience: float) -> None:
    assert body_worths([part()], [salience], 1_000)[0] >= 0
    assert opening_worth(salience, 0) >= 0


def test_instruction_files_have_a_share_of_large_budgets_only() -> None:
    assert worth.instructions_room(worth.DEFAULT.instructions_from - 1) == 0
    assert worth.instructions_room(20_000) == 20_000 * worth.DEFAULT.instructions_share


def test_instructions_are_worth_most_while_their_room_lasts() -> None:
    parts = [Part("section", "a", (1, 2), tokens=100), Part("section", "b", (3, 4), tokens=100)]

    first, second = worth.instruction_worths(parts, [0.01, 0.01], 150)

    assert first > 0.5
    assert second == 0.01
