"""From candidates to a selection: pins, the greedy, and the exact optimum where there are few candidates."""

from __future__ import annotations

import math
from collections.abc import Sequence

from satchel.plugin_api import Candidate, Selection, kept_worth
from satchel_plugins.packers.climbing import Climb, Zone
from satchel_plugins.packers.exact import improve
from satchel_plugins.packers.ladders import Ladder, ladders, pay_pins

_ESTIMATED = "exchange"


def choose(candidates: Sequence[Candidate], budget: int) -> Selection:
    """Choose by worth per token; of few candidates, choose what is worth most.

    What an exchange costs and is worth when cut is an estimate: an optimum of it is not looked for.
    """
    climb = _climb(ladders(candidates), budget, Zone())
    rungs = None if any(candidate.kind == _ESTIMATED for candidate in candidates) else improve(climb)
    if rungs is not None:
        climb = _climb_on(climb, rungs, budget)
    return _selection(candidates, climb.ladders)


def choose_compressed(
    candidates: Sequence[Candidate], budget: int, *, newest: float, factor: float
) -> Selection:
    """Choose as `choose` does, where excerpts and full texts outside the newest share count less."""
    climbs = ladders(candidates, factor=factor)
    return _selection(candidates, _climb(climbs, budget, _zone(climbs, newest)).ladders)


def _climb(climbs: Sequence[Ladder], budget: int, zone: Zone) -> Climb:
    pinned = pay_pins(climbs, budget)
    climb = Climb(climbs, pinned, max(budget, 0) - pinned, zone)
    climb.run()
    return climb


def _climb_on(climb: Climb, rungs: Sequence[int], budget: int) -> Climb:
    """Climb from given rungs: what is worth most may leave room for what is worth nothing."""
    for ladder, rung in zip(climb.ladders, rungs, strict=True):
        ladder.at, ladder.stop = rung, len(ladder.tokens)
        ladder.look_up()
    tokens = sum(ladder.tokens[ladder.at] for ladder in climb.ladders)
    further = Climb(climb.ladders, tokens, budget - tokens, Zone())
    further.run()
    return further


def _zone(climbs: Sequence[Ladder], newest: float) -> Zone:
    """Return the budgets at which each ladder is among the newest: their full texts fill that share."""
    joins, tokens = [], 0
    for ladder in climbs:
        tokens += ladder.tokens[-1]
        joins.append(tokens / newest if newest else math.inf)
    return Zone(joins)


def _selection(candidates: Sequence[Candidate], climbs: Sequence[Ladder]) -> Selection:
    choices = {ladder.candidate.id: ladder.at - 1 for ladder in climbs if ladder.at}
    tokens = sum(ladder.tokens[ladder.at] for ladder in climbs)
    return Selection(choices, tokens, kept_worth(candidates, choices))
