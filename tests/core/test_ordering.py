"""Ordering: small files with one good part are read before large ones that gather as much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import Part
from satchel.packing import precedences
from satchel.plugin_api import Scored

from .texts import file_item


def scored(name: str, *saliences: float, tokens: int = 100, **changes: Any) -> Scored:
    parts = tuple(
        Part("function", f"{name}{at}", (at, at), item=f"file:{name}", tokens=tokens)
        for at in range(1, len(saliences) + 1)
    )
    fields = {"salience": 1.0, "relevance": 1.0} | changes
    item = attrs.evolve(file_item(""), id=f"file:{name}", path=name, relevance=fields["relevance"])
    return Scored(item, parts, saliences, fields["salience"], {})


def early_of(*items: Scored, factors: Sequence[float] = ()) -> Mapping[str, float]:
    lifts = factors or [1.0] * len(items)
    saliences = [one.salience * factor for one, factor in zip(items, lifts, strict=True)]
    return precedences(items, saliences, [one.saliences for one in items])


def first(*items: Scored, factors: Sequence[float] = ()) -> str:
    early = early_of(*items, factors=factors)
    return max(early, key=lambda id_: early[id_])


def test_at_the_same_salience_the_one_with_the_best_part_is_first() -> None:
    assert first(scored("flat", 0.5, 0.5), scored("peaked", 0.9, 0.1)) == "file:peaked"


def test_at_the_same_salience_the_smaller_one_is_first() -> None:
    assert first(scored("large", 0.5, tokens=5_000), scored("small", 0.5, tokens=600)) == "file:small"


def test_what_its_provider_holds_for_less_relevant_is_later() -> None:
    assert first(scored("test", 0.5, relevance=0.4), scored("code", 0.5)) == "file:code"


@pytest.mark.parametrize("times", [2.0, 10.0])
def test_salience_still_counts(times: float) -> None:
    assert first(scored("a", 0.5, salience=1 / times), scored("b", 0.5)) == "file:b"


def test_what_correction_lifts_is_earlier() -> None:
    assert first(scored("a", 0.5), scored("b", 0.5), factors=[1.0, 1.5]) == "file:b"


def test_an_item_without_parts_is_last() -> None:
    assert early_of(scored("empty")) == {"file:empty": 0.0}


@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=9), st.integers(1, 10**6), st.floats(0, 1))
def test_any_item_has_a_place(saliences: list[float], tokens: int, relevance: float) -> None:
    (place,) = early_of(scored("a", *saliences, tokens=tokens, relevance=relevance)).values()

    assert 0 < place < float("inf")
