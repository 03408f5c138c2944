"""Choose the content that fits: the lazy greedy by worth per token; run and verify a packer, and explain it.

The greedy takes the key with the most worth per token, where each taken one changes the worth of others.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from satchel.errors import PluginError, SatchelError
from satchel.items import Candidate, Option, Selection

if TYPE_CHECKING:
    from satchel.interfaces import Packer


class _Ordered(Protocol):
    """A sortable value."""

    def __lt__(self, other: Any, /) -> bool: ...


K = TypeVar("K", bound=_Ordered)


class LazyGreedy(Generic[K]):
    """A queue of keys, the densest first; of equals, the smallest key.

    Worths are computed again only if they decide: the first key by its last density is weighed anew, and goes
    back if another is denser by now (Minoux, 1978). A key that becomes denser must be entered again.

    Args:
        density: returns a key's worth per token now, None if it can't be taken any more.
        keys: the available keys; they can be compared with one another.
    """

    def __init__(self, density: Callable[[K], float | None], keys: Iterable[K] = ()) -> None:
        self._density = density
        self._heap = [(-now, key) for key in keys if (now := density(key)) is not None]
        heapq.heapify(self._heap)

    def enter(self, key: K) -> None:
        """Enter a key, for the first time or because it is denser now."""
        now = self._density(key)
        if now is not None:
            heapq.heappush(self._heap, (-now, key))

    def __iter__(self) -> Iterator[K]:
        """Take the keys out one by one, including those entered meanwhile."""
        heap, density = self._heap, self._density
        while heap:
            _, key = heapq.heappop(heap)
            now = density(key)
            if now is None:
                continue
            if heap and (-now, key) > heap[0]:
                heapq.heappush(heap, (-now, key))
            else:
                yield key

    def split_off(self, is_left: Callable[[K], bool]) -> list[K]:
        """Remove the keys to leave for later, and return them."""
        left = [key for _, key in self._heap if is_left(key)]
        if left:
            self._heap[:] = [entry for entry in self._heap if not is_left(entry[1])]
            heapq.heapify(self._heap)
        return left

    def keys(self) -> list[K]:
        """Return the keys that are left, in their order."""
        return sorted(key for _, key in self._heap)


NO_ROOM = "did not fit"
"""Beginning of the reason for leaving something out for lack of room."""
NOT_CHOSEN = "not chosen by the packer, although it fits"
"""Reason for leaving something out although there was room until the end."""
WORTH_TOLERANCE = 1e-6
"""Allowed relative difference between a packer's sum of worth and ours, due to floating point."""


def select(packer: Packer, candidates: Sequence[Candidate], budget: int) -> Selection:
    """Let `packer` choose within `budget` tokens, and verify its answer.

    Raises PluginError if the answer breaks the contract, BudgetError if the pins cost too much.
    """
    for candidate in candidates:
        allowed(candidate)
    selection = packer.pack(candidates, budget)
    fault = _find_fault(candidates, selection, budget)
    if fault:
        raise PluginError(packer.name, getattr(packer, "distribution", "satchel"), fault)
    return selection


def allowed(candidate: Candidate) -> range:
    """Return the indexes of the options that may be chosen: all, or if pinned those from the floor on.

    Raises SatchelError if the candidate is pinned and no option is left.
    """
    indexes = range(candidate.floor if candidate.pinned else 0, len(candidate.options))
    if candidate.pinned and not indexes:
        raise SatchelError(
            f"{candidate.id}: pinned, but no option at or above {candidate.floor}; lower the floor"
        )
    return indexes


def kept_worth(candidates: Iterable[Candidate], choices: Mapping[str, int]) -> float:
    """Return the worth of the chosen options."""
    kept = (candidate for candidate in candidates if candidate.id in choices)
    return math.fsum(candidate.options[choices[candidate.id]].worth for candidate in kept)


def explain_left_out(
    candidates: Iterable[Candidate], selection: Selection, budget: int, *, whole: bool = False
) -> list[tuple[str, str]]:
    """Return (id, reason) of each candidate that was not chosen, highest worth first.

    With `whole`, the packer takes only the last option of each.
    """
    everyone = list(candidates)
    kept = [candidate for candidate in everyone if candidate.id in selection.choices]
    free = budget - selection.tokens
    least = min((_find_density(one.options[selection.choices[one.id]]) for one in kept), default=0.0)
    rest = [candidate for candidate in everyone if candidate.id not in selection.choices]
    rest.sort(key=lambda candidate: (-_best_worth(candidate), -candidate.position, candidate.id))
    reason = partial(_reason, least=least, budget=budget, free=free, whole=whole)
    return [(one.id, reason(one.options[-1:] if whole else one.options)) for one in rest]


def _find_fault(candidates: Sequence[Candidate], selection: Selection, budget: int) -> str:
    by_id = {candidate.id: candidate for candidate in candidates}
    for key, index in selection.choices.items():
        candidate = by_id.get(key)
        if candidate is None:
            return f"chose {key!r}, which is not a candidate"
        if index not in allowed(candidate):
            return f"chose option {index!r} of {key!r}, which allows {_span(allowed(candidate))}"
    missing = [item.id for item in candidates if item.pinned and item.id not in selection.choices]
    if missing:
        return f"left out {missing[0]!r}, which is pinned"
    return _check_sums(by_id, selection, budget)


def _check_sums(by_id: Mapping[str, Candidate], selection: Selection, budget: int) -> str:
    tokens = sum(by_id[key].options[index].tokens for key, index in selection.choices.items())
    if tokens != selection.tokens:
        return f"said {selection.tokens} tokens, its choices have {tokens}"
    if tokens > max(budget, 0):
        return f"chose {tokens} tokens, the budget is {budget}"
    worth = kept_worth(by_id.values(), selection.choices)
    if not math.isclose(worth, selection.worth, rel_tol=WORTH_TOLERANCE, abs_tol=WORTH_TOLERANCE):
        return f"said a worth of {selection.worth:g}, its choices have {worth:g}"
    return ""


def _span(indexes: range) -> str:
    return f"{indexes[0]} to {indexes[-1]}" if indexes else "none"


def _find_density(option: Option) -> float:
    return option.worth / max(1, option.tokens)


def find_best_density(options: Iterable[Option]) -> float:
    """Return the worth per token of the option that has most, 0 without options."""
    return max(map(_find_density, options), default=0.0)


def _best_worth(candidate: Candidate) -> float:
    return max((option.worth for option in candidate.options), default=0.0)


def _reason(options: Sequence[Option], *, least: float, budget: int, free: int, whole: bool) -> str:
    if not options:
        return "has nothing to show"
    cheapest = min([option.tokens for option in options])
    if cheapest <= (free if whole else budget) and find_best_density(options) <= least:
        return "worth less per token than what was kept"
    if cheapest <= free:
        return NOT_CHOSEN
    if whole:
        return f"{NO_ROOM}: all of it is {cheapest} tokens"
    return f"{NO_ROOM}: it needs {cheapest} tokens, and more valuable items left fewer"
