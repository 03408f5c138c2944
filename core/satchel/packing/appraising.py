"""Appraising: what bodies, heads and stretches of all items of a pack are worth."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import attrs

from satchel.packing import worth
from satchel.packing.features import Chances, Items
from satchel.packing.ladders import precedences
from satchel.packing.trees import corrected
from satchel.parts import Part, Split, Stretch, Stretches
from satchel.workspace.index.terms import inverse_document_frequency

_REFINED = 100
"""So many of the best parts of a pack can be shown by stretches."""
_TIGHT = 2.0
"""Only where they cost so many times the budget; else there is room for most of them whole."""
_WITHOUT_WORDS = 0.1
"""What each line has, beside the best stretch: lines that are needed do not always share a word."""
_NEIGHBOURS = 0.25
"""Share of its neighbours' evidence that counts for a stretch."""
_SATURATION = 1.2
"""Robertson's k1."""


class Worths(NamedTuple):
    """What an item's ladder is built from: its parts, and what their bodies and heads are worth."""

    split: Split
    bodies: Sequence[float]
    heads: Sequence[float]


def best_parts(
    splits: Sequence[Split], chances: Sequence[Sequence[float]], budget: int
) -> dict[int, list[int]]:
    """Return the best parts, place of the split -> part numbers; none where the budget has room for them."""
    everyone = ((-chance, place, at) for place, row in enumerate(chances) for at, chance in enumerate(row))
    ranked = heapq.nsmallest(_REFINED, everyone)
    if sum(splits[place].parts[at].tokens for _, place, at in ranked) <= _TIGHT * budget:
        return {}
    best: dict[int, list[int]] = {}
    for _, place, at in ranked:
        best.setdefault(place, []).append(at)
    return best


def term_weights(
    query: Mapping[str, float], splits: Sequence[Split], best: Mapping[int, Sequence[int]]
) -> dict[str, float]:
    """Weigh each term of a query by how rare it is among the best parts, by Robertson's formula."""
    count = sum(map(len, best.values()))
    holding = dict.fromkeys(query, 0)
    for place, numbers in best.items():
        among = set(numbers)
        for term in holding.keys() & splits[place].terms.keys():
            holding[term] += sum(at in among for at in splits[place].terms[term][::2])
    return {term: weight * inverse_document_frequency(count, holding[term]) for term, weight in query.items()}


def refined(
    worths: Worths, stretches: Stretches, weights: Mapping[str, float], *, best: Collection[int]
) -> Worths:
    """Put the stretches of the best parts in the place of these parts, each with its share of the worth."""
    mine: dict[int, list[tuple[Stretch, float]]] = {}
    for stretch, terms in zip(stretches.rows, stretches.terms, strict=True):
        if stretch.part in best:
            mine.setdefault(stretch.part, []).append((stretch, _evidence(terms, weights)))
    parts: list[Part] = []
    bodies: list[float] = []
    heads: list[float] = []
    for at, part in enumerate(worths.split.parts):
        rows = mine.get(at, ())
        shares = _shares(rows) if rows else [1.0]
        parts += _pieces(part, [stretch for stretch, _ in rows])
        bodies += [share * worths.bodies[at] for share in shares]
        heads += [worths.heads[at], *[0.0] * (len(shares) - 1)]
    return Worths(attrs.evolve(worths.split, parts=tuple(parts)), bodies, heads)


def _evidence(terms: str, weights: Mapping[str, float]) -> float:
    """Return how much a stretch with these terms speaks of the task, by terms that saturate."""
    words = terms.split()
    held = weights.keys() & words
    evidence = 0.0
    for term in weights if held else ():
        if term in held:
            count = words.count(term)
            evidence += weights[term] * count * (_SATURATION + 1) / (count + _SATURATION)
    return evidence


def _shares(rows: Sequence[tuple[Stretch, float]]) -> list[float]:
    """Return each stretch's share of its part, by its own evidence, its neighbours' and its lines."""
    own = [evidence for _, evidence in rows]
    sums = [
        evidence + _NEIGHBOURS * (before + after)
        for before, evidence, after in zip([0.0, *own[:-1]], own, [*own[1:], 0.0], strict=True)
    ]
    highest = max(sums) or 1.0
    weights = [
        (_WITHOUT_WORDS + evidence / highest) * (stretch.lines[1] - stretch.lines[0] + 1)
        for evidence, (stretch, _) in zip(sums, rows, strict=True)
    ]
    total = sum(weights)
    return [weight / total for weight in weights]


def _pieces(part: Part, rows: Sequence[Stretch]) -> list[Part]:
    """Return a part's stretches as parts, the first with its head; the part itself where it has none."""
    if not rows:
        return [part]
    follow = [
        Part(
            part.kind,
            part.name,
            row.lines,
            id=part.id,
            item=part.item,
            path=part.path,
            tokens=row.tokens,
            joined_tokens=row.joined_tokens,
            mark_tokens=row.mark_tokens,
        )
        for row in rows
    ]
    follow[0] = follow[0]._replace(head=part.head, span=part.span, head_tokens=part.head_tokens)
    return follow


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
