"""What each level of each gauge makes the guard do, and what it never does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.guarding.worlds import MARGIN, PER_TOKEN, World

from satchel import Event
from satchel.events import GuardActed, GuardRefused, PressureChanged
from satchel.guarding import Actions, Guard, Limits, Reading


def _kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def test_a_calm_window_is_left_alone() -> None:
    world = World()

    assert world.guard().observe(world.reading()) == []


@pytest.mark.parametrize(
    ("share", "done"),
    [
        (0.79, []),
        (0.80, ["compact summaries=True"]),
        (0.90, ["compact summaries=False"]),
        (0.95, ["snapshot", "keep promised"]),
        (1.20, ["snapshot", "keep promised"]),
    ],
)
def test_cells_have_their_column(share: float, done: list[str]) -> None:
    world = World(used=int(share * 32_768) + 1)
    world.guard().observe(world.reading())

    assert world.done == done


@pytest.mark.parametrize(
    ("free", "done"),
    [
        (MARGIN, []),
        (MARGIN - 1, []),
        (MARGIN // 2 - 1, ["reload 30464"]),
        (MARGIN // 8 - 1, ["snapshot", "unload"]),
    ],
)
def test_memory_has_its_column(free: int, done: list[str]) -> None:
    world = World(free=free)
    world.guard().observe(world.reading())

    assert world.done == done


def test_less_than_the_margin_is_told_and_nothing_more() -> None:
    world = World(free=MARGIN - 1)

    assert world.guard().observe(world.reading()) == [
        PressureChanged("memory", "calm", "first", MARGIN - 1, MARGIN)
    ]


def test_a_full_card_never_touches_the_conversation_of_a_small_window() -> None:
    world = World(used=100, free=0)
    world.guard().observe(world.reading())

    assert world.used == 100


def test_a_smaller_window_is_packed_for_before_it_is_loaded() -> None:
    world = World(used=25_000, free=MARGIN // 4)
    world.guard().observe(world.reading())

    assert world.done == ["compact summaries=False", f"reload {world.window}"]
    assert world.used < 0.8 * world.window


def test_a_window_that_would_overflow_is_not_loaded() -> None:
    world = World(used=26_000, free=MARGIN // 4, floor=25_900)
    events = world.guard().observe(world.reading())

    assert world.window == 32_768
    assert isinstance(events[-1], GuardRefused)
    assert "would fill" in events[-1].reason


def test_a_reload_brings_back_the_margin() -> None:
    world = World(free=MARGIN // 4)
    world.guard().observe(world.reading())

    assert world.free >= MARGIN


@pytest.mark.parametrize(("used", "free"), [(32_000, 8 << 30), (100, 0)])
def test_nothing_is_cleared_without_a_verified_snapshot(used: int, free: int) -> None:
    world = World(used=used, free=free, whole=False)
    events = world.guard().observe(world.reading())

    assert world.done == ["snapshot"]
    assert world.used == used
    assert isinstance(events[-1], GuardRefused)


def test_a_snapshot_that_raises_clears_nothing() -> None:
    def broken() -> bool:
        raise OSError("no space left on device")

    guard = Guard(Actions(keep_promised=lambda: 1 // 0, snapshot=broken))
    (_, refused) = guard.observe(Reading(99, 100, None))

    assert isinstance(refused, GuardRefused)
    assert "no space left" in refused.reason


def test_what_nobody_can_do_is_told() -> None:
    events = Guard().observe(Reading(85, 100, 0))

    assert _kinds(events) == ["PressureChanged", "GuardRefused", "PressureChanged", "GuardRefused"]


def test_no_compaction_follows_another_without_new_content() -> None:
    world = World(used=28_000, floor=27_500)
    guard = world.guard()
    guard.observe(world.reading())
    world.now += 1_000
    guard.observe(world.reading())
    assert world.done == ["compact summaries=True"]

    world.used += 100
    world.now += 1_000
    guard.observe(world.reading())
    assert len(world.done) == 2


def test_flapping_memory_fires_once_a_cooldown() -> None:
    world = World()
    guard = world.guard(cooldown_seconds=30.0)
    events: list[Event] = []
    for second in range(60):
        world.now, world.free = float(second), MARGIN - 1 if second % 2 else MARGIN
        events += guard.observe(world.reading())

    assert [event.after for event in events if isinstance(event, PressureChanged)] == ["first", "calm"] * 2


def test_a_worse_level_does_not_wait_for_the_cooldown_of_a_better_one() -> None:
    world = World(used=27_000)
    guard = world.guard()
    guard.observe(world.reading())
    world.used = 32_000
    guard.observe(world.reading())

    assert world.done[-1] == "keep promised"


def test_a_clock_that_goes_back_silences_nothing_for_ever() -> None:
    world = World(used=27_000, now=1_000.0)
    guard = world.guard()
    guard.observe(world.reading())
    world.now, world.used = 0.0, 28_000
    guard.observe(world.reading())

    assert len(world.done) == 2


def test_what_is_not_told_moves_no_gauge() -> None:
    assert Guard().observe(Reading(None, None, None)) == []


STEPS = st.lists(
    st.tuples(st.integers(0, 12_000), st.integers(-(1 << 30), 1 << 30), st.floats(0.1, 40), st.booleans()),
    min_size=1,
    max_size=30,
)


@given(STEPS, st.integers(0, 30_000))
def test_no_action_raises_any_level(steps: list[tuple[int, int, float, bool]], floor: int) -> None:
    world = World(floor=floor)
    guard = world.guard()
    for tokens, memory, seconds, whole in steps:
        world.used, world.free = world.used + tokens, max(0, world.free + memory)
        world.now, world.whole = world.now + seconds, whole
        before = world.levels()
        guard.observe(world.reading())
        assert all(now <= then for now, then in zip(world.levels(), before, strict=True))


@given(STEPS)
def test_each_level_acts_at_most_once_a_cooldown(steps: list[tuple[int, int, float, bool]]) -> None:
    world = World()
    guard = world.guard(cooldown_seconds=30.0)
    times: dict[tuple[str, str], float] = {}
    for tokens, memory, seconds, whole in steps:
        world.used, world.free = world.used + tokens, max(0, world.free + memory)
        world.now, world.whole = world.now + seconds, whole
        for event in guard.observe(world.reading()):
            if isinstance(event, PressureChanged):
                key = (event.gauge, event.after)
                assert world.now - times.get(key, -100.0) >= 30.0
                times[key] = world.now


def test_acted_events_tell_before_and_after() -> None:
    world = World(used=27_000)
    events = world.guard().observe(world.reading())

    assert events[-1] == GuardActed("cells", "compact", 27_000, int(0.6 * 32_768))


def test_the_size_of_a_token_decides_the_smaller_window() -> None:
    world = World(free=MARGIN // 4)
    world.guard().observe(world.reading())

    assert world.window == int(32_768 - MARGIN * 3 / 4 / PER_TOKEN) // 256 * 256


def test_limits_are_the_designs() -> None:
    limits = Limits()

    assert limits.cells == (0.80, 0.90, 0.95)
    assert limits.margins == (1.0, 0.5, 0.125)
