"""What holds for every strategy, whatever the candidates are."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from satchel import BudgetError, Candidate, Packer
from satchel.plugin_api import allowed
from satchel.selecting import select
from satchel_plugins.packers import PACKERS, Compression, HybridPacker, Recent, RelevancePacker

from .strategies import bound, candidates, full_tokens, workspace

BUDGETS = st.integers(0, 2000)
every_packer = pytest.mark.parametrize(
    "packer",
    [*(later.load()() for later in PACKERS), Compression(newest=0.0, factor=0.0)],
    ids=lambda packer: packer.name,
)
relaxed = settings(deadline=None, max_examples=examples(80))


def _pin_cost(drawn: list[Candidate]) -> int:
    return sum(item.options[item.floor].tokens for item in drawn if item.pinned)


@every_packer
@relaxed
@given(drawn=candidates(), budget=BUDGETS)
def test_budget_and_pins_are_kept_or_the_pins_cost_too_much(
    packer: Packer, drawn: list[Candidate], budget: int
) -> None:
    cost = _pin_cost(drawn)

    if cost > budget:
        with pytest.raises(BudgetError):
            packer.pack(drawn, budget)
        return
    selection = select(packer, drawn, budget)

    assert selection.tokens <= budget
    assert all(selection.choices[item.id] in allowed(item) for item in drawn if item.pinned)


@every_packer
@relaxed
@given(drawn=candidates(), budget=BUDGETS, seed=st.integers(0, 99))
def test_the_order_of_the_candidates_changes_nothing(
    packer: Packer, drawn: list[Candidate], budget: int, seed: int
) -> None:
    shuffled = random.Random(seed).sample(drawn, len(drawn))
    budget += _pin_cost(drawn)

    assert packer.pack(shuffled, budget) == packer.pack(drawn, budget)


@every_packer
@relaxed
@given(drawn=candidates(), budget=BUDGETS, more=st.lists(st.integers(0, 40), min_size=8, max_size=8))
def test_more_budget_never_lowers_the_kept_worth(
    packer: Packer, drawn: list[Candidate], budget: int, more: list[int]
) -> None:
    start = _pin_cost(drawn) + budget % (full_tokens(drawn) + 1)
    budgets = [start + sum(more[:count]) for count in range(len(more))]

    worths = [select(packer, drawn, size).worth for size in budgets]

    assert all(after >= before - 1e-9 for before, after in itertools.pairwise(worths))


@every_packer
@relaxed
@given(drawn=candidates())
def test_a_budget_that_holds_everything_gets_everything(packer: Packer, drawn: list[Candidate]) -> None:
    selection = select(packer, drawn, full_tokens(drawn))

    assert selection.tokens == full_tokens(drawn)


@pytest.mark.parametrize(
    "packer", [HybridPacker(), Recent(), RelevancePacker()], ids=lambda packer: packer.name
)
@relaxed
@given(drawn=candidates(pins=False), budget=BUDGETS)
def test_no_first_option_that_fits_is_left_out(packer: Packer, drawn: list[Candidate], budget: int) -> None:
    selection = select(packer, drawn, budget)
    room = budget - selection.tokens

    out = [item for item in drawn if item.options and item.id not in selection.choices]
    assert all(item.options[0].tokens > room for item in out)


@every_packer
@pytest.mark.parametrize("budget", [1000, 4000, 32_000, 200_000])
def test_at_least_97_percent_is_used_where_candidates_can_fill_it(packer: Packer, budget: int) -> None:
    selection = select(packer, workspace(1000, 1), budget)

    assert selection.tokens >= 0.97 * budget


@pytest.mark.parametrize(("n", "gap"), [(100, 0.015), (1000, 0.001)])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.6])
@pytest.mark.parametrize("seed", range(5))
def test_worth_is_close_to_the_bound_of_the_relaxation(n: int, gap: float, share: float, seed: int) -> None:
    drawn = workspace(n, seed)
    most = bound(drawn, int(share * full_tokens(drawn)))

    worth = select(HybridPacker(), drawn, int(share * full_tokens(drawn))).worth

    assert most * (1 - gap) <= worth <= most * (1 + 1e-9)
