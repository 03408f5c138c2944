"""The lazy greedy takes what a greedy takes that weighs everything anew at each step."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from satchel.plugin_api import LazyGreedy

WORDS = st.lists(st.frozensets(st.sampled_from("abcdefgh"), min_size=1), max_size=12)


class Cover:
    """Sets of letters, each worth those that none before it had, for one token more than its place."""

    def __init__(self, sets: list[frozenset[str]]) -> None:
        self.sets = sets
        self.told: set[str] = set()

    def density(self, at: int) -> float | None:
        new = len(self.sets[at] - self.told)
        return new / (at + 1) if new else None


@given(WORDS)
def test_takes_what_weighing_everything_at_each_step_takes(sets: list[frozenset[str]]) -> None:
    slow, expected = Cover(sets), []
    while left := [(-now, at) for at in range(len(sets)) if (now := slow.density(at)) is not None]:
        expected.append(min(left)[1])
        slow.told |= sets[expected[-1]]

    cover, taken = Cover(sets), []
    for at in LazyGreedy(cover.density, range(len(sets))):
        taken.append(at)
        cover.told |= sets[at]

    assert taken == expected


def test_what_became_denser_is_taken_in_its_new_place_if_it_is_entered_again() -> None:
    worth = {"a": 3.0, "b": 2.0, "c": 1.0}
    queue = LazyGreedy(worth.get, worth)
    taken = []
    for key in queue:
        taken.append(key)
        del worth[key]
        if key == "a":
            worth["c"] = 4.0
            queue.enter("c")

    assert taken == ["a", "c", "b"]


def test_keys_that_are_left_stay_in_the_queue() -> None:
    queue = LazyGreedy(float, [1, 3, 2])

    assert next(iter(queue)) == 3
    assert queue.keys() == [1, 2]


def test_of_equals_the_smallest_key_comes_first_though_another_was_denser_before() -> None:
    worth = {1: 3.0, 2: 2.0, 3: 2.5}
    taken = []
    for key in LazyGreedy(worth.get, worth):
        taken.append(key)
        del worth[key]
        worth |= dict.fromkeys(worth, 2.0)

    assert taken == [1, 2, 3]
