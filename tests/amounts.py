"""How much a run tries: `weekly` all of it, a run by hand a part that still reaches every test."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from hypothesis import HealthCheck, settings

T = TypeVar("T")
FEW = 2
"""Examples of a property, by default."""
MOST_CASES = 2
"""Cases of a parametrized test, by default."""
FULL = "--all-cases"
"""The option that runs all cases."""
PROFILE = "SATCHEL_TEST_PROFILE"
"""The environment variable that names the profile."""


def register_profiles() -> None:
    """Register what a property test draws: a few examples, all of them, or new ones."""
    # How long an example takes tells more of a busy machine than of the code: `test_linear.py` measures.
    too_slow = [HealthCheck.too_slow]
    settings.register_profile(
        "steady", max_examples=FEW, derandomize=True, deadline=None, suppress_health_check=too_slow
    )
    settings.register_profile(
        "weekly", max_examples=100, derandomize=True, deadline=None, suppress_health_check=too_slow
    )
    settings.register_profile(
        "explore", max_examples=100, derandomize=False, deadline=None, suppress_health_check=too_slow
    )


def is_full() -> bool:
    """Return whether the profile is one that tries everything."""
    return settings().max_examples > FEW


def examples(full: int) -> int:
    """Return how many examples a property draws that draws so many in a full run."""
    return full if is_full() else min(full, FEW)


def sized(full: int) -> int:
    """Return how large a test makes what it measures: in a full run so large, else a fifth of it."""
    return full if is_full() else full // 5


def some(all_of_them: Sequence[T], most: int = MOST_CASES) -> Sequence[T]:
    """Return what a test walks of many things alike: all of them in a full run, else an even spread."""
    return all_of_them if is_full() else [all_of_them[place] for place in spread(len(all_of_them), most)]


def spread(amount: int, most: int = MOST_CASES) -> list[int]:
    """Return the places of at most so many of an amount, evenly spread from the first to the last."""
    if amount <= most:
        return list(range(amount))
    if most == 1:
        return [0]
    return [round(place * (amount - 1) / (most - 1)) for place in range(most)]


def function_of(node_id: str) -> str:
    """Return the node id of the test function that a case belongs to."""
    return node_id.partition("[")[0]


def sampled(
    node_ids: Sequence[str],
    named: Iterable[str] = (),
    costly: Collection[str] = (),
    weekly: Collection[str] = (),
) -> list[bool]:
    """Return which cases run: an even sample of each test function, and all of what was named.

    Of the functions that are costly, given by their node ids, it is one case; of the cases that are weekly,
    given by theirs, none.
    """
    wanted = tuple(named)
    places: dict[str, list[int]] = {}
    for place, node_id in enumerate(node_ids):
        if node_id not in weekly:
            places.setdefault(function_of(node_id), []).append(place)
    kept = {
        cases[place]
        for function, cases in places.items()
        for place in spread(len(cases), 1 if function in costly else MOST_CASES)
    }
    return [
        place in kept or any(_belongs(node_id, name) for name in wanted)
        for place, node_id in enumerate(node_ids)
    ]


def _belongs(node_id: str, name: str) -> bool:
    return node_id == name or node_id.startswith((f"{name}[", f"{name}::"))
