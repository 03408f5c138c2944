"""The chances that each part of a pack is needed, which a model of worth corrects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from satchel.packing.scoring import Scored
from satchel.parts import SplitItem

WeighedItems: TypeAlias = Sequence[tuple[Scored, SplitItem]]
"""The items of a pack with the saliences of all scorers, and their parts with exact counts and terms."""
PartPlace: TypeAlias = tuple[int, int]
"""The numbers of an item and of its part."""
Chances: TypeAlias = Sequence[Sequence[float]]
"""The chance of each part of each item, up to a common factor."""


DEFINITIONS_SHARE = 1 / 3
"""Weight of definitions in a combined chance; lines have the rest."""


def find_highest(rows: Chances) -> float:
    """Return the highest number of all parts, 0 without parts."""
    return max((max(mine, default=0.0) for mine in rows), default=0.0)


def scale_items(scores: list[list[float]], places: Iterable[int], factor: float) -> None:
    """Multiply the scores of some items."""
    for at in places:
        scores[at] = [factor * score for score in scores[at]]


_LATER = 0.99
"""Weight of the next item with such lines, relative to the one before it."""


def raise_lines(
    scores: list[list[float]],
    known: Mapping[int, Mapping[int, Sequence[int]]],
    score: float,
    *,
    explained: dict[int, dict[int, list[int]]],
) -> None:
    """Let the parts with known lines have this score, the first items most, and add these to `explained`."""
    for place, (at, rows) in enumerate(known.items()):
        for part, lines in rows.items():
            scores[at][part] = score * _LATER**place
            explained.setdefault(at, {}).setdefault(part, []).extend(lines)


class CorrectedChances(NamedTuple):
    """Chances of all parts of each item, up to a common factor."""

    lines: Chances
    """Chance that a part's lines are needed."""
    definitions: Chances
    """Chance that a part's definition is needed: its head, or without one the part itself."""

    def both(self) -> list[list[float]]:
        """Return the chances that a part is needed for its lines or its definition."""
        return [
            [line + DEFINITIONS_SHARE * (definition - line) for line, definition in zip(*mine, strict=True)]
            for mine in zip(self.lines, self.definitions, strict=True)
        ]
