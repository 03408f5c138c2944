"""Counts in plain Python: those of the vocabulary, or none."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from string import ascii_lowercase

import pytest
import toktok
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import is_full

from satchel_plugins.tokenizers.vocabulary import (
    QuickCounter,
    TooMuchError,
    quick_counter,
    read_ranks,
    repair_surrogates,
    sort,
)

ENCODINGS = ("cl100k_base", "o200k_base")
CODE = "def _find(self, name: str) -> int:\r\n\n\treturn it's[name]  # HTTPServer's 12345 <=> //\n"
WORDS = st.sampled_from(["it's", "WE'LL", "don'T", "HTTPServer", "\t\t", " \n", "//\n", "12345", "»é", "x_y"])
TEXTS = st.lists(
    st.one_of(WORDS, st.text(st.characters(codec="ascii")), st.text(st.characters(codec=None), max_size=5))
).map("".join)

RARE = " ".join("".join(letters) * 6 for letters in product(ascii_lowercase, repeat=3))

Make = Callable[[str], QuickCounter]


@pytest.fixture(scope="session")
def make(ranks: Path) -> Make:
    known = {one: read for one in ENCODINGS if (read := read_ranks(one, ranks)) is not None}
    return lambda encoding: QuickCounter(encoding, known[encoding])


def test_without_ranks_there_is_no_counter(ranks: Path, tmp_path: Path) -> None:
    assert quick_counter("cl100k_base", tmp_path) is None
    assert quick_counter("cl100k_base", ranks) is not None


def exact(texts: Sequence[str], encoding: str) -> list[int]:
    return list(toktok.batch_count([repair_surrogates(text) for text in texts], encoding, threads=1))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_counts_of_odd_texts_are_those_of_the_vocabulary(
    encoding: str, make: Make, odd_texts: list[str]
) -> None:
    for text in odd_texts:
        assert make(encoding).count([text, CODE]) == exact([text, CODE], encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(deadline=None)  # the first example loads the ranks
@given(texts=st.lists(TEXTS, max_size=4))
def test_any_text_has_its_exact_count_or_none(encoding: str, make: Make, texts: list[str]) -> None:
    try:
        counts = make(encoding).count(texts)
    except TooMuchError:
        return
    assert counts == exact(texts, encoding)


@pytest.mark.costly
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_character_that_is_taken_is_taken_for_what_the_vocabulary_takes_it(
    encoding: str, make: Make
) -> None:
    taken = [chr(code) for code in range(0x80, 0x30000, 23 if is_full() else 71) if _is_taken(chr(code))]
    texts = [f"aB{one}c {one}{one}D1{one}2 {one}\n" for one in taken]

    assert make(encoding).count(texts) == exact(texts, encoding)
    assert len(taken) > 700


def _is_taken(character: str) -> bool:
    try:
        sort(character)
    except TooMuchError:
        return False
    return True


@pytest.mark.parametrize("character", ["\u017f", "\u0378", "\U0001e900"])
def test_a_character_that_tables_may_differ_on_is_left_to_toktok(character: str, make: Make) -> None:
    with pytest.raises(TooMuchError):
        make("o200k_base").count([f"it{character}"])


def test_more_text_than_is_quick_is_left_to_toktok(make: Make) -> None:
    counter = make("o200k_base")
    counter.count(["word " * 250_000])

    with pytest.raises(TooMuchError):
        counter.count(["word " * 250_001])


@pytest.mark.weekly
@pytest.mark.parametrize("text", ["A" * 200_000, RARE])
def test_what_would_be_merged_for_long_is_left_to_toktok_soon(text: str, make: Make) -> None:
    counter, started = make("o200k_base"), time.process_time()

    with pytest.raises(TooMuchError):
        counter.count([text])

    assert time.process_time() - started < 3


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(deadline=None)  # the first example loads the ranks
@given(text=st.text("aabEe=é", min_size=50, max_size=400), blanks=st.integers(0, 300))
def test_long_words_are_merged_as_the_vocabulary_does(
    encoding: str, make: Make, text: str, blanks: int
) -> None:
    texts = [text, "-" * blanks, " " * blanks + text]

    assert make(encoding).count(texts) == exact(texts, encoding)


def test_hostile_texts_are_counted_or_left_soon(make: Make, huge_texts: list[str]) -> None:
    started = time.process_time()

    for text in huge_texts:
        try:
            assert make("o200k_base").count([text]) == exact([text], "o200k_base")
        except TooMuchError:
            continue

    assert time.process_time() - started < 10
