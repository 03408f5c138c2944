"""An output is cut at its budget, and scored by what of the fix stands in it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mined.judging import (
    Score,
    Shown,
    average,
    cut,
    definitions_touched,
    judge,
    lines_touched,
    split_plain,
)
from mined.mining import Gold
from mined.sources import Definition
from tests.core.repositories import recount

SOURCE = (
    "import os\n\n\n"
    "def check(word, limit):\n    return len(word) > limit and word.isalnum()\n\n\n"
    "x = 12345\ny = 2\n"
)
GOLD = (Gold("a.py", (5, 8), (Definition("check", 4, 4, 5),)),)


def judged(*output: Shown) -> Score:
    return judge(output, GOLD, lambda _: SOURCE)


def test_a_whole_file_has_everything() -> None:
    assert judged(Shown("a.py", SOURCE)) == Score(1.0, 1.0, 1.0, 1.0, 1, 1.0)


def test_precision_is_the_share_of_the_lines_shown_that_the_fix_needs() -> None:
    far = "".join(f"far_{number} = {number}\n" for number in range(30))
    gold = (Gold("a.py", (5,), (Definition("check", 4, 4, 5),)),)

    def precision(*output: Shown) -> float | None:
        return judge(output, gold, lambda _: SOURCE + far).precision

    assert precision(Shown("a.py", SOURCE)) == 1
    assert precision(Shown("a.py", "import os\nfar_29 = 29\n"), Shown("b.py", "x = 12345\ny = 2\n")) == 0.25
    assert precision(Shown("a.py", "")) is None


def test_nothing_shown_scores_nothing() -> None:
    assert judged() == Score(0.0, 0.0, 0.0, 0.0, 0)


def test_a_bare_path_is_not_a_file_shown() -> None:
    assert judged(Shown("a.py", "")).file == 0


def test_the_line_of_definition_is_the_symbol() -> None:
    score = judged(Shown("a.py", "def check(word, limit):\n"))

    assert (score.file, score.symbol, score.line) == (1.0, 1.0, 0.0)


def test_a_longer_name_is_another_symbol() -> None:
    assert judged(Shown("a.py", "def checked(word, limit):\n")).symbol == 0


def test_lines_of_another_file_do_not_count() -> None:
    score = judged(Shown("b.py", SOURCE))

    assert (score.file, score.symbol, score.line, score.mrr) == (0.0, 0.0, 0.0, 0.0)


def test_a_short_line_counts_beside_a_neighbour_only() -> None:
    assert judged(Shown("a.py", "x = 12345\n")).line == 0
    assert judged(Shown("a.py", "x = 12345\ny = 2\n")).line == 0.5


def test_marks_and_indents_of_a_map_do_not_hide_a_line() -> None:
    assert (
        judged(
            Shown("a.py", "⋮\n│def check(word, limit):\n│    return len(word) > limit and word.isalnum()")
        ).line
        == 0.5
    )


def test_the_rank_is_that_of_the_first_file_of_the_fix() -> None:
    assert judged(Shown("b.py", "text"), Shown("c.py", ""), Shown("a.py", "text")).mrr == 0.5


def test_a_fix_without_definitions_has_no_symbol_to_find() -> None:
    score = judge([Shown("a.py", SOURCE)], (Gold("a.py", (1,), ()),), lambda _: SOURCE)

    assert score.symbol is None
    assert average([score, Score(0.0, 0.0, 0.0, 0.0, 0)])[1] == 0


def test_an_average_is_over_the_tasks_that_have_the_measure() -> None:
    scores = [Score(1.0, None, 0.5, 1.0, 1), Score(0.0, 1.0, 0.5, 0.0, 0)]

    assert average(scores) == pytest.approx((0.5, 1.0, 0.5, 2 / 3, 0.5))


@pytest.mark.parametrize(
    "line", ["a.py", "## a.py", "File: a.py", "a.py:", '<file path="a.py">', "./a.py", "`a.py`"]
)
def test_plain_text_is_split_at_lines_that_name_a_file(line: str) -> None:
    assert split_plain(f"before\n{line}\none\ntwo", ["a.py", "b.py"]) == [Shown("a.py", "one\ntwo")]


@pytest.mark.parametrize("line", ["see a.py", "a.pyc", "import a.py from b"])
def test_a_line_that_speaks_of_a_file_splits_nothing(line: str) -> None:
    assert split_plain(f"b.py\n{line}", ["a.py", "b.py"]) == [Shown("b.py", line)]


@settings(deadline=None)  # the first count loads the vocabulary
@given(
    st.lists(
        st.builds(Shown, st.sampled_from(("a.py", "b/c.py")), st.text("ab \n", max_size=80)), max_size=5
    ),
    st.integers(0, 60),
)
def test_a_cut_output_is_a_start_of_it_and_fits(output: list[Shown], budget: int) -> None:
    kept = cut(output, budget)
    whole = kept[:-1] if kept else []

    assert whole == output[: len(whole)]
    assert sum(recount(f"{part.path}\n{part.text}\n") for part in whole) <= budget
    assert all(output[len(whole)].text.startswith(part.text) for part in kept[-1:])


def test_an_output_that_fits_is_kept_whole() -> None:
    output = [Shown("a.py", "x = 1\n"), Shown("b.py", "")]

    assert cut(output, 100) == output


def test_what_a_commit_touched_is_shared_out_over_the_lines_of_its_files() -> None:
    gold = (*GOLD, Gold("b.py", (1, 2), ()))

    places = [("a.py", (4, 6)), ("a.py", (7, 9)), ("b.py", (1, 9)), ("c.py", (1, 9))]
    assert [lines_touched(gold, *place) for place in places] == [0.25, 0.25, 0.5, 0]
    assert lines_touched((), *places[0]) == 0


def test_a_definition_is_touched_where_it_begins() -> None:
    gold = (*GOLD, Gold("b.py", (3, 9), (Definition("other", 2, 2, 5),)))

    assert definitions_touched(gold, "a.py", (4, 4)) == definitions_touched(gold, "b.py", (1, 9)) == 0.5
    assert definitions_touched(gold, "a.py", (5, 9)) == definitions_touched((), "a.py", (4, 4)) == 0
