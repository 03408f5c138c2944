"""Refining: where a budget is tight, long parts are shown by the stretches that share words with the task."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import attrs

from satchel.parts import Part, Split, Stretch, Stretches
from satchel.workspace.terms import inverse_document_frequency

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
