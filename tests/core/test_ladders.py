"""Ladders: one chain of increments, in the order of worth per token."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel import Level, Part
from satchel.packing import ItemLadder, Step
from satchel.packing.ladders import Appraisal, ItemFrame, build
from satchel.plugin_api import NO_LINES, SplitItem

from .texts import file_item

FRAME = ItemFrame(pointer=9, around=12)


def split_of(sizes: list[tuple[int, int]]) -> SplitItem:
    """Make parts of these body and head tokens, two lines each; 0 is no head."""
    parts = tuple(
        Part(
            "function", f"f{at}", (2 * at + 1, 2 * at + 2), (2 * at + 1, 2 * at + 1) if head else NO_LINES
        )._replace(tokens=body, joined_tokens=body, head_tokens=head, mark_tokens=2)
        for at, (body, head) in enumerate(sizes)
    )
    return SplitItem(parts, {}, (1,) * len(parts))


def ladder_of(
    sizes: list[tuple[int, int]], worths: list[float], *, pinned: list[int] | None = None
) -> ItemLadder:
    heads = [worth / 2 if head else 0.0 for worth, (_, head) in zip(worths, sizes, strict=True)]
    return build(
        file_item(""), split_of(sizes), Appraisal(worths, heads, 0.1), frame=FRAME, pinned=pinned or []
    )


def test_a_head_that_is_a_part_of_its_own_stands_above_what_it_encloses() -> None:
    outer = Part("function", "outer", (1, 4), span=(1, 90))._replace(
        tokens=20, joined_tokens=20, mark_tokens=2
    )
    inner = Part("function", "inner", (5, 90))._replace(tokens=80, joined_tokens=80, mark_tokens=2)

    appraisal = Appraisal((0.01, 0.9), (0.0, 0.0), 0.1)
    ladder = build(file_item(""), SplitItem((outer, inner), {}, (1, 1)), appraisal, frame=FRAME)

    assert ladder.steps == (Step(0, body=True), Step(1, body=True))


def test_a_comment_is_never_shown_without_the_head_of_what_it_describes() -> None:
    parts = [
        Part("comment", "Queue.take", (1, 30)),
        Part("comment", "Queue.take", (31, 40)),
        Part("function", "Queue.take", (41, 90), (41, 41))._replace(head_tokens=6),
    ]
    split = SplitItem(
        tuple(part._replace(tokens=50, joined_tokens=50, mark_tokens=2) for part in parts), {}, (1, 1, 1)
    )

    ladder = build(file_item(""), split, Appraisal((0.9, 0.1, 0.1), (0.0, 0.0, 0.01), 0.1), frame=FRAME)

    assert ladder.steps[:2] == (Step(0, body=True), Step(2, body=False))


def test_the_first_lines_of_what_encloses_and_imports_alone_open_nothing() -> None:
    outer = Part("module", "Shop", (2, 3), (2, 2), span=(2, 90))
    imports, pay = Part("imports", "", (1, 1)), Part("method", "pay", (4, 90), (4, 4))
    split = SplitItem(
        tuple(
            part._replace(tokens=tokens, joined_tokens=tokens, mark_tokens=2, head_tokens=heads)
            for part, tokens, heads in ((imports, 4, 0), (outer, 8, 4), (pay, 90, 6))
        ),
        {},
        (1, 1, 1),
    )

    def worths(bodies: Sequence[float], heads: Sequence[float]) -> list[float]:
        return [
            one.worth
            for one in build(file_item(""), split, Appraisal(bodies, heads, 0.1), frame=FRAME).options
        ]

    pointer = pytest.approx(0.002)
    assert worths((0.0, 0.0, 0.0), (0.0, 0.3, 0.0)) == [pointer, 0.0]
    assert worths((0.2, 0.0, 0.0), (0.0, 0.0, 0.0)) == [pointer, pytest.approx(0.2)]
    assert worths((0.0, 0.0, 0.0), (0.0, 0.3, 0.2)) == [pointer, 0.0, pytest.approx(0.2)]
    assert worths((0.0, 0.0, 0.5), (0.0, 0.3, 0.0)) == [pointer, 0.0, pytest.approx(0.9)]


def test_imports_and_few_fields_open_nothing_for_who_changes_the_file() -> None:
    imports, fields = Part("imports", "", (1, 4)), Part("class", "Shop", (5, 9), span=(5, 90))
    pay = Part("method", "pay", (10, 90), (10, 10))
    split = SplitItem(
        tuple(part._replace(tokens=9, joined_tokens=9, mark_tokens=2) for part in (imports, fields, pay)),
        {},
        (1, 1, 1),
    )

    def worths(*contexts: float) -> list[float]:
        appraisal = Appraisal((0.4, 0.3, 0.2), (0.0, 0.0, 0.0), 0.1, contexts)
        return [one.worth for one in build(file_item(""), split, appraisal, frame=FRAME).options[1:]]

    assert worths(0.0, 0.0, 0.04) == pytest.approx([0.0, 0.0, 1.0])
    assert worths() == pytest.approx([0.4, 0.8, 1.0])

    split = SplitItem(tuple(part._replace(name="") for part in split.parts), {}, (1, 1, 1))
    assert worths(0.0, 0.0, 0.04)[0] == pytest.approx(0.4)


def test_the_namespace_that_a_file_is_in_opens_nothing() -> None:
    parts = Part("namespace", "Shop", (1, 2), (1, 1)), Part("class", "Cart", (3, 90), (3, 4))
    split = SplitItem(
        tuple(part._replace(tokens=4, joined_tokens=4, mark_tokens=2, head_tokens=4) for part in parts),
        {},
        (1, 1),
    )

    found = build(file_item(""), split, Appraisal((0.3, 0.2), (0.0, 0.0), 0.1), frame=FRAME).options

    assert [option.worth for option in found] == pytest.approx([0.002, 0.0, 0.6])


def test_what_stands_beside_a_shown_part_comes_before_what_is_likelier_far_from_it() -> None:
    split, worths = split_of([(50, 0)] * 5), (0.1, 0.9, 0.1, 0.1, 0.2)

    def order(contexts: Sequence[float]) -> list[int]:
        appraisal = Appraisal(worths, (0.0,) * 5, 0.1, contexts)
        return [step.part for step in build(file_item(""), split, appraisal, frame=FRAME).steps]

    assert order(()) == [1, 4, 0, 2, 3]
    assert order((0.0, 0.5, 0.0, 0.0, 0.0)) == [1, 0, 2, 4, 3]


def whole_ladder(
    sizes: list[tuple[int, int]], worths: list[float], *, whole: bool, pinned: list[int]
) -> ItemLadder:
    heads = [worth / 2 if head else 0.0 for worth, (_, head) in zip(worths, sizes, strict=True)]
    appraisal = Appraisal(worths, heads, 0.1)
    return build(file_item(""), split_of(sizes), appraisal, frame=FRAME, pinned=pinned, whole=whole)


@given(
    sizes=st.lists(st.tuples(st.integers(10, 90), st.integers(0, 9)), min_size=1, max_size=6),
    worths=st.lists(st.sampled_from((0.0, 0.0, 0.2, 0.7)), min_size=6, max_size=6),
)
@settings(max_examples=examples(60))
def test_a_whole_ladder_ends_in_the_full_text_and_is_the_same_below(
    sizes: list[tuple[int, int]], worths: list[float]
) -> None:
    mine = worths[: len(sizes)]
    all_of_it = whole_ladder(sizes, [0.1] * len(sizes), whole=False, pinned=list(range(len(sizes))))

    short, long = (whole_ladder(sizes, mine, whole=whole, pinned=[]) for whole in (False, True))
    last = len(long.options) - 1

    assert long.options[: len(short.options)] == short.options
    assert len(long.options) - len(short.options) == (short.options[-1].level is not Level.FULL)
    assert (long.options[-1].level, long.options[-1].tokens) == (Level.FULL, all_of_it.options[-1].tokens)
    assert long.options[-1].worth == (short.options[-1].worth if short.steps else 0.1)
    assert long.parts_in(last) == dict.fromkeys(range(len(sizes)), True)
    assert all(long.parts_in(at) == short.parts_in(at) for at in range(len(short.options) - 1))


@given(contexts=st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_a_whole_item_is_worth_the_same_with_contexts(contexts: list[float]) -> None:
    sizes, worths = [(40, 9), (30, 0), (60, 4), (20, 0)], (0.3, 0.2, 0.4, 0.1)
    lacking = [share * worth for share, worth in zip(contexts, worths, strict=True)]
    heads = (0.1, 0.0, 0.2, 0.0)

    plain, beside = (
        build(file_item(""), split_of(sizes), Appraisal(worths, heads, 0.1, given), frame=FRAME).options
        for given in ((), lacking)
    )

    assert (beside[-1].level, beside[-1].tokens) == (plain[-1].level, plain[-1].tokens)
    assert beside[-1].worth == pytest.approx(plain[-1].worth)
    assert [option.worth for option in beside] == sorted(option.worth for option in beside)


sized = st.lists(st.tuples(st.integers(3, 200), st.sampled_from([0, 0, 4, 9])), min_size=1, max_size=8)


@given(sizes=sized, data=st.data())
@settings(max_examples=examples(200))
def test_options_climb_from_the_address_line_to_the_whole_text(
    sizes: list[tuple[int, int]], data: st.DataObject
) -> None:
    worths = data.draw(st.lists(st.floats(0.001, 1), min_size=len(sizes), max_size=len(sizes)))

    ladder = ladder_of(sizes, worths)

    assert ladder.options[0].level is Level.POINTER
    assert ladder.options[-1].level is Level.FULL
    assert ladder.options[-1].tokens == FRAME.around + sum(body for body, _ in sizes)
    assert [option.worth for option in ladder.options] == sorted(option.worth for option in ladder.options)
    assert ladder.parts_in(len(ladder.steps)) == dict.fromkeys(range(len(sizes)), True)
    assert len(ladder.options) == len(ladder.steps) + 1


@given(sizes=sized, data=st.data())
@settings(max_examples=examples(200))
def test_the_whole_text_is_worth_the_same_by_any_way(
    sizes: list[tuple[int, int]], data: st.DataObject
) -> None:
    worths = data.draw(st.lists(st.floats(0.001, 1), min_size=len(sizes), max_size=len(sizes)))
    pinned = data.draw(st.sets(st.integers(0, len(sizes) - 1)))

    free, bound = ladder_of(sizes, worths), ladder_of(sizes, worths, pinned=sorted(pinned))

    assert math.isclose(free.options[-1].worth, bound.options[-1].worth)
    assert free.options[-1].tokens == bound.options[-1].tokens


def test_what_is_worth_most_per_token_comes_first() -> None:
    ladder = ladder_of([(100, 0), (10, 0), (50, 0)], [0.5, 0.4, 0.9])

    assert [step.part for step in ladder.steps] == [1, 2, 0]


def test_the_pinned_parts_come_first_whatever_they_are_worth() -> None:
    ladder = ladder_of([(10, 4), (90, 4), (50, 4)], [0.9, 0.001, 0.5], pinned=[1, 2])

    assert ladder.steps[:2] == (Step(1, body=True), Step(2, body=True))
    assert ladder.floor == 2
    assert ladder.parts_in(ladder.floor) == {1: True, 2: True}


def test_neighbours_save_the_mark_between_them() -> None:
    ladder = ladder_of([(10, 0), (10, 0)], [0.2, 0.9])

    assert [option.tokens for option in ladder.options] == [9, 12 + 2 + 10, 12 + 10 + 10]


def test_a_body_takes_the_place_of_its_head() -> None:
    ladder = ladder_of([(30, 4)], [0.4])

    assert ladder.parts_in(1) == {0: False}
    assert ladder.parts_in(2) == {0: True}
    assert [option.tokens for option in ladder.options] == [9, 16, 42]


@pytest.mark.parametrize(
    ("steps", "level"), [(1, Level.HEADERS), (2, Level.SYMBOLS), (3, Level.EXCERPT), (4, Level.FULL)]
)
def test_levels_are_points_on_the_chain(steps: int, level: Level) -> None:
    ladder = ladder_of([(100, 2), (100, 3)], [0.5, 0.4])

    assert ladder.options[steps].level is level


def test_an_item_without_parts_is_its_address_line() -> None:
    ladder = build(file_item(""), SplitItem((), {}, ()), Appraisal([], [], 0.1), frame=FRAME)

    assert [(option.level, option.tokens) for option in ladder.options] == [(Level.POINTER, 9)]


def nested() -> SplitItem:
    """A class that opens with its head, two methods of it, and a function after it."""
    rows = [
        Part("class", "Box", (1, 3), (1, 1), (1, 9)),
        Part("method", "Box.put", (4, 6), (4, 4)),
        Part("method", "Box.take", (7, 9), (7, 7)),
        Part("function", "use", (10, 12), (10, 10)),
    ]
    parts = tuple(
        part._replace(id=f"x:{at}", tokens=30, joined_tokens=30, head_tokens=4, mark_tokens=2)
        for at, part in enumerate(rows)
    )
    return SplitItem(parts, {}, (1,) * 4)


@pytest.mark.parametrize(("heads", "first"), [((0.0, 0.0, 0.5, 0.0), False), ((0.0,) * 4, True)])
def test_what_stands_in_a_class_is_shown_below_the_head_of_the_class(
    heads: tuple[float, ...], first: bool
) -> None:
    bodies = (0.0, 0.0, 0.9, 0.0)

    ladder = build(file_item(""), nested(), Appraisal(bodies, heads, 0.1), frame=FRAME)

    assert ladder.steps[:2] == (Step(0, body=False), Step(2, body=first))
    assert Step(3, body=False) not in ladder.steps


def test_a_stretch_of_a_function_is_shown_below_its_head() -> None:
    whole = Part("function", "f", (1, 2), (1, 1), id="x:f", tokens=30, joined_tokens=30, head_tokens=4)
    later = whole._replace(lines=(3, 9), head=NO_LINES, head_tokens=0)
    split = SplitItem((whole, later, later._replace(lines=(10, 12))), {}, (1, 1, 1))

    ladder = build(file_item(""), split, Appraisal((0.0, 0.0, 0.9), (0.0,) * 3, 0.1), frame=FRAME)

    assert ladder.steps == (Step(0, body=False), Step(2, body=True))


def test_a_pin_in_a_class_is_shown_with_the_head_of_the_class() -> None:
    ladder = build(file_item(""), nested(), Appraisal((0.1,) * 4, (0.05,) * 4, 0.1), frame=FRAME, pinned=[1])

    assert ladder.parts_in(ladder.floor) == {0: False, 1: True}
