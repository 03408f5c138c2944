"""Pieces are the lines of a text, with what in them may be needed again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.compaction import ReferenceReader
from satchel.compaction.pieces import LONGEST, join_pieces, list_signs, runs_of


def refs(line: str) -> tuple[str, ...]:
    return ReferenceReader().refs(line)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("see src/app.py for it", ("src/app.py",)),
        ("call load_user or getName", ("load_user", "getName")),
        ("raise ValueError now", ("ValueError",)),
        ("exit code 137 after 12 s", ("137",)),
        ("commit b2b3c4d5 went in", ("b2b3c4d5",)),
        ("paid with certificate_7504069", ("certificate_7504069", "7504069")),
        ("on 2024-05-21, not before", ("2024", "2024-05-21")),
        ('it says "no such file here" again', ("no such file here",)),
        ("plain words of a person", ()),
        ("//// ++++ ----", ()),
    ],
)
def test_references_are_paths_names_numbers_and_quoted_words(line: str, found: tuple[str, ...]) -> None:
    assert refs(line) == found


@pytest.mark.parametrize(
    "line", ["  140→    load_user()", "140\tload_user()", "140: load_user()", "140 | load_user()"]
)
def test_the_number_of_a_line_is_a_reference_of_its_own(line: str) -> None:
    (piece,) = ReferenceReader().pieces([line], [9])[0]

    assert piece.refs == ("load_user", "#140")


def test_low_numbers_of_lines_are_none() -> None:
    (piece,) = ReferenceReader().pieces(["14\tload_user()"], [9])[0]

    assert piece.refs == ("load_user",)


def test_blank_lines_are_no_pieces() -> None:
    assert [(piece.start, piece.end) for piece in ReferenceReader().pieces(["a\n\n  \nb"], [4])[0]] == [
        (0, 1),
        (6, 7),
    ]


@given(text=st.text(), tokens=st.integers(0, 1_000))
def test_pieces_stand_in_order_and_have_all_that_is_not_blank(text: str, tokens: int) -> None:
    (pieces,) = ReferenceReader().pieces([text], [tokens])
    ends = [0, *(at for piece in pieces for at in (piece.start, piece.end)), len(text)]

    assert ends == sorted(ends)
    assert not "".join(text[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True)).strip()
    assert all(piece.tokens >= 1 for piece in pieces)


def test_long_lines_are_cut_at_white_space() -> None:
    text = "word " * 200
    (pieces,) = ReferenceReader().pieces([text], [200])

    assert max(piece.end - piece.start for piece in pieces) <= LONGEST * 5 // 4
    assert all(text[piece.end : piece.end + 1] in {" ", ""} for piece in pieces)


def test_json_in_one_line_is_cut_between_its_records() -> None:
    records = [
        {"sku": f"SKU-{number}", "title": "a tent for two people", "price": {"amount": number}}
        for number in range(40)
    ]
    text = json.dumps({"items": records})
    (pieces,) = ReferenceReader().pieces([text], [600])

    assert len(pieces) > 10
    assert {text[piece.start : piece.start + 7] for piece in pieces[1:]} == {'{"sku":'}


def test_each_field_of_json_in_one_line_may_stand_by_itself() -> None:
    text = json.dumps({f"field_{number}": "so many words " * 12 for number in range(6)})
    (pieces,) = ReferenceReader().pieces([text], [300])

    assert list(runs_of(text, pieces)) == [(at, at + 1) for at in range(len(pieces))]
    assert len(pieces) > 2


def test_a_long_line_of_prose_is_cut_between_its_sentences() -> None:
    text = "The moss grows in the shade of the old wall. " * 30
    (pieces,) = ReferenceReader().pieces([text], [300])

    assert all(text[piece.start : piece.end].strip().startswith("The moss") for piece in pieces)


def test_gaps_are_marked() -> None:
    text = "one\ntwo\nthree\nfour"
    (pieces,) = ReferenceReader().pieces([text], [8])

    assert join_pieces(text, pieces, [1, 2]) == "…\ntwo\nthree\n…"
    assert join_pieces(text, pieces, range(4)) == text


def test_lines_with_their_numbers_need_no_mark_between() -> None:
    text = "  10\tone\n  11\ttwo\n  12\tthree\nplain\n  14\tfour"
    (pieces,) = ReferenceReader().pieces([text], [30])

    assert join_pieces(text, pieces, [0, 2]) == "  10\tone\n  12\tthree"
    assert join_pieces(text, pieces, [2]) == "  12\tthree"
    assert join_pieces(text, pieces, [1, 3]) == "  11\ttwo\n…\nplain\n…"


@given(texts=st.lists(st.text(), max_size=5))
def test_texts_read_together_have_the_pieces_that_they_have_alone(texts: list[str]) -> None:
    together = ReferenceReader().pieces(texts, [9] * len(texts))

    assert together == [ReferenceReader().pieces([text], [9])[0] for text in texts]


@pytest.mark.parametrize(
    "line",
    [
        "M936.154 0H949.689V120.969H936.154V110.31H935.815C930.74 116.908 922.619 123.337 908.746 123.337",
        "1763846080, 1763846184, 1763846649, 1763846911, 1763847002",
    ],
)
def test_a_row_of_data_holds_no_references(line: str) -> None:
    assert refs(line) == ()
    assert refs(f"{line[:20]} of load_cart and read_prices in src/cart_items.py, see PriceError") != ()


def test_the_signs_of_a_patch_tell_what_each_line_does() -> None:
    patch = "*** Update File: a.py\n@@\n-old()\n+new()\n same()"
    list_ = "- one\n- two"
    ours, theirs = ReferenceReader().pieces([patch, list_], [40, 8])

    assert list_signs(patch, ours) == "*@-+ "
    assert list_signs(list_, theirs) == ""
