"""Levels under a cap: shares are soft, nothing flaps, the cap is never passed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from satchel.session import Shown, settle_levels


@st.composite
def things(draw: st.DrawFn) -> list[Shown]:
    """Draw things of several kinds, each cheaper from level to level."""
    made = []
    for number in range(draw(st.integers(0, 12))):
        tokens = tuple(sorted(draw(st.lists(st.integers(1, 400), min_size=1, max_size=4)), reverse=True))
        kind = draw(st.sampled_from(["terminal", "diffs", "tasks"]))
        floor = draw(st.integers(0, len(tokens) - 1))
        made.append(Shown(f"{number}", kind, ("x",) * len(tokens), tokens, draw(st.floats(0, 1)), floor))
    return made


def spent(shown: list[Shown], levels: dict[str, int]) -> int:
    """Return what the levels cost."""
    return sum(one.cost(levels[one.id]) for one in shown)


@given(things(), st.integers(0, 2_000))
def test_the_cap_is_never_passed(shown: list[Shown], cap: int) -> None:
    assert spent(shown, settle_levels(shown, cap, {})) <= cap


@given(things(), st.integers(0, 2_000))
def test_the_same_again_changes_no_level(shown: list[Shown], cap: int) -> None:
    levels = settle_levels(shown, cap, {})

    assert settle_levels(shown, cap, levels) == levels


@given(things(), st.integers(0, 2_000), st.floats(0.96, 1.0))
def test_a_cap_that_shrinks_and_comes_back_within_5_percent_promotes_nothing_above(
    shown: list[Shown], cap: int, share: float
) -> None:
    before = settle_levels(shown, cap, {})
    less = settle_levels(shown, int(cap * share), before)

    assert all(level >= before[id_] or spent(shown, less) <= cap * 0.95 for id_, level in less.items())


@given(things(), st.integers(0, 2_000))
def test_nothing_rises_above_its_floor(shown: list[Shown], cap: int) -> None:
    levels = settle_levels(shown, cap, {})

    assert all(levels[one.id] >= one.floor for one in shown)


def test_all_stand_at_their_most_where_there_is_room() -> None:
    shown = [Shown("a", "terminal", ("x", "y"), (100, 10), 0.5), Shown("b", "diffs", ("x",), (50,), 0.1)]

    assert settle_levels(shown, 200, {}) == {"a": 0, "b": 0}


def test_the_kind_that_is_furthest_above_its_share_gives_way_first() -> None:
    shown = [
        Shown("out", "terminal", ("x", "y"), (500, 50), 0.9),
        Shown("edit", "diffs", ("x", "y"), (100, 10), 0.1),
    ]

    assert settle_levels(shown, 400, {}) == {"out": 1, "edit": 0}


def test_the_older_of_a_kind_gives_way_first() -> None:
    shown = [
        Shown(name, "terminal", ("x", "y"), (100, 10), standing)
        for name, standing in (("new", 1.0), ("old", 0.2))
    ]

    assert settle_levels(shown, 130, {}) == {"new": 0, "old": 1}


def test_a_level_comes_back_only_where_5_percent_stay_free() -> None:
    shown = [Shown("a", "terminal", ("x", "y"), (100, 10), 0.5)]

    assert settle_levels(shown, 102, {"a": 1}) == {"a": 1}
    assert settle_levels(shown, 106, {"a": 1}) == {"a": 0}
    assert settle_levels(shown, 102, {"a": 0}) == {"a": 0}
