"""Worth: what must hold whatever the constants are."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import Part
from satchel.packing.weighing import worth
from satchel.packing.weighing.worth import (
    body_worths,
    chances,
    head_worths,
    opening_worths,
    promise,
    weigh_by_terms,
)
from satchel.plugin_api import NO_LINES

saliences = st.floats(0.001, 1.0)


def part(tokens: int = 100, *, lines: tuple[int, int] = (1, 9), head: bool = False, end: int = 0) -> Part:
    return Part(
        "function",
        "f",
        lines,
        (lines[0], lines[0]) if head else NO_LINES,
        (lines[0], end) if end else NO_LINES,
    )._replace(tokens=tokens)


@given(one=saliences, other=saliences, tokens=st.integers(1, 5_000))
def test_more_salience_is_never_a_smaller_chance(one: float, other: float, tokens: int) -> None:
    low, high = chances([part(tokens)] * 2, sorted([one, other]))

    assert 0 < low <= high < math.inf


@given(salience=saliences, sizes=st.tuples(st.integers(1, 5_000), st.integers(1, 5_000)))
def test_more_text_is_never_a_smaller_chance_but_a_smaller_one_per_token(
    salience: float, sizes: tuple[int, int]
) -> None:
    small, large = sorted(sizes)
    low, high = chances([part(small), part(large)], [salience] * 2)

    assert low <= high
    assert low / small >= high / large or small < 20


@given(given=st.lists(saliences, min_size=1, max_size=20))
def test_the_bodies_of_all_parts_with_heads_are_worth_one_together(given: list[float]) -> None:
    parts = [part(head=True)] * len(given)
    found = chances(parts, given)

    total = promise(parts, given)
    shares = [chance / total for chance in found]
    assert sum(body_worths(parts, shares, [0.5] * len(parts))) == pytest.approx(1)


def test_a_body_without_a_head_counts_for_the_head_too() -> None:
    with_head, without = body_worths([part(head=True), part()], [0.2, 0.2], [0.4, 0.4])

    assert with_head == 0.2
    assert without == pytest.approx(0.2 + worth.SETTINGS.defined * 0.4)


@pytest.mark.parametrize(("kind", "more"), [("imports", True), ("function", True), ("block", False)])
def test_parts_of_some_kinds_are_needed_more_often(kind: str, *, more: bool) -> None:
    plain, special = chances([Part("other", "", (1, 9)), Part(kind, "", (1, 9))], [0.5, 0.5])

    assert (special > plain) == more != (special < plain)


@given(few=st.integers(0, 100), many=st.integers(0, 100))
def test_more_terms_of_the_task_in_a_part_make_it_likelier(few: int, many: int) -> None:
    parts = [part()._replace(item="file:a.py")] * 20
    found = weigh_by_terms(parts, [0.5] * 20, [0] * 18 + sorted([few, many]))

    assert (found[-1] > found[-2]) == (few != many)
    assert found[-2] >= found[-3] > 0


def test_what_stands_early_in_a_file_is_likelier() -> None:
    parts = [part()._replace(item="file:a.py")] * 13

    found = weigh_by_terms(parts, [0.5] * 13, [3] * 13)

    assert found == pytest.approx([0.5 * worth.SETTINGS.early] * 2 + [0.5] * 11)


def test_of_rows_of_data_those_with_a_term_and_the_first_are_needed() -> None:
    parts = [part()._replace(item="file:a.csv", path="a.csv")] * 4

    found = weigh_by_terms(parts, [0.5] * 4, [0, 0, 2, 0])

    assert [bool(one) for one in found] == [True, False, True, False]


def test_what_is_no_file_is_needed_whatever_words_it_holds() -> None:
    parts = [part()._replace(item="diff:a.py")] * 2

    assert weigh_by_terms(parts, [0.5, 0.2], [0, 40]) == [0.5, 0.2]
    assert weigh_by_terms([], [], []) == []


@given(worths=st.lists(st.floats(0.001, 1), min_size=3, max_size=3))
def test_a_head_is_worth_something_where_there_is_one(worths: list[float]) -> None:
    parts = [part(head=True, end=30), part(lines=(10, 20)), part(lines=(21, 30), head=True)]

    heads = head_worths(parts, worths)

    assert heads[0] > 0
    assert heads[1] == 0
    assert heads[2] > 0


def test_a_heading_tells_nothing_without_its_text() -> None:
    assert head_worths([part(head=True)._replace(kind="section")], [0.9]) == [0.0]


def test_the_head_of_a_class_is_worth_more_with_a_good_method_in_it() -> None:
    parts = [part(head=True, end=30), part(lines=(10, 20)), part(lines=(40, 50))]

    plain, with_method, with_neighbour = (
        head_worths(parts, worths)[0] for worths in ([0.1, 0.1, 0.1], [0.1, 0.9, 0.1], [0.1, 0.1, 0.9])
    )

    assert plain == with_neighbour < with_method


@given(given=st.lists(saliences, min_size=1, max_size=20))
def test_a_better_item_is_never_opened_for_less(given: list[float]) -> None:
    ordered = sorted(given, reverse=True)
    worths = opening_worths(ordered)

    assert worths == sorted(worths, reverse=True)
    assert sum(worths) == pytest.approx(worth.SETTINGS.opening)


def test_no_worth_is_negative_where_nothing_is_salient() -> None:
    assert chances([part()], [0.0]) == [0.0]
    assert opening_worths([0.0]) == [0.0]


def test_instruction_files_have_a_share_of_large_budgets_only() -> None:
    assert worth.instructions_room(worth.SETTINGS.instructions_from - 1) == 0
    assert worth.instructions_room(20_000) == 20_000 * worth.SETTINGS.instructions_share


def test_instructions_are_worth_most_while_their_room_lasts() -> None:
    parts = [Part("section", "a", (1, 2), tokens=100), Part("section", "b", (3, 4), tokens=100)]

    first, second = worth.instruction_worths(parts, [0.01, 0.01], 150)

    assert first > 0.5
    assert second == 0.01
