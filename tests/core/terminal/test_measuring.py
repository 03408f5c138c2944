"""Lines whose numbers stand far apart from those of lines like them are found and shown."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import squeeze
from satchel.output.folding import find_outlying_lines

MILLISECONDS = [f"GET /orders/{at} took {20 + at * 7 % 31} ms" for at in range(200)]


def places(lines: list[str]) -> list[int]:
    return [at for at, _ in find_outlying_lines(lines)]


def test_a_number_far_above_all_others_stands_apart() -> None:
    lines = [*MILLISECONDS]
    lines[120] = "GET /orders/120 took 30412 ms"

    assert places(lines) == [120]


def test_a_number_far_below_all_others_stands_apart() -> None:
    lines = [f"{at} free={9000 + at * 37 % 800} used={at % 9}" for at in range(60)]
    lines[41] = "41 free=12 used=3"

    assert places(lines) == [41]


def test_a_column_is_known_by_its_label_wherever_it_stands() -> None:
    lines = [f"{'scan' * (1 + at % 3)} of t{at}  (cost={at}.5 rows={100 + at % 40})" for at in range(40)]
    lines[33] = "sort of everything  (cost=3.5 rows=48211733)"

    assert places(lines) == [33]


@pytest.mark.parametrize(
    "line",
    [
        "2026-03-14 10:{at:02}:07 started",
        "10.0.{at}.{big} connected",
        "release 1.{at}.{big} built",
        "commit {big}abc{at}",
    ],
)
def test_times_addresses_and_versions_are_no_measures(line: str) -> None:
    lines = [line.format(at=at, big=90_000 if at == 30 else at % 7) for at in range(60)]

    assert not places(lines)


def test_what_counts_up_has_no_outlier() -> None:
    assert not places([f"step {at} of 900 done" for at in range(900)])


def test_many_big_numbers_are_a_kind_of_their_own() -> None:
    assert not places([f"size {9_000_000 if at % 5 == 0 else 3 + at % 4}" for at in range(100)])


@given(st.lists(st.text(max_size=60), max_size=60))
def test_any_lines_can_be_measured(lines: list[str]) -> None:
    found = find_outlying_lines(lines)

    assert all(ratio >= 1 and 0 <= at < len(lines) for at, ratio in found)
    assert [ratio for _, ratio in found] == sorted((ratio for _, ratio in found), reverse=True)


def test_a_row_that_differs_in_a_number_only_is_shown(tmp_path: Path) -> None:
    dice = random.Random(4)
    rows = [f"{at},eu,paid,{dice.randint(900, 9_999)},1" for at in range(1, 900)]
    rows[611] = "612,eu,paid,4711000,1"

    squeezed = squeeze("\n".join(rows), command="sqlite3 -csv shop.db", store=tmp_path)

    assert "612,eu,paid,4711000,1" in squeezed.text
    assert squeezed.tokens < 700


@pytest.mark.weekly
def test_a_long_log_keeps_the_slow_request_behind_its_first_lines(tmp_path: Path) -> None:
    lines = [f"GET /orders took {20 + at * 7 % 31} ms" for at in range(30_000)]
    lines[25_000] = "GET /orders took 930412 ms"

    assert "930412 ms" in squeeze("\n".join(lines), store=tmp_path).text
