"""What satchel computes against what the engine sets aside, byte for byte."""

from __future__ import annotations

import pytest

from satchel.sizing import shape_of, usage_of

from .headers import header_of, measured, run_of

MODELS = measured()
NEARLY = frozenset({"falcon-h1", "minicpm3", "qwen3next"})
"""Models for which work moves between card and host; their memory is right to a percent."""


@pytest.mark.parametrize("name", MODELS)
def test_weights_and_caches_are_the_engines(name: str) -> None:
    shape = shape_of(header_of(MODELS[name]))

    for words, card, host in MODELS[name]["runs"]:
        usage = usage_of(shape, run_of(words))
        cards = [[memory.weights, memory.cache] for memory in usage.cards]
        assert cards == ([card[:2]] if card else []), words
        assert [usage.host.weights, usage.host.cache] == host[:2], words


@pytest.mark.parametrize("name", sorted(MODELS.keys() - NEARLY))
def test_compute_buffers_are_the_engines(name: str) -> None:
    shape = shape_of(header_of(MODELS[name]))

    for words, card, host in MODELS[name]["runs"]:
        usage = usage_of(shape, run_of(words))
        assert usage.problems == ()
        assert [memory.compute for memory in usage.cards] == ([card[2]] if card else []), words
        assert usage.host.compute == host[2], words


@pytest.mark.weekly
@pytest.mark.parametrize("name", sorted(NEARLY))
def test_a_buffer_between_card_and_host_is_nearly_the_engines(name: str) -> None:
    shape = shape_of(header_of(MODELS[name]))

    for words, card, _ in MODELS[name]["runs"]:
        if card:
            assert usage_of(shape, run_of(words)).cards[0].total == pytest.approx(sum(card), rel=0.01)
