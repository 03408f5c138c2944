"""Worth: the one place where the salience of parts becomes what showing them is worth.

A body's worth is the chance that it is needed: its salience, sharpened as the budget shrinks,
growing with its size. A head's worth is a share of the best body in its span. Opening an item has
a small worth of its own. The form and the constants come from measured retrieval (expected recall
of files, symbols and lines on real fixes); `docs/explanation/worth.md` tells how.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs

from satchel.parts import NO_LINES, Part


@attrs.frozen
class WorthSettings:
    """Numbers that shape worth, each with its reason."""

    body: float = 0.6
    """Chance that the most salient body is needed: even the best guess is wrong in two of five cases."""
    sharpest: float = 2.4
    """Exponent of salience at `small_budget` and below: little room asks for sharp choices."""
    flattest: float = 2.0
    """Exponent at `large_budget` and above."""
    small_budget: int = 4_000
    large_budget: int = 16_000
    size_power: float = 0.6
    """A body's chance grows with this power of its tokens: longer code is changed more often."""
    typical_tokens: int = 150
    least_tokens: int = 15
    most_tokens: int = 600
    head: float = 1.0
    """Share of the best body's worth that its head has."""
    span_head: float = 0.5
    """Share for bodies in the span of a head that does not introduce them (a class and its methods)."""
    opening: float = 0.4
    """Worth of opening the best item at all."""
    opening_decay: float = 0.05
    """By how much each rank lowers it."""
    instructions_share: float = 0.1
    """Share of the budget that instruction files get before anything is compared: people expect them."""
    instructions_from: int = 6_000
    """Budget below which they get no share: there every token of it is needed for the task."""


DEFAULT = WorthSettings()


def exponent(budget: int, settings: WorthSettings = DEFAULT) -> float:
    """Return how sharply salience is raised under a budget in tokens; falls with its logarithm."""
    if budget <= settings.small_budget:
        return settings.sharpest
    if budget >= settings.large_budget:
        return settings.flattest
    way = math.log2(budget / settings.small_budget) / math.log2(settings.large_budget / settings.small_budget)
    return settings.sharpest + (settings.flattest - settings.sharpest) * way


def body_worths(
    parts: Sequence[Part], saliences: Sequence[float], budget: int, settings: WorthSettings = DEFAULT
) -> list[float]:
    """Return the worth of each part's body, given saliences of 0..1."""
    power = exponent(budget, settings)
    return [
        settings.body * salience**power * _size(part.tokens, settings)
        for part, salience in zip(parts, saliences, strict=True)
    ]


def instruction_worths(
    parts: Sequence[Part], bodies: Sequence[float], room: float, settings: WorthSettings = DEFAULT
) -> list[float]:
    """Return the worth of an instruction file's bodies: the largest there is while `room` tokens last."""
    worths = []
    for part, body in zip(parts, bodies, strict=True):
        room -= part.tokens
        worths.append(max(body, settings.body * _size(settings.most_tokens, settings)) if room >= 0 else body)
    return worths


def instructions_room(budget: int, settings: WorthSettings = DEFAULT) -> float:
    """Return the tokens of a budget that instruction files get before anything is compared."""
    return settings.instructions_share * budget if budget >= settings.instructions_from else 0.0


def _size(tokens: int, settings: WorthSettings) -> float:
    held = min(max(tokens, settings.least_tokens), settings.most_tokens)
    return float((held / settings.typical_tokens) ** settings.size_power)


def head_worths(
    parts: Sequence[Part], bodies: Sequence[float], settings: WorthSettings = DEFAULT
) -> list[float]:
    """Return the worth of each part's head: a share of the best body that it introduces, 0 without one."""
    worths = []
    for at, part in enumerate(parts):
        if part.head == NO_LINES:
            worths.append(0.0)
            continue
        best = bodies[at]
        for inner in range(at + 1, len(parts)):
            if parts[inner].lines[0] > part.span[1]:
                break
            best = max(best, settings.span_head * bodies[inner])
        worths.append(settings.head * best)
    return worths


def opening_worth(salience: float, rank: int, settings: WorthSettings = DEFAULT) -> float:
    """Return the worth of opening the item of this salience and rank (0 is the best)."""
    return settings.opening * salience**2 / (1 + settings.opening_decay * rank)
