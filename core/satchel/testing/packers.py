"""The contract of packers: budget, pins and order, for candidates that hypothesis makes up."""

# ruff: noqa: S101 - these are tests, though they ship with satchel
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from satchel.errors import BudgetError
from satchel.host import Kind
from satchel.items import Candidate, Level, Option, Selection
from satchel.testing.plugins import PluginContract

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


class PackerContract(PluginContract):
    """A packer keeps the budget and the pins, whatever the candidates and their order."""

    kind = Kind.PACKER

    def packed(self, candidates: Sequence[Candidate], budget: int) -> Selection | None:
        """Return a new instance's choice, None where the pins alone cost more than the budget."""
        try:
            selection: Selection = self.plugin().pack(tuple(candidates), budget)
        except BudgetError:
            floors = [min(o.tokens for o in c.options[c.floor :]) for c in candidates if c.pinned]
            assert sum(floors) > budget, "the pins do fit"
            return None
        return selection

    def test_nothing_is_chosen_of_nothing(self) -> None:
        """No candidates, no choice."""
        selection = self.packed((), 1_000)

        assert selection is not None
        assert not selection.choices

    def test_everything_is_chosen_where_everything_fits(self) -> None:
        """A budget that holds everything gets everything."""
        candidates = [_candidate(place, (10, 20, 40)) for place in range(20)]
        selection = self.packed(candidates, 20 * 40)

        assert selection is not None
        assert dict(selection.choices) == {candidate.id: 2 for candidate in candidates}

    def test_budget_and_pins_are_kept_and_order_does_not_matter(self) -> None:
        """Property: for any candidates and any budget."""
        pytest.importorskip("hypothesis")
        from hypothesis import given, settings
        from hypothesis.strategies import integers

        @settings(max_examples=100, deadline=None, database=None)
        @given(_candidates(), integers(0, 3_000))
        def check(candidates: list[Candidate], budget: int) -> None:
            selection = self.packed(candidates, budget)
            again = self.packed(candidates[::-1], budget)

            assert (selection and dict(selection.choices)) == (again and dict(again.choices))
            if selection is not None:
                _check_selection(selection, candidates, budget)

        check()


def _check_selection(selection: Selection, candidates: Sequence[Candidate], budget: int) -> None:
    known = {candidate.id: candidate for candidate in candidates}
    assert set(selection.choices) <= set(known)
    tokens = sum(known[id_].options[index].tokens for id_, index in selection.choices.items())
    assert tokens == selection.tokens <= budget
    for candidate in candidates:
        if candidate.pinned:
            assert candidate.floor <= selection.choices[candidate.id] < len(candidate.options)


def _candidate(place: int, sizes: Sequence[int]) -> Candidate:
    options = [Option(Level.EXCERPT, size, float(step + 1)) for step, size in enumerate(sizes)]
    return Candidate(f"item-{place:03}", place, "file", options)


def _candidates() -> SearchStrategy[list[Candidate]]:
    """Make lists of candidates of one to five options, some of them pinned."""
    from hypothesis import strategies as st

    steps = st.lists(st.tuples(st.integers(1, 200), st.integers(0, 50)), min_size=1, max_size=5)
    facts = st.tuples(steps, st.integers(0, 5), st.booleans(), st.integers(0, 4))
    return st.lists(facts, max_size=15).map(
        lambda rows: [_drawn(place, row) for place, row in enumerate(rows)]
    )


def _drawn(place: int, row: tuple[list[tuple[int, int]], int, bool, int]) -> Candidate:
    steps, position, unpinned, floor = row
    tokens, worth, options = 0, 0.0, []
    for more, gain in steps:
        tokens, worth = tokens + more, worth + gain / 10
        options.append(Option(Level.EXCERPT, tokens, worth))
    pinned = not unpinned and place % 5 == 0
    return Candidate(
        f"item-{place:03}", position, "file", options, pinned=pinned, floor=min(floor, len(options) - 1)
    )
