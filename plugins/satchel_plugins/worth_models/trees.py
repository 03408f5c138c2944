"""Correct the chances of parts with decision trees learned from commits of many repositories.

The trees were trained by gradient boosting, first on which lines the fix touched, then on top of these on
which definitions. `docs/benchmarks/growing.py` trains them, `docs/explanation/worth.md` describes the data.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

import attrs

from satchel.plugin_api import Chances, CorrectedChances, WeighedItems
from satchel_plugins.worth_models.features import NAMES, FeatureRow, rows

_FILE = "trees.json"


Fork: TypeAlias = "tuple[int, float, Tree, Tree]"
"""A node: feature position, threshold, the subtree up to the threshold, and the subtree above. Plain tuples
take half the time of a class, and packs traverse some 100,000."""
Tree: TypeAlias = "float | Fork"
"""A leaf's value, or a node."""


class TreeSet(NamedTuple):
    """The trees for lines and for definitions."""

    lines: tuple[Tree, ...]
    """Predict which parts have needed lines."""
    definitions: tuple[Tree, ...]
    """Predict how much likelier a part's definition is needed than its lines."""


@cache
def load_trees() -> TreeSet:
    """Load the trees that ship with satchel.

    Raises:
        ValueError: they were trained on other features.
    """
    stored = json.loads(Path(__file__).with_name(_FILE).read_text("utf-8"))
    if tuple(stored["features"]) != NAMES:
        raise ValueError(f"{_FILE} was grown from other features: run docs/benchmarks/growing.py")
    return TreeSet(tuple(map(as_tree, stored["lines"])), tuple(map(as_tree, stored["definitions"])))


def as_tree(stored: float | list[Any]) -> Tree:
    """Convert a number, or a list of position, threshold and two subtrees, to a tree."""
    if not isinstance(stored, list):
        return stored
    place, threshold, up_to, above = stored
    return place, threshold, as_tree(up_to), as_tree(above)


@attrs.frozen(eq=False, repr=False)
class Trees:
    """Correct the chances of the likeliest parts by decision trees grown from commits."""

    name: ClassVar[str] = "trees"

    def correct(self, items: WeighedItems, chances: Chances, query: Mapping[str, float]) -> CorrectedChances:
        """Return the chances of all parts, those of the likeliest corrected.

        Other parts keep theirs. The values of trees are centered at their mean over the pack, weighted by
        chances, so that files as a whole neither gain nor lose against providers' own texts.
        """
        table = rows(items, chances, query)
        trees = load_trees()
        of_lines = [sum_trees(row.numbers, trees.lines) for row in table]
        more = [sum_trees(row.numbers, trees.definitions) for row in table]
        of_definitions = [line + logit for line, logit in zip(of_lines, more, strict=True)]
        return CorrectedChances(
            _apply_logits(chances, table, of_lines), _apply_logits(chances, table, of_definitions)
        )


def _apply_logits(chances: Chances, table: Sequence[FeatureRow], said: Sequence[float]) -> list[list[float]]:
    """Multiply the chances of a table's parts by factors given as logarithms."""
    mended = [list(mine) for mine in chances]
    if not table:
        return mended
    held = [chances[row.item][row.part] for row in table]
    mean = sum([chance * logit for chance, logit in zip(held, said, strict=True)]) / sum(map(sum, chances))
    for row, logit in zip(table, said, strict=True):
        mended[row.item][row.part] *= math.exp(logit - mean)
    return mended


def sum_trees(numbers: Sequence[float], trees: Iterable[Tree]) -> float:
    """Return the sum of all trees for a row: the logarithm of the factor for its part's chance."""
    total = 0.0
    for tree in trees:
        node = tree
        while isinstance(node, tuple):
            place, threshold, up_to, above = node
            node = up_to if numbers[place] <= threshold else above
        total += node
    return total
