"""The exact optimum for few candidates: dynamic programming over options that may still change.

Between two breakpoints of the greedy, budgets differ only in how much of one refused step they could
hold. There, any selection is the greedy's prefix with some options changed. With the refused step's
density as the price of a token, each change has a loss of zero or more; changes that together lose
more than a quick selection of their size beat nothing. The rest is little. It depends on the
prefix and not on the budget, as does whether it is little enough: so more budget is never worse.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from satchel_plugins.packers.climbing import Climb, Ladder, Prefix, density, hull

MOST_CANDIDATES = 100
"""The greedy is at most 0.03 % below the bound at 1,000 candidates, and 1.1 % at 100."""

GRID = 32
"""Rooms in which the quick selection is tried."""

MOST_STATES = 12_000
"""States made in one run, about 15 ms; if it takes more, the greedy's answer stays."""

ROUNDING = 1e-12


class RungChange(NamedTuple):
    """A rung for a ladder that differs from the prefix."""

    rank: int
    rung: int
    tokens: int
    worth: float


class SearchState(NamedTuple):
    """Some changes, and their effect on tokens and worth."""

    tokens: int
    worth: float
    changes: tuple[int, int, SearchState] | None
    """The last change's rank and rung, and the state before it."""


def improve(climb: Climb) -> list[int] | None:
    """Return the rungs of the selection with the most worth, None if that is `climb` or unknown."""
    prefix = climb.prefix
    if prefix is None or len(climb.ladders) > MOST_CANDIDATES:
        return None
    if not 0 < prefix.density < math.inf:
        return None
    limit = _loss_limit(climb.ladders, prefix)
    states = _states(_list_close_changes(climb.ladders, prefix, limit), prefix, limit)
    most = climb.tokens + climb.room - prefix.tokens
    fitting = [state for state in states if state.tokens <= most]
    best = max(fitting, key=lambda state: (state.worth, state.tokens), default=None)
    if best is None or best.worth <= _gain(climb, prefix) * (1 + ROUNDING):
        return None
    return _rungs(best, prefix)


def _gain(climb: Climb, prefix: Prefix) -> float:
    """Return the gain of the greedy after its prefix."""
    changed = zip(climb.ladders, prefix.rungs, strict=True)
    return math.fsum(ladder.worths[ladder.at] - ladder.worths[rung] for ladder, rung in changed)


def _loss_limit(ladders: Sequence[Ladder], prefix: Prefix) -> float:
    """Return the loss from which changes are no better than a quick selection in the same room.

    Between two rooms of the grid, no selection that loses as much as the larger room's price minus the quick
    selection's gain in the smaller one beats that selection.
    """
    steps = _quick_steps(ladders, prefix)
    grid = sorted({prefix.step * mark // GRID for mark in range(GRID)})
    gains = [_quick_gain(steps, room) for room in grid]
    prices = [prefix.density * room for room in [*grid[1:], prefix.step]]
    return max(price - gain for price, gain in zip(prices, gains, strict=True))


def _quick_steps(ladders: Sequence[Ladder], prefix: Prefix) -> list[tuple[float, int, int, float]]:
    """Return (density, rank, tokens, gain) of the hulls' steps above the prefix, the densest first."""
    steps = []
    for rank, (ladder, at) in enumerate(zip(ladders, prefix.rungs, strict=True)):
        for rung in reversed(hull(ladder.tokens, ladder.worths, at, len(ladder.tokens))):
            tokens, gain = ladder.tokens[rung] - ladder.tokens[at], ladder.worths[rung] - ladder.worths[at]
            steps.append((density(gain, tokens), rank, tokens, gain))
            at = rung
    steps.sort(key=lambda step: -step[0])
    return steps


def _quick_gain(steps: Iterable[tuple[float, int, int, float]], room: int) -> float:
    closed, total = set(), 0.0
    for _, rank, tokens, gain in steps:
        if tokens > room:
            closed.add(rank)
        elif rank not in closed:
            room -= tokens
            total += gain
    return total


def _list_close_changes(ladders: Sequence[Ladder], prefix: Prefix, limit: float) -> list[list[RungChange]]:
    """Return each ladder's changes that lose less than `limit`, the ladders with the largest first."""
    contested = [_changes(rank, ladder, prefix, limit) for rank, ladder in enumerate(ladders)]
    groups = [changes for changes in contested if changes]
    return sorted(
        groups, key=lambda changes: (-max(abs(change.tokens) for change in changes), changes[0].rank)
    )


def _changes(rank: int, ladder: Ladder, prefix: Prefix, limit: float) -> list[RungChange]:
    at = prefix.rungs[rank]
    changes = []
    for rung in range(ladder.first, len(ladder.tokens)):
        tokens = ladder.tokens[rung] - ladder.tokens[at]
        worth = ladder.worths[rung] - ladder.worths[at]
        if rung != at and prefix.density * tokens - worth < limit:
            changes.append(RungChange(rank, rung, tokens, worth))
    return changes


def _states(contested: Sequence[Sequence[RungChange]], prefix: Prefix, limit: float) -> list[SearchState]:
    """Return the states worth keeping at the end; [] if there are too many on the way."""
    down = sum(min(0, *(change.tokens for change in changes)) for changes in contested)
    states, made = [SearchState(0, 0.0, None)], 0
    for changes in contested:
        made += len(states) * (1 + len(changes))
        if made > MOST_STATES:
            return []
        down -= min(0, *(change.tokens for change in changes))
        most = prefix.step - 1 - down
        states = _drop_dominated(
            [
                state
                for state in _after(states, changes)
                if state.tokens <= most and prefix.density * state.tokens - state.worth < limit
            ]
        )
    return states


def _after(states: Iterable[SearchState], changes: Sequence[RungChange]) -> Iterator[SearchState]:
    """Yield each state as it is, and with each of the changes made."""
    for state in states:
        yield state
        for rank, rung, tokens, worth in changes:
            yield SearchState(state.tokens + tokens, state.worth + worth, (rank, rung, state))


def _drop_dominated(states: list[SearchState]) -> list[SearchState]:
    states.sort(key=lambda state: (state.tokens, -state.worth))
    kept, best = [], -math.inf
    for state in states:
        if state.worth > best:
            kept.append(state)
            best = state.worth
    return kept


def _rungs(state: SearchState, prefix: Prefix) -> list[int]:
    rungs = list(prefix.rungs)
    while state.changes is not None:
        rank, rung, state = state.changes
        rungs[rank] = rung
    return rungs
