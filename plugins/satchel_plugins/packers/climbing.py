"""The greedy that every strategy shares: take the step of the highest density until nothing fits.

More budget never lowers the kept worth, because the budget decides nothing but whether a step fits.
Of two budgets, the runs are the same up to the first step that fits only the larger one. The larger
one takes it; the smaller one refuses it, and may from then on never be worth more than if it had
taken it (`ceiling`). If steps come in falling density the ceiling never binds: anything that fits in
the room, g tokens, is worth at most density x g, and the refused step was more than g tokens.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import attrs

from satchel.plugin_api import BudgetError, Candidate, LazyGreedy, Level, allowed

_NOTHING: tuple[tuple[()], ...] = ((), (), ())
FULL_LEVELS = frozenset({Level.EXCERPT, Level.FULL})


@attrs.define(eq=False, repr=False)
class Ladder:
    """A candidate's rungs: rung 0 shows nothing, rung i + 1 is option i."""

    candidate: Candidate
    tokens: list[int]
    worths: list[float]
    wanted: list[float]
    """The worths that set the order of climbing; the same list as `worths` without a discount."""
    first: int
    """The lowest rung that may be chosen: 0, or the rung of a pin's floor."""
    at: int
    stop: int
    """Rungs from this one on have been refused."""
    path: list[int]
    """The hull's rungs above `at`, the next one last."""
    factor: float = 1.0
    """Factor for the gain of a step to an excerpt or to the full text in the order of climbing."""

    @property
    def cheapest(self) -> int:
        """Return the tokens of the step to the next rung."""
        return self.tokens[self.at + 1] - self.tokens[self.at]

    def value(self, worths: list[float], *, factor: float) -> None:
        """Give the rungs other worths, and find the hull anew."""
        self.worths, self.factor = worths, factor
        self.wanted = worths if factor == 1.0 else discount(self, factor)
        self.look_up()

    def look_up(self) -> None:
        """Find the hull anew from the current rung."""
        self.path = hull(self.tokens, self.wanted, self.at, self.stop)


def ladders(candidates: Iterable[Candidate], *, factor: float = 1.0) -> list[Ladder]:
    """Return the candidates' ladders, newest first, then by id; pins start at their cheapest allowed rung."""
    ordered = sorted(candidates, key=lambda candidate: (-candidate.position, candidate.id))
    return [ladder(candidate, factor) for candidate in ordered]


def ladder(candidate: Candidate, factor: float) -> Ladder:
    """Return the ladder of one candidate."""
    _, costs, gains = zip(*candidate.options, strict=True) if candidate.options else _NOTHING
    tokens, worths = [0, *costs], [0.0, *gains]
    first = allowed(candidate)[0] + 1 if candidate.pinned else 0
    if factor == 1.0:
        path = hull(tokens, worths, first, len(tokens))
        return Ladder(candidate, tokens, worths, worths, first, first, len(tokens), path)
    climb = Ladder(candidate, tokens, worths, worths, first, first, len(tokens), [])
    climb.value(worths, factor=factor)
    return climb


def pay_pins(climbs: Iterable[Ladder], budget: int) -> int:
    """Return the tokens that the pins cost; raise BudgetError if that is more than `budget`."""
    costs = [(climb.candidate.id, climb.tokens[climb.at]) for climb in climbs if climb.first]
    total = sum(tokens for _, tokens in costs)
    if costs and total > budget:
        raise BudgetError(budget, costs)
    return total


def hull(tokens: Sequence[int], worths: Sequence[float], at: int, stop: int) -> list[int]:
    """Return the rungs of the upper convex hull above `at` and below `stop`, the next one last.

    Points on an edge stay in: small steps leave less room unused. A rung that is worth less than a cheaper
    one is out.
    """
    path = [at]
    below, reached, paid = at, worths[at], tokens[at]
    last_gain, last_step = math.inf, 1
    for rung in range(at + 1, stop):
        gain, step = worths[rung] - reached, tokens[rung] - paid
        if gain < 0:
            continue
        if below != at and not (step > 0 and gain * last_step <= last_gain * step):
            below = _drop_rungs_below(path, tokens, worths, rung)
            gain, step = worths[rung] - worths[below], tokens[rung] - tokens[below]
        path.append(rung)
        below, reached, paid, last_gain, last_step = rung, worths[rung], tokens[rung], gain, step
    return path[:0:-1]


def _drop_rungs_below(path: list[int], tokens: Sequence[int], worths: Sequence[float], rung: int) -> int:
    """Remove the rungs of a path below the way to a higher one; return its new last rung."""
    path.pop()
    while len(path) > 1:
        below, under = path[-1], path[-2]
        step = tokens[rung] - tokens[below]
        if step > 0 and (worths[rung] - worths[below]) * (tokens[below] - tokens[under]) <= (
            (worths[below] - worths[under]) * step
        ):
            break
        path.pop()
    return path[-1]


def density(gain: float, tokens: int) -> float:
    """Return worth per token; a step that costs nothing comes before everything else."""
    return gain / tokens if tokens else math.inf


def discount(ladder: Ladder, factor: float) -> list[float]:
    """Return the rungs' worths with `factor` on each gain of an excerpt or the full text.

    Above the current rung, a rung that was worth more than a cheaper one still is.
    """
    reached = best = ladder.worths[ladder.at]
    wanted = [best] * (ladder.at + 1)
    for rung in range(ladder.at + 1, len(ladder.worths)):
        gain = ladder.worths[rung] - reached
        if gain < 0:
            wanted.append(-math.inf)
            continue
        best += gain * (factor if ladder.candidate.options[rung - 1].level in FULL_LEVELS else 1.0)
        reached += gain
        wanted.append(best)
    return wanted


@attrs.define(eq=False, repr=False)
class Zone:
    """The newest ladders, which are not discounted: there are more of them the larger the budget is."""

    joins: Sequence[float] = ()
    """The budget in tokens at which each ladder joins, by rank."""
    size: int = 0

    def admits(self, budget: int) -> bool:
        """Return whether at that budget one more ladder is inside."""
        return self.size < len(self.joins) and self.joins[self.size] <= budget


class Prefix(NamedTuple):
    """The state of a run when it first refused a step, and that step."""

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
    """Total gain of the steps."""
    ceiling: float = math.inf
    prefix: Prefix | None = None

    @property
    def is_plain(self) -> bool:
        """Return whether steps come in falling density, so that hopeless steps need not be tried."""
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
        """Return the worth per token of a ladder's next step, None if it has none that may ever be taken."""
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
        """Close a ladder if no step of it will ever fit; return whether that is so.

        It is `_try` in short, for the thousands whose step would fit before others filled the room.
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
        """Let a ladder into the zone if the budget that a step needs is large enough; return its rank.

        The given budget plays no part, so that every run goes the same way; after the first refusal the zone
        stays.
        """
        ladder = self.ladders[rank]
        needed = self.tokens + ladder.tokens[ladder.path[-1]] - ladder.tokens[ladder.at]
        if self.prefix is not None or not self.zone.admits(needed):
            return None
        self.zone.size += 1
        newcomer = self.ladders[self.zone.size - 1]
        newcomer.value(newcomer.worths, factor=1.0)
        return self.zone.size - 1
