"""Lines are chosen so that budgets are filled, and a larger one shows what a smaller one shows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from satchel.terminal.choosing import stepped
from satchel.terminal.choosing.layout import Layout, Spending
from satchel.terminal.folding import Folder
from satchel.terminal.templates import template


def layout(text: str) -> Layout:
    folder = Folder()
    folder.feed(text.split("\n"))
    folded = folder.folded()
    return Layout(folded, [template(line.text) for line in folded.lines], [])


def test_what_does_not_fit_a_step_waits_for_what_fits() -> None:
    made = layout("\n".join(["start", "some word " * 115, "end"]))

    order, totals = stepped([1, 0, 2], made, frame=20)

    assert order == [0, 2, 1]
    assert totals[1] <= 140 < totals[2]


@given(st.permutations(range(12)))
def test_an_order_loses_nothing_and_its_last_total_is_what_all_costs(wanted: list[int]) -> None:
    made = layout("\n".join(f"{'word ' * (7 * at)}line {chr(97 + at)}" for at in range(12)))

    order, totals = stepped(wanted, made, frame=20)
    spending = Spending(made, 20)

    assert sorted(order) == sorted(wanted)
    assert totals == [spending.add(place) for place in order]


def test_lines_of_marks_alone_need_no_mark_where_they_are_left_out() -> None:
    made = layout("one\n  |   ^^^^\n--- \ntwo")

    assert made.text([0, 3]) == "one\ntwo\n"
    assert made.gaps([0, 3]) == []


def test_the_count_of_a_block_is_told_at_its_first_line() -> None:
    made = layout("\n".join(["begin alpha", "end beta", "between"] * 5))

    text = made.text([0, 1])

    assert text.startswith("begin alpha [x5]\nend beta\n")
