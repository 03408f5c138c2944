"""The arithmetic on which the budget rests: counts of well-made pieces add up without a remainder."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel_plugins.tokenizers import OfflineTokenizer

pytestmark = pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])

SNIPPETS = [
    "a",
    "Z",
    "9",
    "foo",
    " ",
    "  ",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "/",
    "//",
    "#",
    "*",
    "'s",
    "'",
    "é",
    "漢",
    "ー",
]
SNIPPETS += [
    "\u0301",
    "👩‍👩",
    "\u00a0",
    "\u2028",
    "\x85",
    "\x0b",
    "_",
    "{",
    ";",
    "<|endoftext|>",
    "⋮",
    "@@",
    "½",
]
mixed = st.one_of(st.lists(st.sampled_from(SNIPPETS), max_size=12).map("".join), st.text(max_size=40))


def starts_with_a_blank_line(text: str) -> bool:
    blanks = text[: len(text) - len(text.lstrip())]
    return blanks == text or "\n" in blanks or "\r" in blanks


after_a_mark = mixed.filter(lambda text: not starts_with_a_blank_line(text))
well_made = after_a_mark.filter(lambda text: not text.startswith("/")).map(lambda text: text + "\n")


@settings(max_examples=examples(300), deadline=None)
@given(pieces=st.lists(well_made, min_size=2, max_size=5))
def test_pieces_that_end_a_line_and_begin_with_neither_a_blank_line_nor_a_slash_add_up(
    encoding: str, pieces: list[str]
) -> None:
    *parts, whole = OfflineTokenizer(encoding).count([*pieces, "".join(pieces)])

    assert sum(parts) == whole


@settings(max_examples=examples(300), deadline=None)
@given(mark=mixed, last=st.sampled_from("aZ059"), piece=after_a_mark)
def test_after_a_line_that_ends_in_a_letter_or_digit_a_slash_adds_up_too(
    encoding: str, mark: str, last: str, piece: str
) -> None:
    line = f"{mark}{last}\n"

    first, second, whole = OfflineTokenizer(encoding).count([line, piece, line + piece])

    assert first + second == whole


def test_a_blank_line_after_a_line_end_does_not_add_up(encoding: str) -> None:
    first, second, whole = OfflineTokenizer(encoding).count(["x\n", "\ny", "x\n\ny"])

    assert first + second > whole


def test_a_carriage_return_begins_a_blank_line(encoding: str) -> None:
    first, second, whole = OfflineTokenizer(encoding).count(["x\r\n", "\r\ny", "x\r\n\r\ny"])

    assert first + second > whole


@pytest.mark.weekly
def test_a_line_mark_costs_a_token_for_each_three_digits(encoding: str) -> None:
    numbers = range(1, 100_000)

    counts = OfflineTokenizer(encoding).count([f"@@{number}\n" for number in numbers])

    assert counts == [3 + (len(str(number)) - 1) // 3 for number in numbers]
