"""Trees: how much likelier a part is needed than its chance tells, learned from many repositories' commits.

The trees were grown by gradient boosting, each to mend what all before it leave: which lines and definitions
did the fix touch? `docs/benchmarks/growing.py` grows them, `docs/explanation/worth.md` tells from what.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from satchel.weighing.features import NAMES, Chances, Items, rows

_FILE = "trees.json"


Fork: TypeAlias = "tuple[int, float, Tree, Tree]"
"""Where a tree goes on by the number at a place: to the third where it is no larger than the second, else
to the fourth. No class: plain tuples take half the time, and packs go through some 100,000."""
Tree: TypeAlias = "float | Fork"
"""What it says, or where it forks."""


@cache
def grown() -> tuple[Tree, ...]:
    """Return the trees that satchel comes with.

    Raises:
        ValueError: they were grown from other features than there are now.
    """
    stored = json.loads(Path(__file__).with_name(_FILE).read_text("utf-8"))
    if tuple(stored["features"]) != NAMES:
        raise ValueError(f"{_FILE} was grown from other features: run docs/benchmarks/growing.py")
    return tuple(map(as_tree, stored["trees"]))


def as_tree(stored: float | list[Any]) -> Tree:
    """Return a tree from numbers and lists of four: a place, a threshold and two trees."""
    if not isinstance(stored, list):
        return stored
    place, threshold, up_to, above = stored
    return place, threshold, as_tree(up_to), as_tree(above)


def corrected(items: Items, chances: Chances, query: Mapping[str, float]) -> list[list[float]]:
    """Return the chances of all parts with the likeliest ones' mended by trees.

    What trees don't judge keeps its chance. What they say is taken less its mean over the pack, weighed by
    chances, so that files as a whole win or lose nothing against what providers bring.
    """
    table = rows(items, chances, query)
    mended = [list(mine) for mine in chances]
    if not table:
        return mended
    said = [told(row.numbers, grown()) for row in table]
    held = [chances[row.item][row.part] for row in table]
    mean = sum(chance * logit for chance, logit in zip(held, said, strict=True)) / sum(map(sum, chances))
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
