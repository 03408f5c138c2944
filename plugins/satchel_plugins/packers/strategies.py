"""The packers, and their choice: pins, the greedy, the exact optimum if there are few candidates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

import attrs
from attrs.validators import and_, ge, le

from satchel.plugin_api import Candidate, Selection, kept_worth
from satchel_plugins.packers.climbing import Climb, Ladder, Zone, ladders, pay_pins
from satchel_plugins.packers.exact import improve

_ESTIMATED = "exchange"


def choose(candidates: Sequence[Candidate], budget: int) -> Selection:
    """Choose by worth per token; of few candidates, choose the most worth.

    The cost and worth of a cut exchange are estimates: their optimum is not searched for.
    """
    climb = _climb(ladders(candidates), budget, Zone())
    rungs = None if any(candidate.kind == _ESTIMATED for candidate in candidates) else improve(climb)
    if rungs is not None:
        climb = _climb_on(climb, rungs, budget)
    return _selection(candidates, climb.ladders)


def choose_compressed(
    candidates: Sequence[Candidate], budget: int, *, newest: float, factor: float
) -> Selection:
    """Choose as `choose` does, but excerpts and full texts outside the newest share count less."""
    climbs = ladders(candidates, factor=factor)
    return _selection(candidates, _climb(climbs, budget, _zone(climbs, newest)).ladders)


def _climb(climbs: Sequence[Ladder], budget: int, zone: Zone) -> Climb:
    pinned = pay_pins(climbs, budget)
    climb = Climb(climbs, pinned, max(budget, 0) - pinned, zone)
    climb.run()
    return climb


def _climb_on(climb: Climb, rungs: Sequence[int], budget: int) -> Climb:
    """Climb from given rungs: the best selection may leave room for worthless options."""
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


@attrs.frozen(eq=False, repr=False)
class Compression:
    """Keep more things in less detail: excerpts and full texts count less, except for the newest."""

    name: ClassVar[str] = "compression"
    weights: ClassVar[Mapping[str, float]] = MappingProxyType({})
    whole: ClassVar[bool] = False

    newest: float = attrs.field(default=0.3, validator=and_(ge(0), le(1)))
    """The share of the budget, counted in full texts from the newest, that is packed as `hybrid` does."""
    factor: float = attrs.field(default=0.3, validator=and_(ge(0), le(1)))
    """What the worth that an excerpt or the full text adds counts elsewhere; 1 makes it `hybrid`."""

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        """Choose by worth per token; raise BudgetError if the pins cost more than `budget` tokens."""
        return choose_compressed(candidates, budget, newest=self.newest, factor=self.factor)


@attrs.frozen(eq=False, repr=False)
class HybridPacker:
    """Keep what is worth most, by all scores with the weights that are configured."""

    name: ClassVar[str] = "hybrid"
    weights: ClassVar[Mapping[str, float]] = MappingProxyType({})
    whole: ClassVar[bool] = False

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        """Choose by worth per token; raise BudgetError if the pins cost more than `budget` tokens."""
        return choose(candidates, budget)


@attrs.frozen(eq=False, repr=False)
class Recent:
    """Keep what is newest, whatever it says."""

    name: ClassVar[str] = "recent"
    weights: ClassVar[Mapping[str, float]] = MappingProxyType({"recency": 1.0, "position": 1.0, "*": 0.0})
    whole: ClassVar[bool] = False

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        """Choose by worth per token; raise BudgetError if the pins cost more than `budget` tokens."""
        return choose(candidates, budget)


@attrs.frozen(eq=False, repr=False)
class RelevancePacker:
    """Keep what matters for the task, however old it is."""

    name: ClassVar[str] = "relevance"
    weights: ClassVar[Mapping[str, float]] = MappingProxyType({"recency": 0.0, "position": 0.0})
    whole: ClassVar[bool] = False

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        """Choose by worth per token; raise BudgetError if the pins cost more than `budget` tokens."""
        return choose(candidates, budget)
