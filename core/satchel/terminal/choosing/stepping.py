"""Put entries in the order in which small budgets take them: the chance to tell something new, per token."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence

from satchel.patterns import lazily
from satchel.terminal.choosing.entries import Entries
from satchel.terminal.choosing.spending import Spending
from satchel.terminal.judging import Rank

_STEPS = (120, 300, 600, 1_000)
"""Budgets that are filled to the end, with what is worth less where the next best does not fit."""
_SURE, _HALVES = 72.0, 5.0
"""Value from which a line is as good as any; by how much less the chance that it matters is halved.

Of the lines of 230 outputs with known facts, 65 % of those of value 66 and more hold one,
10 % of those of 54, 2 % of those of 48.
"""
_BY_RANK = {Rank.NOISE: -15.0, Rank.PLAIN: -3.0, Rank.DETAIL: -1.5, Rank.ERROR: 2.0}
_SUMS_UP, _OF_A_PART = 72.0, -3.0
"""What lines of a rank are worth more or less than others of their value, measured in the same way; verdicts
of less value than this sum up a part.
"""
_PER_COST = 0.7
"""Less than 1, as what is short and worth little says little in any number."""
_OLD = 0.35
"""Of the chance of an entry, what is left where all its words are shown already."""
_MOST = 2_000
"""Entries that small budgets choose from."""
_LEFT = 3
"""Tokens of which nothing can be made."""
_LEAST_SHARE = 0.5
"""Of a guess, what an entry costs at least."""
_WORDS = lazily(r"\w+")


def likely(worth: float, rank: Rank) -> float:
    """Return the value of a line where few are shown: an error holds a fact oftener than what explains it."""
    if rank is Rank.VERDICT and worth < _SUMS_UP:
        return worth + _OF_A_PART
    return worth + _BY_RANK.get(rank, 0.0)


def stepped(
    places: Sequence[int], values: Sequence[float], entries: Entries, spending: Spending
) -> Iterator[tuple[int, int]]:
    """Yield lines, names and cores in order, each with what all up to it cost.

    A step shows all that the step below it shows, so a budget still shows what smaller ones show. A core is
    followed by its whole line, at once or later.
    """
    waiting = [entries.shortest(place) for place in places[:_MOST]]
    news = _News(entries)
    for limit in (*_STEPS, math.inf):
        if limit == math.inf:
            waiting += map(entries.shortest, places[_MOST:])
        queue = _Queue(waiting, values, news, spending)
        waiting = []
        while (left := limit - spending.total) >= _LEFT and (entry := queue.pop()) is not None:
            if _LEAST_SHARE * spending.rough(entry) > left or spending.more(entry) > left:
                waiting.append(entry)
                continue
            yield entry, spending.add(entry)
            news.tell(entry)
            rest = entries.rest(entry)
            queue.put([] if rest is None else [rest])
        waiting += queue.left()


class _News:
    """The words that are shown, and how many of an entry's are not."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._told: set[str] = set()

    def tell(self, entry: int) -> None:
        self._told.update(_WORDS.findall(self._entries.text(entry)))

    def of(self, entry: int) -> float:
        """Return the share of an entry's chance that its new words leave it."""
        words = _WORDS.findall(self._entries.text(entry))
        new = sum(word not in self._told for word in words)
        return self._entries.share(entry) * (_OLD + (1 - _OLD) * new / max(1, len(words)))


class _Queue:
    """What may be shown next, the best first; what is worth less by now is looked at again."""

    def __init__(
        self, entries: Iterable[int], values: Sequence[float], news: _News, spending: Spending
    ) -> None:
        self._values, self._news, self._spending = values, news, spending
        self._heap = [(-self._gain(entry), entry) for entry in entries]
        heapq.heapify(self._heap)

    def put(self, entries: Iterable[int]) -> None:
        for entry in entries:
            heapq.heappush(self._heap, (-self._gain(entry), entry))

    def left(self) -> list[int]:
        return sorted(entry for _, entry in self._heap)

    def pop(self) -> int | None:
        while self._heap:
            gain = self._gain(self._heap[0][1])
            _, entry = heapq.heappop(self._heap)
            if not self._heap or gain >= -self._heap[0][0]:
                return entry
            heapq.heappush(self._heap, (-gain, entry))
        return None

    def _gain(self, entry: int) -> float:
        worth = self._values[entry % len(self._values)]
        chance = math.pow(2.0, min(0.0, (worth - _SURE) / _HALVES))
        cost = float(max(1, self._spending.rough(entry)))
        return chance * self._news.of(entry) / math.pow(cost, _PER_COST)
