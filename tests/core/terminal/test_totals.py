"""The block of totals at the end of an output is shown whole."""

from __future__ import annotations

import pytest

from .worths import values

STEPS = [f"    # Subtest: case {chr(97 + at % 26)}{chr(97 + at // 26)} of the basket" for at in range(300)]


@pytest.mark.parametrize(
    "totals",
    [
        ("# tests 365", "# suites 26", "# pass 359", "# fail 2", "# cancelled 3", "# todo 1"),
        ("0 errors", "34 warnings", "9 informationals"),
        ("    Low: 51", "    Medium: 7", "    High: 9"),
        ("Files checked:   212", "Lines of code:   13,956"),
    ],
)
def test_each_line_of_the_totals_is_worth_showing(totals: tuple[str, ...]) -> None:
    worths = values(*STEPS, *totals, "done")

    assert all(worths[line] >= 56 for line in totals)


def test_counts_in_the_middle_are_no_totals() -> None:
    worths = values(*STEPS[:150], "0 rows", "12 rows", *STEPS[150:])

    assert worths["12 rows"] < 56


def test_a_long_table_of_counts_is_no_block_of_totals() -> None:
    rows = [f"{name} {at * 17}" for at, name in enumerate(("ash", "elm", "oak", "fir", "yew") * 5)]

    worths = values(*STEPS, *rows)

    assert worths[rows[3]] < 56
