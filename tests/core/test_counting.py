"""Counts: remembered, batched, and adding up."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel.workspace import IndexStore

from .repositories import recount
from .texts import exact_counter, letter_counter, odd_lines

COUNTER = exact_counter()
solid_pieces = st.lists(odd_lines, min_size=1, max_size=5).map(
    lambda lines: "\n".join([*lines, "end"]) + "\n"
)


def test_what_was_counted_is_not_counted_again(tmp_path: Path) -> None:
    first, asked = letter_counter(IndexStore.open(tmp_path / "index.sqlite"))
    assert first.count(["aa", "b", "aa", ""]) == [2, 1, 2, 0]
    again, asked_again = letter_counter(IndexStore.open(tmp_path / "index.sqlite"))

    assert again.count(["b", "aa", "ccc"]) == [1, 2, 3]
    assert sorted(asked) == ["", "aa", "b"]
    assert asked_again == ["ccc"]


def test_thousands_of_texts_are_counted_at_once() -> None:
    counter, _ = letter_counter()
    texts = ["x" * (number % 50) + str(number) for number in range(3_000)]

    assert counter.count(texts) == counter.count(texts) == [len(text) for text in texts]


def test_counts_of_one_tokenizer_are_not_those_of_another(tmp_path: Path) -> None:
    store = IndexStore.open(tmp_path / "index.sqlite")
    letters, _ = letter_counter(store)

    assert letters.count(["hello world"]) == [11]
    assert exact_counter(store).count(["hello world"]) == [2]


def test_nothing_is_asked_for_nothing() -> None:
    counter, asked = letter_counter()

    assert counter.count([]) == counter.fresh([]) == []
    assert asked == []


@given(pieces=st.lists(solid_pieces, min_size=1, max_size=5))
@example(pieces=["\u2003\nx\n", "/ a\n", "\n\nb\n"])
@example(pieces=["x = 1;\n", "// a\n", "\r\n\r\nb\n"])
@settings(max_examples=examples(200), deadline=None)
def test_pieces_add_up_after_a_mark_and_after_each_other(pieces: list[str]) -> None:
    marked = COUNTER.after_mark(pieces)
    joined = COUNTER.count_adjacent(pieces, marked)
    mark = recount("@@12\n")

    assert [recount("@@12\n" + piece) - mark for piece in pieces] == marked
    assert recount("@@12\n" + "".join(pieces)) - mark == marked[0] + sum(joined[1:])


@pytest.mark.parametrize("text", ["lone \ud800 surrogate", "\x00", "é" * 1_000])
def test_any_text_is_counted(text: str) -> None:
    assert COUNTER.count([text])[0] > 0
