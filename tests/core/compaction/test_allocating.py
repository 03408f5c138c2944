"""The parts of an allocation add up to the window, whatever is asked."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satchel import UsageError
from satchel.compaction import allocate
from satchel.compaction.shares import CATEGORIES, LENT

NEEDS = st.fixed_dictionaries({name: st.integers(0, 3_000_000) for name in CATEGORIES})


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(window=st.integers(1, 2_000_000), needs=NEEDS, kept=st.floats(0, 0.99))
def test_the_parts_are_the_window(window: int, needs: dict[str, int], kept: float) -> None:
    margin = int(window * kept)
    made = allocate(window, needs, margin=margin)

    assert margin + sum(made.caps.values()) == window
    assert min(made.caps.values()) >= 0
    assert sum(made.contributors.values()) == made.caps["context"]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(window=st.integers(1_000, 2_000_000), needs=NEEDS)
def test_a_lender_gives_at_most_half_of_what_it_has_free(window: int, needs: dict[str, int]) -> None:
    made = allocate(window, needs)
    for name in CATEGORIES:
        lent = sum(loan.tokens for loan in made.loans if loan.lender == name)
        assert lent <= LENT * max(0, made.caps[name] + lent - needs[name])


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(window=st.integers(1, 2_000_000), needs=NEEDS)
def test_system_neither_lends_nor_borrows(window: int, needs: dict[str, int]) -> None:
    assert all("system" not in (loan.lender, loan.borrower) for loan in allocate(window, needs).loans)


def test_working_files_have_less_as_the_conversation_grows() -> None:
    shares = [
        made.contributors["working files"] / max(1, made.caps["context"])
        for talked in range(0, 100_000, 10_000)
        if (made := allocate(100_000, {"dialog": talked, "context": 90_000}))
    ]

    assert shares == sorted(shares, reverse=True)
    assert shares[0] == pytest.approx(0.40, abs=0.001)


def test_a_window_without_tokens_is_an_error() -> None:
    with pytest.raises(UsageError, match="must have 1 token or more, not 0"):
        allocate(0, {})
