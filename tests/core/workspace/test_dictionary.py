"""Terms are found whether they were written by the thousand or one by one."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.workspace.index.postings import numbers, pack_lists, terms_in, words_with, write_terms
from satchel.workspace.index.store import IndexStore

MANY = 6_000


def written(*rounds: dict[str, list[int]]) -> IndexStore:
    store = IndexStore.open(None)
    for pointed in rounds:
        with store.transaction() as connection:
            write_terms(connection, {term: array("I", words) for term, words in pointed.items()})
    return store


def many(first: int) -> dict[str, list[int]]:
    return {f"term{number:05}": [first + number, first + number + 1] for number in range(MANY)}


@pytest.mark.parametrize("number", [0, 1, 63, 64, 65, 127, 128, MANY - 1])
def test_a_term_of_many_is_found_wherever_it_stands_in_its_block(number: int) -> None:
    store = written(many(10))

    assert words_with(store, f"term{number:05}") == {10 + number, 11 + number}


@pytest.mark.parametrize("term", ["", "a", "term00000x", "term99999", "é", "zz"])
def test_a_term_that_nobody_wrote_points_at_nothing(term: str) -> None:
    assert words_with(written(many(0), {"other": [3]}), term) == set()


def test_what_was_written_at_several_times_is_found_together() -> None:
    store = written(many(0), {"term00007": [90_000], "new": [90_001]}, many(50_000), {"term00007": [90_002]})

    assert words_with(store, "term00007") == {7, 8, 50_007, 50_008, 90_000, 90_002}
    assert words_with(store, "new") == {90_001}


def test_all_terms_can_be_told() -> None:
    store = written(many(0), {"new": [1], "term00000": [2]})

    assert set(terms_in(store)) == {*many(0), "new"}


def test_few_terms_make_no_segment_and_many_are_few_rows() -> None:
    store = written({f"t{number}": [number] for number in range(100)})
    assert store.rows("SELECT count(*) FROM segments") == [(0,)]

    store = written(many(0))

    assert store.rows("SELECT count(*) FROM terms") == [(0,)]
    assert store.rows("SELECT count(*) FROM blocks") == [(-(-MANY // 64),)]


@given(st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=4), max_size=6))
def test_packed_numbers_come_back(listed: list[list[int]]) -> None:
    ends, together = map(numbers, pack_lists([array("I", one) for one in listed]))

    starts = [0, *ends][: len(listed)]
    assert [list(together[start:end]) for start, end in zip(starts, ends, strict=True)] == listed
