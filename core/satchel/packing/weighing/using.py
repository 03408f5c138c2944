"""Weigh the uses of names: who looks for them needs every line, who changes a name the code around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import attrs

from satchel.items import ContextItem
from satchel.packing.weighing import worth
from satchel.packing.weighing.chances import Chances, CorrectedChances, WeighedItems
from satchel.parts import Part, SplitItem, Stretch, Stretches
from satchel.patterns import lazily
from satchel.questions import (
    OWN_PLACES,
    ChangePlace,
    FilePlace,
    compile_use,
    last_of,
    place_of,
    term_of,
    terms_of,
)

USES = "uses"
"""Kind of the item that lists the places."""
_SHARE, _LISTED = 0.65, 0.3
"""Shares of the parts with uses, and of the list of all places, in the needs of the task."""
_OF_EXAMPLE, _BESIDE_EXAMPLE = 0.06, 10.0
"""Share of the list of an example's places in the needs of the task, and the weight of parts that name it."""
_USED = 8.0
"""Factor of the chance of a part of code with a use, if a task changes names."""
_LISTED_PLACES = lazily(r"(?m)^(\S.*?):(\d+(?:,\d+)*)$")
_PLACES = {
    FilePlace.CHANGES: 0.05,
    FilePlace.ELSEWHERE: 0.05,
    FilePlace.DATA: 0.5,
    FilePlace.DOCUMENT: 0.6,
    FilePlace.TEST: 0.7,
}
"""Weight of a use there; 1 elsewhere."""
_DEFINED, _OWNED = 2.0, 5.0
"""Weights of a use in a part that defines the name, and that defines it for the owner whom the task names."""
_IN_PLACE, _OUTSIDE = 5.0, 0.1
"""Weights of a use in the definition that the task names as its place, and in files without its words."""
_LONG = 120
"""Tokens from which only the stretches of a part with uses are shown."""
WITHOUT = 0.002
"""Worth of the other stretches, relative to one use."""

Uses = Mapping[int, Mapping[int, Sequence[int]]]
"""The numbers of the lines with a use, by item and part."""


def find_use_shares(
    items: WeighedItems,
    chances: Chances,
    names: Sequence[str],
    read: Callable[[ContextItem], str],
) -> tuple[Chances, Uses] | None:
    """Return the share of each part in the needs of a task that looks for names, and the uses' lines.

    None if there is no use. The rest goes to the parts by their `chances`.
    """
    uses = {
        at: found
        for at, (one, split) in enumerate(items)
        if one.item.kind == "file" and (found := _find_uses(one.item, split, names, read))
    }
    if not uses:
        return None
    used = [_weigh_uses(one.item, split, uses.get(at, {}), names) for at, (one, split) in enumerate(items)]
    listed = [[float(one.item.kind == USES)] * len(split.parts) for one, split in items]
    weights = ((_SHARE, used), (_LISTED, listed), (1 - _SHARE - _LISTED, chances))
    sums = [sum(map(sum, rows)) or 1.0 for _, rows in weights]
    shares = [
        [
            sum(
                weight * value / total
                for (weight, _), value, total in zip(weights, values, sums, strict=True)
            )
            for values in zip(*rows, strict=True)
        ]
        for rows in zip(*(rows for _, rows in weights), strict=True)
    ]
    return shares, uses


def favour_examples(items: WeighedItems, chances: CorrectedChances) -> CorrectedChances:
    """Return chances with a small share for a list of an example's places, and more for parts at these."""
    listed = {at: one.item.text for at, (one, _) in enumerate(items) if one.item.kind == USES}
    if not listed:
        return chances
    places = {
        found[1]: [int(number) for number in found[2].split(",")]
        for text in listed.values()
        for common, own, _ in [(text or "").partition(f"\n{OWN_PLACES}\n")]
        for found in (_LISTED_PLACES.finditer(common) if own else ())
    }
    factors = [
        [
            _BESIDE_EXAMPLE if any(part.lines[0] <= line <= part.lines[1] for line in lines) else 1.0
            for part in split.parts
        ]
        for one, split in items
        for lines in [places.get(one.item.path, ())]
    ]
    rows = []
    for each in chances:
        raised = [[a * b for a, b in zip(*pair, strict=True)] for pair in zip(each, factors, strict=True)]
        share = _OF_EXAMPLE * sum(map(sum, raised))
        rows.append(
            [[share / len(mine)] * len(mine) if at in listed else mine for at, mine in enumerate(raised)]
        )
    return CorrectedChances(*rows)


def favour_uses(
    items: WeighedItems,
    chances: CorrectedChances,
    names: Sequence[str],
    read: Callable[[ContextItem], str],
    *,
    place: ChangePlace | None = None,
) -> CorrectedChances:
    """Return chances, more for the parts that use names which a change is about, less outside its place."""
    factors = []
    for one, split in items if names else ():
        uses = _find_uses(one.item, split, names, read) if one.item.kind == "file" else {}
        used = max(1.0, _USED * _PLACES.get(place_of(one.item.path), 1.0))
        factors.append(
            [
                (used if number in uses else 1.0)
                * (_weigh_place(one.item.path, split, part, place) if place else 1.0)
                for number, part in enumerate(split.parts)
            ]
        )
    if not factors:
        return chances
    return CorrectedChances(
        *(
            [[a * b for a, b in zip(*pair, strict=True)] for pair in zip(rows, factors, strict=True)]
            for rows in chances
        )
    )


def _weigh_uses(
    item: ContextItem,
    split: SplitItem,
    uses: Mapping[int, Sequence[int]],
    names: Sequence[str],
) -> list[float]:
    """Return the weight of the uses in each part of an item."""
    weights = [0.0] * len(split.parts)
    for number, lines in uses.items():
        part = split.parts[number]
        weights[number] = (
            _PLACES.get(place_of(item.path), 1.0) * _weigh_definition(split, part, names) * len(lines)
        )
    return weights


def _weigh_definition(split: SplitItem, part: Part, names: Sequence[str]) -> float:
    """Return the weight of a use for what its part defines: `Cart.total` is defined in a file with a cart."""
    owned = [name for name in names if last_of(name) != name]
    if _defines(part, [name for name in owned if split.terms.keys() >= {*terms_of(name)}]):
        return _OWNED
    return _DEFINED if _defines(part, names) else 1.0


def _weigh_place(path: str, split: SplitItem, part: Part, place: ChangePlace) -> float:
    """Return the weight of a use by its distance from the place in which a task changes the name."""
    if place.is_definition and _defines(part, [place.name]):
        return _IN_PLACE
    return 1.0 if place.is_in(path, split.terms.keys()) else _OUTSIDE


def _defines(part: Part, names: Sequence[str]) -> bool:
    own = {last_of(name) for name in names}
    return any(symbol.name.rpartition(".")[2] in own for symbol in part.symbols)


def _find_uses(
    item: ContextItem, split: SplitItem, names: Sequence[str], read: Callable[[ContextItem], str]
) -> dict[int, list[int]]:
    """Return the lines of an item that use one of the names, by part.

    A file uses `Cart.total` if it holds both words: any other `total` is another's.
    """
    names = [name for name in names if split.terms.keys() >= {*terms_of(name)}]
    holding = {part for name in names for part in split.terms.get(term_of(name), ())[::2]}
    if not holding:
        return {}
    lines = read(item).split("\n")
    patterns = [compile_use(name) for name in names]
    found = {}
    for at in sorted(holding):
        first, last = split.parts[at].lines
        numbers = [
            number
            for number in range(first, min(last, len(lines)) + 1)
            if any(pattern.search(lines[number - 1]) for pattern in patterns)
        ]
        if numbers:
            found[at] = numbers
    return found


def cut_around_uses(
    split: SplitItem,
    bodies: Sequence[float],
    heads: Sequence[float],
    stretches: Stretches,
    uses: Mapping[int, Sequence[int]],
    *,
    without: float = WITHOUT,
) -> tuple[SplitItem, list[float], list[float]]:
    """Return long parts with uses as stretches, each worth its uses, and the worths of bodies and heads.

    Stretches `without` are worth that share of one use.
    """
    rows: dict[int, list[Stretch]] = {}
    for row in stretches.rows:
        if row.part in uses and split.parts[row.part].tokens > _LONG:
            rows.setdefault(row.part, []).append(row)
    parts: list[Part] = []
    new_bodies: list[float] = []
    new_heads: list[float] = []
    for at, part in enumerate(split.parts):
        mine = rows.get(at, [])
        counts = [
            sum(row.lines[0] <= line <= row.lines[1] for line in uses.get(at, ())) + without for row in mine
        ]
        total = sum(counts) or 1.0
        parts += worth.cut_part(part, mine)
        new_bodies += [bodies[at] * count / total for count in counts] or [bodies[at]]
        new_heads += [heads[at], *[0.0] * (len(mine) - 1)]
    return attrs.evolve(split, parts=tuple(parts)), new_bodies, new_heads
