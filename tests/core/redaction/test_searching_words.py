"""Both ways to look for the words of all rules find the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.redaction.searching import _any_word, _Words

WORDS = ("fc-", "-us", "us", "us1", "key", "keys-")


def _plainly(text: str) -> list[tuple[int, str]]:
    return list(_Words(WORDS).hits(text))


def _at_once(text: str) -> list[tuple[int, str]]:
    words = _Words(WORDS)
    list(words.hits("x" * 100_000))
    return list(words.hits(text))


@given(st.lists(st.sampled_from([*WORDS, "f", "c", "-", "s", "1", " ", "\n"]), max_size=12).map("".join))
def test_words_are_found_one_by_one_as_by_one_expression(text: str) -> None:
    assert _plainly(text) == _at_once(text)


def test_the_longest_word_of_those_that_begin_at_a_place_is_found() -> None:
    assert _plainly("fc-us1 keys-") == [(0, "fc-"), (2, "-us"), (3, "us1"), (7, "keys-")]


@pytest.mark.parametrize(("texts", "compiled"), [(3, False), (1_000, True)])
def test_the_expression_is_compiled_once_many_texts_have_been_looked_through(
    texts: int, *, compiled: bool
) -> None:
    words = _Words(_any_word()._words)
    for _ in range(texts):
        list(words.hits("a short text"))
    assert ("_pattern" in vars(words)) is compiled
