from __future__ import annotations

import pytest
import toktok
from hypothesis import given
from hypothesis import strategies as st

from satchel_plugins.tokenizers.vocabulary import PIECE_CHARS, cut, repair_surrogates

SNIPPETS = [
    "ab",
    "X1",
    " ",
    "\n",
    "\n\n",
    "\r\n",
    "/",
    "//",
    "'s",
    "é",
    "漢",
    "。",
    "\u0301",
    "\t",
    ";",
    "__",
]
LINES = st.lists(st.sampled_from(SNIPPETS), min_size=20, max_size=80).map("".join)


def whole(text: str, encoding: str) -> int:
    return int(toktok.batch_count([text], encoding, threads=1)[0])


@given(st.text(max_size=200), st.integers(1, 40))
def test_the_pieces_make_up_the_text_and_none_is_too_large(text: str, size: int) -> None:
    pieces = cut(text, size)

    assert "".join(pieces) == text
    assert all(0 < len(piece) <= size for piece in pieces)


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
@given(text=LINES)
def test_pieces_that_are_cut_at_a_safe_place_add_up(encoding: str, text: str) -> None:
    # each window of 20 characters of this text has a safe place
    safe = "".join(text[at : at + 8] + "a b\nc" for at in range(0, len(text), 8))

    pieces = cut(safe, 20)

    assert len(pieces) > 1
    assert sum(whole(piece, encoding) for piece in pieces) == whole(safe, encoding)


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
@pytest.mark.parametrize("character", list("aZ7 \n\t^=漢é/"))
def test_a_run_without_a_safe_place_costs_at_most_one_token_a_cut(encoding: str, character: str) -> None:
    text = character * (2 * PIECE_CHARS + 12_345)

    pieces = cut(text)

    assert len(pieces) == 3
    assert abs(sum(whole(piece, encoding) for piece in pieces) - whole(text, encoding)) <= 1


def test_a_cut_falls_at_the_last_safe_line_end() -> None:
    assert cut("one two;\nthree{\nfour", 17) == ["one two;\nthree{\n", "four"]


def test_a_line_that_starts_with_a_slash_stays_with_the_line_before() -> None:
    assert cut("ab;\n/cdefgh", 5) == ["ab", ";\n/cd", "efgh"]


def test_halves_of_surrogate_pairs_are_replaced_and_whole_pairs_are_joined() -> None:
    assert repair_surrogates("a\ud83db\ud83d\udc69") == "a\ufffdb👩"
