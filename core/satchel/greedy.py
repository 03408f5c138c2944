"""The lazy greedy: take what is worth most per token, where each thing taken changes the worth of others.

Worths are looked at again only where they decide: what comes first by its last density is weighed anew, and
goes back if something else is denser by now (Minoux, 1978). What becomes denser is entered again.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, Protocol, TypeVar


class _Ordered(Protocol):
    """What can be sorted."""

    def __lt__(self, other: Any, /) -> bool: ...


K = TypeVar("K", bound=_Ordered)


class LazyGreedy(Generic[K]):
    """A queue of keys, the densest first; of equals, the smallest key.

    Args:
        density: returns what a key is worth per token now, None if it can't be taken any more.
        keys: what may be taken; they can be compared with one another.
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
        """Take the keys out one by one, those too that are entered meanwhile."""
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
        """Take out the keys that are to be left for later, and return them."""
        left = [key for _, key in self._heap if is_left(key)]
        if left:
            self._heap[:] = [entry for entry in self._heap if not is_left(entry[1])]
            heapq.heapify(self._heap)
        return left

    def keys(self) -> list[K]:
        """Return the keys that are left, in their order."""
        return sorted(key for _, key in self._heap)
