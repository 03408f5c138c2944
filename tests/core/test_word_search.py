"""Words of a question are found in lists and texts as one by one, by case-insensitive expressions."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from satchel.packing.weighing.word_search import Phrase, find_holding, find_starting, strip_severity

LETTERS = "abAB_.- \u017f\u212aé"
WORDS = st.text("abk\u017f", min_size=1, max_size=3)


@given(st.lists(st.text(LETTERS, max_size=6)), st.lists(WORDS, max_size=3))
def test_words_that_start_alike_are_those_that_each_tells(words: list[str], begin: list[str]) -> None:
    assert set(find_starting(words, begin)) == {word for word in words if word.startswith(tuple(begin))}


@given(st.lists(st.text(LETTERS + "\n", max_size=6)), st.lists(WORDS, max_size=3))
def test_names_that_hold_a_beginning_come_in_order(names: list[str], begin: list[str]) -> None:
    holding = [name for name in names if not name.isascii() or any(one in name.lower() for one in begin)]
    assert find_holding(names, begin) == holding


@given(WORDS, WORDS, st.text(LETTERS + "k\nK", max_size=40))
def test_a_phrase_is_counted_in_any_case(one: str, other: str, text: str) -> None:
    pattern = rf"(?<![a-z]){re.escape(one)}[a-z]{{0,4}}[\s_.-]?{re.escape(other)}"
    assert Phrase(one, other).count_in(text) == len(re.findall(pattern, text, re.IGNORECASE))


def test_a_message_is_told_from_what_stands_around_it() -> None:
    shown = ["ValueError: no warp, no weft.", "fatal: no warp, no weft", "no warp, no weft"]

    assert {strip_severity(text) for text in shown} == {"no warp, no weft"}


def test_what_stands_around_a_long_message_is_told_at_once() -> None:
    """Each of many stops in it is no end."""
    long = "warp" + " ." * 100_000 + "weft"

    assert strip_severity(f"Error: {long} . ") == long
