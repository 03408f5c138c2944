"""The largest window that fits: properties over memory, windows and cards."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel import Card, Sizing, UsageError
from satchel.sizing import ModelShape, Run, kind_of, shape_of, size_header, usage_of
from satchel.sizing.fitting import bytes_per_token, fits, largest
from satchel.sizing.sizing import choices, default_margin

from .headers import header_of, measured

NAMES = ("cohere2", "lfm2", "phi2", "mamba2", "gpt2", "qwen2moe")
SIZES = st.integers(200 << 20, 30 << 30)


@cache
def shape(name: str) -> ModelShape:
    return shape_of(header_of(measured()[name]))


@cache
def window(name: str, free: int) -> int:
    return largest(shape(name), Run(0), [Card(free)])


def answer(name: str, run: Run, *cards: Card) -> Sizing:
    return size_header(name, header_of(measured()[name]), run, cards=cards)


@given(st.sampled_from(NAMES), SIZES, SIZES)
@settings(max_examples=examples(40), deadline=None)
def test_more_memory_never_gives_a_smaller_window(name: str, first: int, second: int) -> None:
    less, more = sorted((first, second))

    assert window(name, less) <= window(name, more)


@given(st.sampled_from(NAMES), SIZES, SIZES, st.integers(0, 2 << 30), st.integers(1, 3))
@settings(max_examples=examples(25), deadline=None)
def test_more_memory_on_several_cards_never_gives_a_smaller_window(
    name: str, free: int, more: int, margin: int, slots: int
) -> None:
    run = Run(0, slots=slots, shares=(1.0, 1.0))
    held, freed, grown = Card(free, margin), Card(free), Card(free + more)

    windows = [largest(shape(name), run, [one, one]) for one in (held, freed, grown)]

    assert windows == sorted(windows)


@given(st.sampled_from(NAMES), SIZES)
@settings(max_examples=examples(25), deadline=None)
def test_the_window_fits_and_the_next_one_does_not(name: str, free: int) -> None:
    known, found = shape(name), window(name, free)

    if found:
        assert fits(usage_of(known, Run(found)), [Card(free)])
    if found + 256 <= known.trained_context:
        assert not fits(usage_of(known, Run(found + 256)), [Card(free)])


@given(st.sampled_from(NAMES), st.integers(512, 200_000), st.integers(1, 100_000))
@settings(max_examples=examples(40), deadline=None)
def test_a_larger_window_never_takes_less_memory(name: str, context: int, more: int) -> None:
    known = shape(name)

    small, large = usage_of(known, Run(context)), usage_of(known, Run(context + more))

    assert large.together.cache >= small.together.cache
    assert large.together.total >= small.together.total


def test_a_margin_is_held_back_on_each_card() -> None:
    card = Card(4 << 30, default_margin(4 << 30))

    found = answer("cohere2", Run(0), card)

    assert found.usage.cards[0].total <= card.free_bytes - (512 << 20) - (4 << 30) // 100
    assert (found.limited_by, found.fits) == ("memory", True)


def test_what_limits_the_window_is_told() -> None:
    assert answer("gpt2", Run(0), Card(80 << 30)).limited_by == "trained"
    assert answer("gpt2", Run(0), Card(80 << 30)).run.context == 1024
    assert answer("gpt2", Run(512)).limited_by == "user"


def test_what_does_not_fit_is_told_with_the_shortfall_and_what_does() -> None:
    found = answer("cohere2", Run(131_072), Card(4 << 30))

    assert not found.fits
    assert found.short_bytes == found.usage.cards[0].total - (4 << 30)
    assert found.nearest is not None
    assert found.nearest.context >= 4096


def test_no_window_at_all_is_an_answer_too() -> None:
    found = answer("cohere2", Run(0), Card(1 << 20))

    assert not found.fits
    assert found.short_bytes > 1 << 30


@pytest.mark.weekly
def test_cards_are_filled_by_their_share_and_never_summed() -> None:
    found = answer("exaone4-64", Run(0), Card(24 << 30), Card(12 << 30))

    assert found.fits
    assert found.usage.cards[0].weights > 1.5 * found.usage.cards[1].weights
    assert all(
        memory.total <= card.usable for memory, card in zip(found.usage.cards, found.cards, strict=True)
    )


def test_a_token_costs_what_its_keys_and_values_do() -> None:
    # phi-2: 32 heads of 80 values, keys and values in two bytes, six layers
    assert bytes_per_token(shape("phi2"), Run(4096)) == 2 * 2 * 32 * 80 * 6


@pytest.mark.weekly
def test_smaller_caches_and_fewer_layers_leave_longer_windows() -> None:
    ways = list(choices(shape("cohere2"), Run(0), [Card(4 << 30)]))

    assert [way.context for way in ways[:3]] == sorted(way.context for way in ways[:3])
    assert ways[0].gpu_layers > ways[-1].gpu_layers


@pytest.mark.parametrize(
    ("name", "run", "reason"),
    [
        ("deepseek3", Run(4096, kind_of("q8_0"), kind_of("f16")), "need one cache type"),
        ("phi2", Run(4096, kind_of("q8_0"), kind_of("q8_0")), "heads of 80 values as q8_0"),
        ("gpt2", Run(4096, value_kind=kind_of("q8_0"), flash_attention=False), "flash attention on"),
        ("gpt2", Run(2, slots=3), "3 slots need"),
        ("gpt2", Run(4096, slots=0), "slots, not 0"),
    ],
)
def test_what_the_engine_refuses_is_refused(name: str, run: Run, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        usage_of(shape(name), run)
