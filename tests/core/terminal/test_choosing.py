"""Lines are chosen so that budgets are filled, and a larger one shows what a smaller one shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.output import LineFolding, OutputCut
from satchel.output.choosing import Spending, step_through
from satchel.output.layout import FILLED, FILLED_SMALL, Entries, Layout
from satchel.output.marks import BARE, FULL, Gap, Name
from satchel.output.templates import template
from satchel.tokens import guess


def made(text: str, names: list[Name] | None = None) -> tuple[Layout, Entries]:
    folding = LineFolding()
    folding.feed(text.split("\n"))
    folded = folding.finish()
    entries = Entries(folded.lines, names or [], guess)
    return Layout(folded, [template(line.text) for line in folded.lines], entries), entries


def steps(text: str, values: list[float]) -> list[tuple[int, int]]:
    layout, entries = made(text)
    spending = Spending(layout, entries, frame=20)
    return list(step_through(range(len(values)), values, entries, spending))


def test_the_tokens_of_a_line_are_guessed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    guessed: list[str] = []
    monkeypatch.setattr("satchel.output.layout.guess", lambda text: guessed.append(text) or guess(text))

    steps("\n".join(f"task {word} failed" for word in ("one", "two", "three")), [70.0, 60.0, 50.0])

    assert sorted(guessed) == ["task one failed", "task three failed", "task two failed"]


def test_what_does_not_fit_a_step_waits_for_what_fits() -> None:
    taken = steps("\n".join(["start", "some word " * 115, "end"]), [50.0, 70.0, 50.0])

    assert [entry for entry, _ in taken] == [0, 2, 1]
    assert taken[1][1] <= 120 < taken[2][1]


def test_what_says_nothing_new_comes_after_what_does() -> None:
    text = "disk sda failed again\n\nx\n\ndisk sda failed again\n\nx\n\nport eth7 failed again"

    order = [entry for entry, _ in steps(text, [60.0, 0.0, 60.0, 0.0, 60.0])]

    assert order.index(4) < order.index(2)


@given(st.permutations(range(12)))
def test_an_order_loses_nothing_and_its_last_total_is_what_all_costs(wanted: list[int]) -> None:
    text = "\n".join(f"{'word ' * (7 * at)}line {chr(97 + at)}" for at in range(12))
    layout, entries = made(text)

    taken = steps(text, [40.0 + 2 * at for at in wanted])
    spending = Spending(layout, entries, frame=20)

    assert sorted(entry for entry, _ in taken) == list(range(12))
    assert [total for _, total in taken] == [spending.add(entry) for entry, _ in taken]


def test_a_gap_that_costs_no_more_than_its_mark_is_filled() -> None:
    texts = ["the ledger was opened by hand", "Traceback (most recent call last):", "KeyError: third column"]
    layout, _ = made("\n".join(texts))

    assert layout.text([0, 2], FULL, filled=FILLED) == "\n".join([*texts, ""])
    assert layout.text([0, 2], FULL, filled=FILLED_SMALL) == f"{texts[0]}\n[… line 2]\n{texts[2]}\n"
    assert [layout.gaps([0, 2], filled=most) for most in (FILLED, FILLED_SMALL)] == [[], [Gap(2, 2, 1)]]


def test_a_line_that_stands_elsewhere_word_for_word_gives_way() -> None:
    folding = LineFolding()
    folding.feed(["KeyError: " + "the third column of the ledger " * 8, "", "dull words here", ""] * 30)
    folded = folding.finish()
    values = [70.0 if line.text.startswith("KeyError") else 1.0 for line in folded.lines]
    made = OutputCut(folded, folded.templates(), values, tokens=4_000, count=guess)

    shown = made.within(3_000, exit_code=None, hash_="").text

    assert values.count(70.0) == 30
    assert 1 <= shown.count("KeyError") < 15


def test_what_a_build_tells_again_at_its_end_gives_way() -> None:
    said = "ERROR: could not find a version of the ledger that satisfies the requirement"
    layout, entries = made(f"#9 21.41 {said}\n21.42 {said}\n{said[7:].upper().replace(' ', 'S ')}\n")
    spending = Spending(layout, entries, frame=0)

    order = [entry for entry, _ in step_through(range(3), [70.0, 70.0, 60.0], entries, spending)]

    assert order == [0, 2, 1]


def test_short_marks_tell_how_many_lines_are_left_out() -> None:
    layout, _ = made("\n".join(f"line {chr(97 + at)} has some words" for at in range(9)))

    assert layout.text([0, 8]).splitlines()[1] == "[… lines 2-8]"
    assert layout.text([0, 8], BARE).splitlines()[1] == "[… 7 lines]"


def test_names_follow_the_lines() -> None:
    layout, _ = made("one\ntwo", [Name("src/a.py", 50.0, 4), Name("two", 50.0, 1)])

    assert layout.text([0, 1, 2, 3]) == "one\ntwo\n[also: src/a.py]\n"


def test_lines_of_marks_alone_need_no_mark_where_they_are_left_out() -> None:
    layout, _ = made("one\n  |   ----\n--- \ntwo")

    assert layout.text([0, 3]) == "one\ntwo\n"
    assert layout.gaps([0, 3]) == [Gap(2, 3, lines=0)]
    assert not layout.has_gaps([0, 3])


def test_the_count_of_a_block_is_told_at_its_first_line() -> None:
    layout, _ = made("\n".join(["begin alpha", "end beta", "between"] * 5))

    text = layout.text([0, 1])

    assert text.startswith("begin alpha [x5]\nend beta\n")


def test_lines_that_differ_in_an_address_of_a_network_are_not_counted_as_one() -> None:
    layout, _ = made(
        "\n".join(f"cell {at:02d}:0{at}:05:{letter}{letter}:4d" for at, letter in enumerate("abcdef"))
    )

    assert "[x" not in layout.text([0])


def test_lines_that_differ_in_an_address_of_memory_are_counted() -> None:
    layout, _ = made("\n".join(f"block {at} at 0x{letter * 2}" for at, letter in enumerate("abcdef")))

    assert layout.text([0]).startswith("block 0 at 0xaa [x6]\n")
