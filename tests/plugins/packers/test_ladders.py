"""The hull that a ladder is climbed along."""

from __future__ import annotations

import math

import pytest

from satchel_plugins.packers.climbing import density, hull


@pytest.mark.parametrize(
    ("tokens", "worths", "path"),
    [
        ([0, 10, 20], [0, 1, 3], [2]),
        ([0, 10, 20], [0, 2, 3], [2, 1]),
        ([0, 10, 20], [0, 1, 2], [2, 1]),
        ([0, 10, 20], [0, 2, 1], [1]),
        ([0, 10, 10, 20], [0, 1, 2, 2.5], [3, 2]),
        ([0, 10, 10, 20], [0, 0, 0, 1], [3]),
        ([0, 0, 5], [0, 1, 2], [2, 1]),
        ([0], [0], []),
    ],
)
def test_hull_is_the_way_up_that_is_steepest_at_every_point(
    tokens: list[int], worths: list[float], path: list[int]
) -> None:
    assert hull(tokens, worths, 0, len(tokens)) == path


def test_hull_starts_at_the_rung_it_is_given_and_ends_before_the_stop() -> None:
    assert hull([0, 1, 2, 9, 10], [0, 9, 9, 10, 99], 1, 4) == [3]


def test_what_costs_nothing_comes_first() -> None:
    assert density(0.0, 0) == math.inf
