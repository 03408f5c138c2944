"""The greedy that every strategy shares: take the step of the highest density until nothing fits.

More budget never lowers the kept worth, because the budget decides nothing but whether a step fits.
Of two budgets, the runs are the same up to the first step that fits only the larger one. The larger
one takes it; the smaller one refuses it, and may from then on never be worth more than if it had
taken it (`ceiling`). Where steps come in falling density the ceiling never binds: what fits in the
room, g tokens, is worth at most density x g, and the refused step was more than g tokens.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import attrs

from satchel_plugins.packers.ladders import Ladder, Sharing, density

_SAMPLED, _MANY = 32, 4_000
"""Every so many a density is looked at to part the best of so many steps."""
Step = tuple[float, int, int]
"""Negative density, the ladder's rank, the rung that it leads to."""


@attrs.define(eq=False, repr=False)
class Zone:
    """The newest ladders, which are not discounted: there are more of them the larger the budget is."""

    joins: Sequence[float] = ()
    """The budget in tokens at which each ladder joins, by rank."""
    size: int = 0

    def admits(self, budget: int) -> bool:
        """Say whether at that budget one more ladder is inside."""
        return self.size < len(self.joins) and self.joins[self.size] <= budget


class Prefix(NamedTuple):
    """Where a run stood when it first refused a step, and that step."""

    rungs: Sequence[int]
    tokens: int
    density: float
    step: int
    """Tokens of the refused step."""


@attrs.define(eq=False, repr=False)
class Climb:
    """A run of the greedy over ladders; `tokens` are spent, `room` is left."""

    ladders: Sequence[Ladder]
    tokens: int
    room: int
    sharing: Sharing
    zone: Zone
    worth: float = 0.0
    """What the steps gained."""
    ceiling: float = math.inf
    prefix: Prefix | None = None
    heap: list[Step] = attrs.field(factory=list)
    live: list[Step | None] = attrs.field(factory=list)
    """Each ladder's step; others of it that are still in the heap are void."""

    @property
    def is_plain(self) -> bool:
        """Whether steps come in falling density, so that what will never fit need not be tried."""
        return not self.zone.joins and not self.sharing.changes

    def run(self) -> None:
        """Climb until no step is left."""
        if self.is_plain:
            self._climb_in_one_sort()
        self.live = [self._step(rank) if one.path else None for rank, one in enumerate(self.ladders)]
        self.heap = [step for step in self.live if step]
        heapq.heapify(self.heap)
        is_plain = self.is_plain
        while self.heap:
            step = self.heap[0]
            if step is not self.live[step[1]] or (is_plain and self._is_out_of_reach(step)):
                heapq.heappop(self.heap)
            elif not (self._is_stale(step) or self._lets_another_in(step)):
                self._try(step)

    def _climb_in_one_sort(self) -> None:
        """Take all steps in falling density up to the first that does not fit."""
        ladders, room = self.ladders, self.room
        for negative, rank in sorted_steps(ladders):
            ladder = ladders[rank]
            rung, tokens = ladder.path[-1], ladder.tokens
            cost = tokens[rung] - tokens[ladder.at]
            if cost > room:
                self._spend(self.room - room)
                self._refuse((negative, rank, rung), cost)
                break
            ladder.at = ladder.path.pop()
            room -= cost
        else:
            self._spend(self.room - room)
        left = self.room
        for ladder in self.ladders:
            if ladder.path and ladder.tokens[ladder.at + 1] - ladder.tokens[ladder.at] > left:
                ladder.path = []

    def _spend(self, tokens: int) -> None:
        self.room -= tokens
        self.tokens += tokens

    def _step(self, rank: int) -> Step | None:
        ladder = self.ladders[rank]
        if not ladder.path:
            return None
        rung, at = ladder.path[-1], ladder.at
        tokens = ladder.tokens[rung] - ladder.tokens[at]
        return (-density(ladder.wanted[rung] - ladder.wanted[at], tokens), rank, rung)

    def _try(self, step: Step) -> None:
        _, rank, rung = step
        ladder = self.ladders[rank]
        tokens = ladder.tokens[rung] - ladder.tokens[ladder.at]
        gain = ladder.worths[rung] - ladder.worths[ladder.at]
        if tokens > self.room:
            self.ceiling = min(self.ceiling, self.worth + gain)
            self._refuse(step, tokens)
        elif self.worth + gain > self.ceiling:
            self._refuse(step, tokens)
        else:
            below, ladder.at = ladder.at, ladder.path.pop()
            self._spend(tokens)
            self.worth += gain
            self.sharing.show(rank, below, rung)
        self._replace(rank)

    def _is_out_of_reach(self, step: Step) -> bool:
        """Close a ladder of which no step will ever fit; say whether it was one.

        It is `_try` in short, for the thousands of which one would fit before others filled the room.
        """
        ladder = self.ladders[step[1]]
        tokens, at, room = ladder.tokens, ladder.at, self.room
        if tokens[at + 1] - tokens[at] <= room or tokens[step[2]] - tokens[at] <= room or not self.prefix:
            return False
        self.ceiling = min(self.ceiling, self.worth + ladder.worths[step[2]] - ladder.worths[at])
        ladder.stop, ladder.path = at + 1, []
        return True

    def _refuse(self, step: Step, tokens: int) -> None:
        """Close this rung and those above; the ladder's smaller ones get their turn."""
        ladder = self.ladders[step[1]]
        if self.prefix is None:
            self.prefix = Prefix([each.at for each in self.ladders], self.tokens, -step[0], tokens)
        if self.is_plain and ladder.cheapest > self.room:
            ladder.stop, ladder.path = ladder.at + 1, []
            return
        ladder.stop = step[2]
        ladder.look_up()

    def _replace(self, rank: int) -> None:
        """Put the ladder's next step in the place of the one on top."""
        self.live[rank] = step = self._step(rank)
        if step is None:
            heapq.heappop(self.heap)
        else:
            heapq.heapreplace(self.heap, step)

    def _is_stale(self, step: Step) -> bool:
        """Renew a step whose parts others have shown since; say whether it changed."""
        rank = step[1]
        if not self.sharing.renews(rank, self.ladders[rank]) or self._step(rank) == step:
            return False
        self._replace(rank)
        return True

    def _lets_another_in(self, step: Step) -> bool:
        """Let a ladder into the zone where the budget that this step needs is large enough.

        The budget that was given plays no part, so that every run goes the same way; after the first
        refusal the zone stays.
        """
        ladder, rank = self.ladders[step[1]], self.zone.size
        needed = self.tokens + ladder.tokens[step[2]] - ladder.tokens[ladder.at]
        if self.prefix is not None or not self.zone.admits(needed):
            return False
        self.zone.size += 1
        newcomer = self.ladders[rank]
        newcomer.value(newcomer.worths, factor=1.0)
        self.live[rank] = better = self._step(rank)
        if better is not None:
            heapq.heappush(self.heap, better)
        return True


def sorted_steps(ladders: Sequence[Ladder]) -> Iterator[tuple[float, int]]:
    """Yield the negative density and the rank of all steps along all hulls, the densest first.

    Ties go by rank, then from the bottom up. Flat lists of numbers, because ten thousands of tuples
    would keep the garbage collector busy.
    """
    densities: list[float] = []
    ranks: list[int] = []
    for rank, ladder in enumerate(ladders):
        path, tokens, worths, at = ladder.path, ladder.tokens, ladder.wanted, ladder.at
        paid, reached = tokens[at], worths[at]
        ranks += [rank] * len(path)
        for rung in reversed(path):
            to, worth = tokens[rung], worths[rung]
            densities.append((reached - worth) / (to - paid) if to != paid else -math.inf)
            paid, reached = to, worth
    for some in _densest_first(densities):
        for index in some:
            yield densities[index], ranks[index]


def _densest_first(densities: Sequence[float]) -> Iterator[Sequence[int]]:
    """Yield the places of all densities in their order, those of the best first: often no more is asked for.

    How many a budget reaches is not known, so each time four times as many are sorted.
    """
    sample, least = sorted(densities[::_SAMPLED]), -math.inf
    for share in (64, 16, 4) if len(densities) > _MANY else ():
        bound = sample[len(sample) // share]
        some = [at for at, value in enumerate(densities) if least <= value < bound]
        yield sorted(some, key=densities.__getitem__)
        least = bound
    some = [at for at, value in enumerate(densities) if value >= least]
    yield sorted(some, key=densities.__getitem__)
