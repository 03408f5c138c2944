"""What is shown already is worth less, where it is not needed anyway."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from satchel.output.choosing import ToldWords, order


def test_the_share_of_known_words_is_told() -> None:
    told = ToldWords()
    told.add("cannot find module left")

    assert told.share("cannot find pad") == 2 / 3


def test_a_text_without_words_is_new() -> None:
    assert ToldWords().share("---") == 0


def test_a_line_whose_words_are_shown_comes_after_one_with_news() -> None:
    texts = ["disk of node a is full", "disk of node a is full a", "queue stalled"]

    assert order([50.0, 49.0, 45.0], [10] * 3, aim=500.0, frame=0, texts=texts) == [0, 2, 1]


def test_a_line_that_is_needed_stays_before_others() -> None:
    texts = ["disk of node a is full", "disk of node a is full a", "queue stalled"]

    assert order([58.0, 57.0, 50.0], [10] * 3, aim=500.0, frame=0, texts=texts) == [0, 1, 2]


def test_an_output_that_is_shown_whole_lacks_nothing() -> None:
    assert sorted(order([5.0, -3.0, 0.0], [1] * 3, aim=math.inf, frame=0, texts=["a", "a", "a"])) == [0, 1, 2]


@given(st.lists(st.tuples(st.floats(-40, 80), st.sampled_from(["a b", "a b c", "c", ""])), max_size=40))
def test_no_place_is_chosen_twice(lines: list[tuple[float, str]]) -> None:
    values, texts = [worth for worth, _ in lines], [text for _, text in lines]

    chosen = order(values, [5] * len(lines), aim=100.0, frame=0, texts=texts)

    assert len(chosen) == len(set(chosen))
    assert all(values[place] > 0 for place in chosen)
