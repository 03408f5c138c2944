"""Runs in which a rule's word can stand are found wherever in them it is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.redaction.prefilter import PatternPiece, Spots, fewest, needs_of, piece_of
from satchel.redaction.searching import _rules as rules_by_word

RULES = rules_by_word()
PIECES = {word: piece_of(word, rules, fewest(list(map(needs_of, rules)))) for word, rules in RULES.items()}
SPOTS = Spots(PIECES)
TEXTS = sorted({piece.literal for piece in PIECES.values() if piece is not None})


def stands(piece: PatternPiece, run: str) -> bool:
    """Say by looking at every place whether a piece can stand in a run."""
    for at in (at for at in range(len(run)) if run.startswith(piece.literal, at)):
        before, rest = run[at - 1 : at] if at else "", run[at + len(piece.literal) :]
        begins = not (before.isascii() and before.isalnum()) or (before == "m" and at <= 6)
        begins |= re.fullmatch(r"[nrt]|[0-9A-Fa-f]{2}", run[:at]) is not None
        fits = not (piece.last and rest) and not (piece.first and at) and len(run) - at >= piece.follow
        if fits and (begins or not piece.early):
            return True
    return False


RUNS = st.lists(
    st.sampled_from([*TEXTS, "_", "m", "n", "0A", "zz", "31m", "é", "x9", "a" * 40]), min_size=1, max_size=4
)


@given(st.sets(RUNS.map("".join), max_size=5))
def test_every_piece_is_found_wherever_it_can_stand_and_nowhere_else(runs: set[str]) -> None:
    expected = {
        run: {word for word, piece in PIECES.items() if piece is not None and stands(piece, run)}
        for run in runs
    }

    assert SPOTS.words_in(runs) == {run: words for run, words in expected.items() if words}


@pytest.mark.parametrize("run", ["", "monkey", "path_of_test", "2024"])
def test_plain_words_hold_nothing(run: str) -> None:
    assert SPOTS.words_in({run}) == {}
