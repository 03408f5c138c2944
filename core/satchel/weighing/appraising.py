"""Appraising: what bodies, heads and stretches of all items of a pack are worth."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from satchel.parts import Split, Stretches
from satchel.weighing import worth
from satchel.weighing.features import Chances, Items
from satchel.weighing.ordering import precedences
from satchel.weighing.refining import Worths, best_parts, refined, term_weights
from satchel.weighing.trees import corrected


class Asked(NamedTuple):
    """What the worths of a pack depend on, beside the saliences."""

    query: Mapping[str, float]
    """The task's terms and how much each weighs."""
    budget: int
    pinned: Collection[str]
    """Paths of files with pins; their parts stay whole."""
    stretches: Callable[[Split], Stretches]
    """Finds the stretches of a split's long parts."""


class Appraised(NamedTuple):
    """What weighing says of the items of a pack."""

    worths: list[Worths]
    """Of each item's bodies and heads, the best parts of a tight pack in stretches."""
    openings: list[float]
    """Worth of opening each item."""
    precedences: Mapping[str, float]
    """By item id how early each one stands."""
    shares: Mapping[str, Sequence[float]]
    """By item id the share of each of its parts in all that the task may need, 1 over the whole pack."""


def appraised(items: Items, asked: Asked) -> Appraised:
    """Return what showing each item's bodies and heads is worth, and which item is read first."""
    told = chances_told(items, asked.query)
    mended = corrected(items, told, asked.query)
    either = mended.both()
    by_item = {one.item.id: mine for (one, _), mine in zip(items, _shared(either), strict=True)}
    scored = [one for one, _ in items]
    saliences = [
        one.salience * _grown(before, after) for one, before, after in zip(scored, told, either, strict=True)
    ]
    return Appraised(
        worths=_worths(items, _shared(mended.lines), _shared(mended.definitions), asked),
        openings=worth.opening_worths(saliences),
        precedences=precedences(scored, saliences, either),
        shares=by_item,
    )


def _grown(before: Sequence[float], after: Sequence[float]) -> float:
    """Return what correction made of an item's chances together: its salience knows nothing of that."""
    total = sum(before)
    return sum(after) / total if total else 1.0


def _shared(chances: Chances) -> list[list[float]]:
    """Return each chance's share of all."""
    total = sum(map(sum, chances)) or 1.0
    return [[chance / total for chance in mine] for mine in chances]


def _worths(items: Items, shares: Chances, defining: Chances, asked: Asked) -> list[Worths]:
    """Return worths, given each part's share of the lines and of the definitions that may be needed."""
    splits = [split for _, split in items]
    best = best_parts(splits, shares, asked.budget)
    weights = term_weights(asked.query, splits, best) if best else {}
    room = worth.instructions_room(asked.budget)
    all_worths = []
    for place, (one, split) in enumerate(items):
        bodies = worth.body_worths(split.parts, shares[place], defining[place])
        if one.item.kind == "instructions":
            bodies = worth.instruction_worths(split.parts, bodies, room)
            room -= sum(part.tokens for part in split.parts)
        worths = Worths(split, bodies, worth.head_worths(split.parts, defining[place]))
        if place in best and one.item.kind == "file" and one.item.path not in asked.pinned:
            worths = refined(worths, asked.stretches(split), weights, best=set(best[place]))
        all_worths.append(worths)
    return all_worths


def chances_told(items: Items, query: Mapping[str, float]) -> list[list[float]]:
    """Return the chances of each item's parts as the formula tells them, before trees correct them."""
    return [
        worth.answering(split.parts, worth.chances(split.parts, one.saliences), held_terms(split, query))
        for one, split in items
    ]


def held_terms(split: Split, query: Mapping[str, float]) -> list[int]:
    """Return how many different terms of a query each part of a split holds."""
    held = [0] * len(split.parts)
    for term in query.keys() & split.terms.keys():
        for at in split.terms[term][::2]:
            held[at] += 1
    return held
