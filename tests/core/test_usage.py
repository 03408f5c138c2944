"""Usage decays with time and never by being looked at."""

from __future__ import annotations

import math

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.session.window.memory import (
    FLOOR,
    HALF_LIFE_SECONDS,
    OFTEN,
    ONCE,
    ItemUsage,
    touch,
    trim_usages,
    weigh_usage,
    weigh_usages,
)

numbers = st.floats(allow_nan=True, allow_infinity=True)
times = st.floats(0, 1e9)
half_lives = st.floats(1, 1e7)
counts = st.integers(1, 10**6)
usages = st.builds(ItemUsage, counts, times)
records = st.dictionaries(st.text("abc", min_size=1, max_size=3), usages, max_size=30)


@given(st.builds(ItemUsage, counts, numbers), numbers, numbers)
def test_it_stays_between_the_floor_and_1_at_any_time(usage: ItemUsage, now: float, half_life: float) -> None:
    assert FLOOR <= weigh_usage(usage, now, half_life) <= 1


@given(usages, times, half_lives, st.integers(0, 1000))
def test_more_uses_never_count_less(usage: ItemUsage, now: float, half_life: float, more: int) -> None:
    oftener = attrs.evolve(usage, count=usage.count + more)

    assert weigh_usage(oftener, now, half_life) >= weigh_usage(usage, now, half_life)


@given(usages, times, half_lives, st.floats(0, 1e8))
def test_time_never_makes_it_count_more(usage: ItemUsage, now: float, half_life: float, later: float) -> None:
    assert weigh_usage(usage, now + later, half_life) <= weigh_usage(usage, now, half_life)


@given(records, times, half_lives)
def test_looking_twice_decays_no_more_than_looking_once(
    record: dict[str, ItemUsage], now: float, half_life: float
) -> None:
    before = dict(record)
    first = weigh_usages(record, now, half_life_seconds=half_life)

    assert weigh_usages(record, now, half_life_seconds=half_life) == first
    assert record == before


@given(usages, times, half_lives)
def test_a_use_never_makes_it_count_less(usage: ItemUsage, now: float, half_life: float) -> None:
    assert weigh_usage(touch(usage, now), now, half_life) >= weigh_usage(usage, now, half_life)


@given(records, times, st.integers(0, 40))
def test_what_is_kept_is_the_strongest_and_no_more_than_allowed(
    record: dict[str, ItemUsage], now: float, most: int
) -> None:
    kept = trim_usages(record, now, half_life_seconds=HALF_LIFE_SECONDS, most=most)
    weakest = min((weigh_usage(usage, now) for usage in kept.values()), default=1.0)

    assert len(kept) == min(most, len(record))
    assert kept.items() <= record.items()
    assert all(weigh_usage(record[id_], now) <= weakest for id_ in record.keys() - kept.keys())


@pytest.mark.parametrize(("half_lives", "expected"), [(0, 1.0), (1, 0.5), (2, 0.25), (3, 0.125), (4, FLOOR)])
def test_it_halves_with_every_half_life(half_lives: int, expected: float) -> None:
    often = ItemUsage(OFTEN, 1_000.0)

    assert weigh_usage(often, 1_000.0 + half_lives * 60, 60.0) == pytest.approx(expected)


def test_one_use_still_counts_after_one_half_life() -> None:
    assert weigh_usage(ItemUsage(1, 0.0), 60.0, 60.0) == pytest.approx(ONCE / 2)


def test_a_hundred_uses_count_no_more_than_twenty() -> None:
    assert weigh_usage(ItemUsage(100, 0.0), 0.0) == weigh_usage(ItemUsage(OFTEN, 0.0), 0.0) == 1.0


def test_what_was_never_used_counts_nothing() -> None:
    assert weigh_usage(ItemUsage(0, 0.0), 0.0) == 0.0


@pytest.mark.parametrize("half_life", [0.0, -5.0, math.nan])
def test_a_half_life_that_is_none_means_the_default(half_life: float) -> None:
    usage = ItemUsage(3, 0.0)

    assert weigh_usage(usage, 900.0, half_life) == weigh_usage(usage, 900.0, HALF_LIFE_SECONDS)


def test_a_clock_that_goes_back_makes_nothing_younger_or_older() -> None:
    used = touch(touch(None, 100.0), 40.0)

    assert used == ItemUsage(2, 100.0)
    assert weigh_usage(used, 40.0) == weigh_usage(used, 100.0)


def test_items_at_the_floor_are_forgotten_too() -> None:
    record = {f"f{at}": ItemUsage(1, float(at)) for at in range(5)}

    assert list(trim_usages(record, 1e9, half_life_seconds=HALF_LIFE_SECONDS, most=2)) == ["f3", "f4"]
