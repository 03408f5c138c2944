"""Both ways to look for keywords find the same: the library's, and the one where it has no wheel."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.redaction import Keywords, rule_spans, rules
from satchel.redaction.rules import shipped_rules

WORDS = ("fc-", "-us", "us", "us1", "key", "keys-")
RULES_WORDS = sorted(shipped_rules().anchored)
AROUND = ["f", "c", "-", "s", "1", " ", "\n", "é", "\0", "\ud800", "😀"]


def both_ways(words: tuple[str, ...] | list[str], text: str) -> tuple[object, object]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "ahocorasick", None)
        by_expression = Keywords(words).places(text)
    return Keywords(words).places(text), by_expression


@given(st.lists(st.sampled_from([*WORDS, *AROUND]), max_size=12).map("".join))
def test_words_are_found_by_the_library_as_by_an_expression(text: str) -> None:
    found, expected = both_ways(WORDS, text)

    assert found == expected


@given(st.lists(st.sampled_from([*RULES_WORDS, *AROUND]), max_size=12).map("".join))
def test_the_words_of_all_rules_are_found_either_way(text: str) -> None:
    found, expected = both_ways(RULES_WORDS, text)

    assert found == expected


def test_the_longest_word_of_those_that_begin_at_a_place_is_found() -> None:
    assert Keywords(WORDS).places("fc-us1 keys-") == [(0, "fc-"), (2, "-us"), (3, "us1"), (7, "keys-")]


@pytest.mark.parametrize("library", [rules.ahocorasick, None])
def test_a_word_with_a_screen_is_found_where_it_matches(
    library: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "ahocorasick", library)
    screens = {"us": re.compile("us!"), "us1": re.compile("us!|us12")}

    assert Keywords(WORDS).places("us1 us12 us! fc-", screens) == [(4, "us1"), (9, "us"), (13, "fc-")]


def test_no_words_are_found_nowhere() -> None:
    assert both_ways([], "any text") == ([], [])


@pytest.mark.parametrize("word", ["live_", "test_"])
def test_a_key_is_found_among_names_that_begin_with_its_word(word: str) -> None:
    key = word + "".join("AbcDefGhj23456789kLmNpQrStUvWx"[at * 7 % 30] for at in range(30))
    names = [f"tests/test_{at}.py::test_{at} PASSED" for at in range(2_000)]
    found = rule_spans("\n".join([*names, key, *names]), shipped_rules())

    assert [(span.rule, span.end - span.start) for span in found] == [("mollie", len(key))]
