"""Parts made whole: covering every line, joined where they can't be counted apart, stored and read."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel import Part, Symbol
from satchel.packing import cover_lines
from satchel.packing.representing import NOT_XML, finish, from_row, piece, to_row
from satchel.plugin_api import lines_of

from .texts import exact_counter, file_item, letter_counter, odd_texts, parts_of

COUNTER = exact_counter()
lines = st.tuples(st.integers(-3, 25), st.integers(-3, 25))


@given(ranges=st.lists(lines, max_size=8), count=st.integers(0, 20))
def test_parts_are_made_to_cover_every_line_once(ranges: list[tuple[int, int]], count: int) -> None:
    covered = cover_lines([Part("function", "f", one) for one in ranges], count)

    shown = [line for part in covered for line in range(part.lines[0], part.lines[1] + 1)]
    assert shown == list(range(1, count + 1))


def test_a_head_outside_its_lines_or_as_long_as_them_is_dropped() -> None:
    parts = [
        Part("function", "f", (1, 5), (1, 5)),
        Part("function", "g", (4, 9), (4, 5)),
        Part("f", "h", (10, 12), (10, 10)),
    ]

    assert [part.head for part in cover_lines(parts, 12)] == [(0, 0), (0, 0), (10, 10)]


@given(data=st.data(), text=odd_texts)
@settings(max_examples=examples(150), deadline=None)
def test_finished_parts_cover_the_text_and_have_its_counts(data: st.DataObject, text: str) -> None:
    split = finish(file_item(text), data.draw(parts_of(text)), COUNTER)

    source = lines_of(text)
    bodies = [piece(source, *part.lines) for part in split.parts]
    assert "".join(bodies) == (text if text.endswith("\n") or not text else text + "\n")
    assert len({part.id for part in split.parts}) == len(split.parts) == len(split.lengths)
    assert all(part.head == (0, 0) or part.head_tokens > part.mark_tokens - 2 for part in split.parts)


@given(data=st.data(), text=odd_texts)
@settings(max_examples=examples(100), deadline=None)
def test_a_split_reads_back_as_it_was_written(data: st.DataObject, text: str) -> None:
    item = file_item(text)
    split = finish(item, data.draw(parts_of(text)), COUNTER)

    assert from_row(item, *to_row(split)) == split


@given(text=st.lists(st.sampled_from([*"<>/![]é\x01\x7f ", "CDATA[", "Item", "context"])).map("".join))
def test_a_text_is_plain_where_xml_can_hold_it_as_it_is(text: str) -> None:
    assert finish(file_item(text), [], COUNTER).plain == (NOT_XML.search(text) is None)


def test_symbols_and_references_survive_the_index() -> None:
    symbol = Symbol("C.f", "method", (1, 2), (1, 1))
    part = Part(
        "method", "C.f", (1, 2), (1, 1), (1, 2), (symbol,), tuple(f"name{number}" for number in range(99))
    )
    item = file_item("def f():\n    pass\n")

    split = finish(item, [part], COUNTER)

    assert from_row(item, *to_row(split)) == split
    assert split.parts[0].symbols == (symbol,)
    assert 0 < len(split.parts[0].refs) < 99


def test_a_stored_split_takes_the_names_of_the_item_that_asks() -> None:
    item = file_item("x = 1\n")
    other = attrs.evolve(item, id="file:b.py", path="b.py")

    read = from_row(other, *to_row(finish(item, [], COUNTER)))

    assert {(part.item, part.path) for part in read.parts} == {("file:b.py", "b.py")}


@pytest.mark.parametrize("odd", ["\n\n", "//\n", " \n/\n", "\u2003\n"])
@pytest.mark.parametrize("at", ["first", "between", "last"])
def test_parts_of_only_white_space_and_slashes_are_joined_to_a_neighbour(odd: str, at: str) -> None:
    pieces = {"first": [odd, "a\n", "b\n"], "between": ["a\n", odd, "b\n"], "last": ["a\n", "b\n", odd]}[at]
    parts, line = [], 1
    for one in pieces:
        parts.append(Part("function", one.strip(), (line, line + one.count("\n") - 1)))
        line += one.count("\n")

    split = finish(file_item("".join(pieces)), parts, letter_counter()[0])

    assert [part.name for part in split.parts] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "fence", "sigil"),
    [
        ("x\n", "```", "@@"),
        ("```\n@@1\n", "````", "@@@"),
        ("  `````py\n@@@@9\n", "``````", "@@@@@"),
        ("@@x\na```\n", "````", "@@"),
    ],
)
def test_the_fence_and_the_sigil_are_longer_than_any_inside(text: str, fence: str, sigil: str) -> None:
    split = finish(file_item(text), [], COUNTER)

    assert (split.fence, split.sigil) == (fence, sigil)


@pytest.mark.parametrize("text", ["]]>", "\x0c", "\x00", "\ufffe"])
def test_what_xml_can_not_hold_is_not_plain(text: str) -> None:
    assert finish(file_item("tab\tand line\r\n"), [], COUNTER).plain
    assert not finish(file_item(text), [], COUNTER).plain


def test_terms_are_counted_by_part() -> None:
    parts = [Part("function", "f", (1, 1)), Part("function", "g", (2, 2))]

    split = finish(file_item("user user login\nlogin\n"), parts, COUNTER)

    assert split.terms == {"user": [0, 2], "login": [0, 1, 1, 1]}
    assert split.lengths == (3, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb\x0cc\u2028d", ["a\r", "b\x0cc\u2028d"]),
    ],
)
def test_only_line_feeds_end_lines(text: str, expected: list[str]) -> None:
    assert lines_of(text) == expected
