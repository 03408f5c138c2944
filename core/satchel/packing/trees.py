"""Trees: how much likelier a part is needed than its chance tells, learned from many repositories' commits.

The trees were grown by gradient boosting, each to mend what all before it leave: first which lines did the
fix touch, then, on top of these, which definitions? `docs/benchmarks/growing.py` grows them,
`docs/explanation/worth.md` tells from what.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from satchel.packing.features import NAMES, Chances, Items, Row, rows

_FILE = "trees.json"


Fork: TypeAlias = "tuple[int, float, Tree, Tree]"
"""Where a tree goes on by the number at a place: to the third where it is no larger than the second, else
to the fourth. No class: plain tuples take half the time, and packs go through some 100,000."""
Tree: TypeAlias = "float | Fork"
"""What it says, or where it forks."""


DEFINITIONS_SHARE = 1 / 3
"""What a fix's definitions count where one chance stands for both; its lines count the rest."""


class Grown(NamedTuple):
    """Two kinds of trees."""

    lines: tuple[Tree, ...]
    """Say which parts have lines that are needed."""
    definitions: tuple[Tree, ...]
    """Say how much likelier what a part defines is needed than its lines."""


class Corrected(NamedTuple):
    """Chances of all parts of each item, up to one factor for all of them."""

    lines: list[list[float]]
    """That lines of a part are needed."""
    definitions: list[list[float]]
    """That what a part defines is needed: where its head stands, or where it has none, itself."""

    def both(self) -> list[list[float]]:
        """Return the chances that a part is needed for its lines or for what it defines."""
        return [
            [line + DEFINITIONS_SHARE * (definition - line) for line, definition in zip(*mine, strict=True)]
            for mine in zip(self.lines, self.definitions, strict=True)
        ]


@cache
def grown() -> Grown:
    """Return the trees that satchel comes with.

    Raises:
        ValueError: they were grown from other features than there are now.
    """
    stored = json.loads(Path(__file__).with_name(_FILE).read_text("utf-8"))
    if tuple(stored["features"]) != NAMES:
        raise ValueError(f"{_FILE} was grown from other features: run docs/benchmarks/growing.py")
    return Grown(tuple(map(as_tree, stored["lines"])), tuple(map(as_tree, stored["definitions"])))


def as_tree(stored: float | list[Any]) -> Tree:
    """Return a tree from numbers and lists of four: a place, a threshold and two trees."""
    if not isinstance(stored, list):
        return stored
    place, threshold, up_to, above = stored
    return place, threshold, as_tree(up_to), as_tree(above)


def corrected(items: Items, chances: Chances, query: Mapping[str, float]) -> Corrected:
    """Return the chances of all parts with the likeliest ones' mended by trees.

    What trees don't judge keeps its chance. What they say is taken less its mean over the pack, weighed by
    chances, so that files as a whole win or lose nothing against what providers bring.
    """
    table = rows(items, chances, query)
    trees = grown()
    of_lines = [told(row.numbers, trees.lines) for row in table]
    more = [told(row.numbers, trees.definitions) for row in table]
    of_definitions = [line + logit for line, logit in zip(of_lines, more, strict=True)]
    return Corrected(_mended(chances, table, of_lines), _mended(chances, table, of_definitions))


def _mended(chances: Chances, table: Sequence[Row], said: Sequence[float]) -> list[list[float]]:
    """Return chances with those of a table's parts multiplied by what was said of them, as logarithms."""
    mended = [list(mine) for mine in chances]
    if not table:
        return mended
    held = [chances[row.item][row.part] for row in table]
    mean = sum([chance * logit for chance, logit in zip(held, said, strict=True)]) / sum(map(sum, chances))
    for row, logit in zip(table, said, strict=True):
        mended[row.item][row.part] *= math.exp(logit - mean)
    return mended


def told(numbers: Sequence[float], trees: Iterable[Tree]) -> float:
    """Return the sum of what trees say of a row: the logarithm of how much likelier its part is needed."""
    total = 0.0
    for tree in trees:
        node = tree
        while isinstance(node, tuple):
            place, threshold, up_to, above = node
            node = up_to if numbers[place] <= threshold else above
        total += node
    return total
