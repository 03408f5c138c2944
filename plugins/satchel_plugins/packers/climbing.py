"""The greedy that every strategy shares: take the step of the highest density until nothing fits.

More budget never lowers the kept worth, because the budget decides nothing but whether a step fits.
Of two budgets, the runs are the same up to the first step that fits only the larger one. The larger
one takes it; the smaller one refuses it, and may from then on never be worth more than if it had
taken it (`ceiling`). Where steps come in falling density the ceiling never binds: what fits in the
room, g tokens, is worth at most density x g, and the refused step was more than g tokens.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import attrs

from satchel.plugin_api import LazyGreedy
from satchel_plugins.packers.ladders import Ladder, density


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
    zone: Zone
    worth: float = 0.0
    """What the steps gained."""
    ceiling: float = math.inf
    prefix: Prefix | None = None

    @property
    def is_plain(self) -> bool:
        """Whether steps come in falling density, so that what will never fit need not be tried."""
        return not self.zone.joins

    def run(self) -> None:
        """Climb until no step is left."""
        queue = LazyGreedy(self._density, range(len(self.ladders)))
        for rank in queue:
            newcomer = self._let_another_in(rank)
            if newcomer is None:
                self._try(rank)
            else:
                queue.enter(newcomer)
            queue.enter(rank)

    def _spend(self, tokens: int) -> None:
        self.room -= tokens
        self.tokens += tokens

    def _density(self, rank: int) -> float | None:
        """Return what a ladder's next step is worth per token, None if it has none that may ever be taken."""
        ladder = self.ladders[rank]
        if not ladder.path or self._is_out_of_reach(ladder):
            return None
        rung, at = ladder.path[-1], ladder.at
        return density(ladder.wanted[rung] - ladder.wanted[at], ladder.tokens[rung] - ladder.tokens[at])

    def _try(self, rank: int) -> None:
        ladder = self.ladders[rank]
        at, rung = ladder.at, ladder.path[-1]
        tokens = ladder.tokens[rung] - ladder.tokens[at]
        gain = ladder.worths[rung] - ladder.worths[at]
        if tokens > self.room:
            self.ceiling = min(self.ceiling, self.worth + gain)
            self._refuse(ladder, tokens)
        elif self.worth + gain > self.ceiling:
            self._refuse(ladder, tokens)
        else:
            ladder.at = ladder.path.pop()
            self._spend(tokens)
            self.worth += gain

    def _is_out_of_reach(self, ladder: Ladder) -> bool:
        """Close a ladder of which no step will ever fit; say whether it was one.

        It is `_try` in short, for the thousands of which one would fit before others filled the room.
        """
        if self.prefix is None or not self.is_plain:
            return False
        tokens, at, rung = ladder.tokens, ladder.at, ladder.path[-1]
        if min(tokens[at + 1], tokens[rung]) - tokens[at] <= self.room:
            return False
        ladder.stop, ladder.path = at + 1, []
        return True

    def _refuse(self, ladder: Ladder, tokens: int) -> None:
        """Close this rung and those above; the ladder's smaller ones get their turn."""
        rung = ladder.path[-1]
        if self.prefix is None:
            worth = density(ladder.wanted[rung] - ladder.wanted[ladder.at], tokens)
            self.prefix = Prefix([each.at for each in self.ladders], self.tokens, worth, tokens)
        if self.is_plain and ladder.cheapest > self.room:
            ladder.stop, ladder.path = ladder.at + 1, []
            return
        ladder.stop = rung
        ladder.look_up()

    def _let_another_in(self, rank: int) -> int | None:
        """Let a ladder into the zone where the budget that a step needs is large enough; return its rank.

        The budget that was given plays no part, so that every run goes the same way; after the first
        refusal the zone stays.
        """
        ladder = self.ladders[rank]
        needed = self.tokens + ladder.tokens[ladder.path[-1]] - ladder.tokens[ladder.at]
        if self.prefix is not None or not self.zone.admits(needed):
            return None
        self.zone.size += 1
        newcomer = self.ladders[self.zone.size - 1]
        newcomer.value(newcomer.worths, factor=1.0)
        return self.zone.size - 1
