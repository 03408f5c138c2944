"""What the strategies choose, case by case."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel import BudgetError, Candidate, Level, Option, SatchelError
from satchel_plugins.packers import PACKERS, Compression, HybridPacker, Recent, RelevancePacker

from .strategies import best_worth, candidate, candidates


def chosen(drawn: list[Candidate], budget: int) -> Mapping[str, int]:
    return HybridPacker().pack(drawn, budget).choices


@settings(deadline=None, max_examples=examples(300))
@given(drawn=candidates(most=6, pins=False), budget=st.integers(0, 700))
def test_of_few_candidates_the_selection_is_the_optimum(drawn: list[Candidate], budget: int) -> None:
    assert HybridPacker().pack(drawn, budget).worth == pytest.approx(best_worth(drawn, budget))


def test_twenty_relevant_files_are_kept_among_two_thousand_scraps() -> None:
    files = [candidate(f"file{n:02}", (1500, 0.9 * 1500**0.5)) for n in range(20)]
    scraps = [candidate(f"scrap{n:04}", (20, 0.02 * 20**0.5)) for n in range(2000)]

    kept = chosen(scraps + files, 32_000)

    assert {item.id for item in files} <= kept.keys()


def test_what_does_not_fit_in_full_is_shown_in_less_detail() -> None:
    assert chosen([candidate("big", (10, 1.0), (990, 200.0))], 500) == {"big": 0}


def test_an_option_below_the_hull_is_taken_where_the_next_hull_point_does_not_fit() -> None:
    dented = candidate("dented", (100, 1.0), (400, 1.0), (500, 50.0))

    assert chosen([dented], 600) == {"dented": 1}


def test_the_next_candidate_gets_its_turn_after_one_that_does_not_fit() -> None:
    many = [candidate(f"c{n:03}", (10, 1.0)) for n in range(150)]

    kept = chosen([candidate("huge", (5000, 5000.0)), *many], 100)

    assert len(kept) == 10


def test_a_step_that_will_never_fit_keeps_no_other_out() -> None:
    huge = candidate("huge", (150, 200.0))
    long, fitting = candidate("long", (60, 60.0), (260, 10.0)), candidate("fitting", (40, 30.0))
    drawn = [attrs.evolve(one, kind="exchange") for one in (huge, long, fitting)]

    assert chosen(drawn, 100) == {"long": 0, "fitting": 0}


def test_ties_go_to_the_newest_and_then_by_id() -> None:
    old, new = candidate("a", (10, 1.0), position=1), candidate("z", (10, 1.0), position=2)
    same = [candidate(name, (10, 1.0)) for name in ("y", "x", "w")]

    assert set(chosen([old, new], 10)) == {"z"}
    assert set(chosen(same, 20)) == {"w", "x"}


def test_what_is_worth_nothing_fills_the_room_that_is_left() -> None:
    assert chosen([candidate("good", (10, 1.0)), candidate("filler", (20, 0.0))], 30) == {
        "good": 0,
        "filler": 0,
    }


def test_a_candidate_without_options_is_left_out() -> None:
    assert chosen([Candidate("empty", 0, "file", ())], 100) == {}


def test_a_negative_budget_holds_nothing() -> None:
    assert HybridPacker().pack([candidate("c", (1, 1.0))], -5).tokens == 0


def test_pins_beyond_the_budget_are_listed_with_what_they_cost() -> None:
    dear = attrs.evolve(candidate("dear", (10, 1.0), (90, 1.0)), pinned=True, floor=1)
    cheap = attrs.evolve(candidate("cheap", (7, 1.0)), pinned=True)

    with pytest.raises(BudgetError) as caught:
        HybridPacker().pack([dear, cheap, candidate("other", (1, 9.0))], 50)

    assert sorted(caught.value.costs) == [("cheap", 7), ("dear", 100)]


def test_a_pin_is_upgraded_like_the_others() -> None:
    pin = attrs.evolve(candidate("pin", (10, 0.0), (20, 5.0)), pinned=True)

    assert chosen([pin], 30) == {"pin": 1}


def test_a_pin_whose_floor_is_above_its_options_is_an_error() -> None:
    pin = attrs.evolve(candidate("pin", (10, 1.0)), pinned=True, floor=1)

    with pytest.raises(SatchelError, match="pin: pinned, but no option"):
        HybridPacker().pack([pin], 100)


def test_compression_shows_more_things_in_less_detail() -> None:
    ladder = (Option(Level.SYMBOLS, 20, 5.0), Option(Level.FULL, 100, 25.0))
    drawn = [Candidate(f"c{n:02}", n, "file", ladder) for n in range(40)]

    kept, compressed = HybridPacker().pack(drawn, 1060), Compression().pack(drawn, 1060)

    assert len(compressed.choices) > 2 * len(kept.choices)
    assert [n for n in range(40) if compressed.choices.get(f"c{n:02}") == 1] == [37, 38, 39]


def test_compression_without_a_discount_is_hybrid() -> None:
    drawn = [candidate(f"c{n}", (10 + n, 1.0), (50, 3.0), position=n) for n in range(150)]

    assert Compression(factor=1.0).pack(drawn, 3000) == HybridPacker().pack(drawn, 3000)


@pytest.mark.parametrize("setting", [{"newest": 1.5}, {"factor": -0.1}])
def test_a_share_outside_0_to_1_is_refused(setting: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Compression(**setting)


def test_the_strategies_differ_in_the_weights_of_the_scores() -> None:
    assert [make.name for make in PACKERS] == ["hybrid", "relevance", "recent", "compression"]
    assert (dict(RelevancePacker.weights), dict(Recent.weights)) == (
        {"recency": 0.0, "position": 0.0},
        {"recency": 1.0, "position": 1.0, "*": 0.0},
    )
    assert not HybridPacker.weights
    assert not Compression.weights
