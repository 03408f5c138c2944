"""Stretches: long parts cut where statements begin, with counts that add up to the part's own."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel import Part
from satchel.packing import ItemLadder, Markdown, Step, Worths, body_of, refine_worths
from satchel.packing.representing import finish, piece
from satchel.packing.weighing.worth import LEAST_LINES, cut, from_row, to_row
from satchel.parts import Stretches
from satchel.plugin_api import SplitItem, lines_of

from .repositories import recount
from .texts import exact_counter, file_item, odd_lines

COUNTER = exact_counter()
long_texts = st.lists(odd_lines, min_size=LEAST_LINES, max_size=50).map("\n".join)
PYTHON = "def f(x):\n" + "".join(f"    if x == {at}:\n        login(x)\n\n" for at in range(12))


def stretches_of(split: SplitItem) -> Stretches:
    assert split.stretches is not None
    return split.stretches


def in_stretches(split: SplitItem) -> SplitItem:
    """Show every part by its stretches."""
    ones = [1.0] * len(split.parts)
    return refine_worths(
        Worths(split, ones, ones), stretches_of(split), {}, best=range(len(split.parts))
    ).split


@given(text=long_texts, head=st.integers(0, 40))
def test_the_stretches_of_a_part_cover_its_lines_once(text: str, head: int) -> None:
    lines = lines_of(text)
    part = Part("function", "f", (1, len(lines)), (1, head) if 0 < head <= len(lines) else (0, 0))

    ranges = cut(lines, part)

    assert [line for first, last in ranges for line in range(first, last + 1)] == list(
        range(1, len(lines) + 1)
    )
    assert len(ranges) == 1 or part.head[1] <= ranges[0][1]


@given(text=long_texts)
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_choice_of_stretches_costs_exactly_what_they_say(text: str) -> None:
    item = file_item(text)
    fine = in_stretches(finish(item, [Part("function", "f", (1, len(lines_of(text))))], COUNTER))
    frame = Markdown().opening(item, fine)
    for chosen in (fine.parts[::2], fine.parts[1::2], fine.parts):
        steps = tuple(Step(fine.parts.index(part), body=True) for part in chosen)
        ladder = ItemLadder(item, fine, steps, ())
        shown = frame + body_of(ladder, len(steps), text=text, form=Markdown())
        ending = 0 if not chosen or chosen[-1] is fine.parts[-1] else recount(Markdown().end(item, fine))
        assert recount(shown) == recount(frame) + ending + _tokens(fine, [step.part for step in steps])


def _tokens(split: SplitItem, chosen: list[int]) -> int:
    total = 0
    for at in chosen:
        part = split.parts[at]
        follows = at == 0 or at - 1 in chosen
        total += (part.joined_tokens if at else part.tokens) if follows else part.mark_tokens + part.tokens
    return total


def test_a_short_part_has_no_stretches() -> None:
    text = "x = 1\n" * (LEAST_LINES - 1)

    assert stretches_of(finish(file_item(text), [], COUNTER)) == Stretches((), ())


def test_stretches_begin_where_statements_do() -> None:
    lines = lines_of(PYTHON)

    begins = [lines[first - 1] for first, _ in cut(lines, Part("function", "f", (1, len(lines))))]

    assert len(begins) > 2
    assert all(line.startswith("    if") for line in begins[1:])


def test_the_first_stretch_holds_the_whole_head() -> None:
    lines = ["def f(", *("    a," for _ in range(20)), "):", *("    a()" for _ in range(20))]
    part = Part("function", "f", (1, len(lines)), (1, 22))

    assert cut(lines, part)[0][1] >= 22


@pytest.mark.parametrize("line", ["", "/", "// a comment", "   "])
def test_text_without_a_place_to_cut_stays_whole(line: str) -> None:
    lines = [line] * 40

    assert cut(lines, Part("block", "", (1, 40))) == [(1, 40)]


def test_a_part_and_its_stretches_hold_the_same_terms() -> None:
    split = finish(file_item(PYTHON), [Part("function", "f", (1, 37))], COUNTER)

    counts = [terms.split().count("login") for terms in stretches_of(split).terms]

    assert list(split.terms["login"]) == [0, sum(counts)]
    assert len(counts) > 2
    assert split.lengths == (sum(sum(found[1::2]) for found in split.terms.values()),)


def test_stretches_read_back_as_they_were_written() -> None:
    stretches = stretches_of(finish(file_item(PYTHON), [], COUNTER))

    assert from_row(*to_row(stretches)) == stretches
    assert stretches.rows


def test_the_text_of_all_stretches_is_the_text() -> None:
    fine = in_stretches(finish(file_item(PYTHON), [], COUNTER))

    assert "".join(piece(lines_of(PYTHON), *part.lines) for part in fine.parts) == PYTHON
