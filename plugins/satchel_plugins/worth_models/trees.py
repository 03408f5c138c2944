"""Correct the chances of parts with decision trees learned from commits of many repositories.

The trees were trained by gradient boosting, first on which lines the fix touched, then on top of these on
which definitions. `docs/benchmarks/growing.py` trains them, `docs/explanation/worth.md` describes the data.
"""

from __future__ import annotations

import heapq
import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

import attrs

from satchel.plugin_api import (
    NO_LINES,
    Chances,
    CorrectedChances,
    Part,
    Scored,
    SplitItem,
    WeighedItems,
    end_of_span,
    inverse_document_frequency,
    split_words,
)

MOST = 300
"""Number of likeliest parts of files that get a row; others are hardly ever shown."""
_RANKS = ("chance", "in_file", "rank_in_file", "above")
_SHAPE = (
    "lines", "tokens", "branches", "branch_density", "call_density", "comments", "head", "span", "symbols",
)  # fmt: skip
_POSITION = ("place", "number", "before", "after", "tokens_before", "tokens_after", "surroundings")
_COVERAGE = ("covered", "held", "rarest", "cover_density", "cover_in_file", "around", "far_around")
_NAMED = ("name_weight", "name_share", "namesakes", "namesakes_share", "qualifier")
_KINDS = ("block", "class", "function")
_OWN = ("passages", "symbols", "hunks", "calls", "feedback", "precedents")
"""Scorers whose score of the part is a feature."""
_FILE = ("share", "lead", "salience", "parts", "likely", "lines", "tokens", "relevance", "covered", "suffix")
_BEST = (*_OWN, "lexical", "mentions", "history", "cochange", "recency", "paths")
"""Scorers whose best score in the file is a feature."""
_PACK = ("entropy", "terms")
NAMES = (
    *_RANKS, *_SHAPE, *_POSITION, *_COVERAGE, *_NAMED,
    *(f"kind {name}" for name in _KINDS), *(f"own {name}" for name in _OWN),
    *(f"file {name}" for name in (*_FILE, *_BEST)), *(f"pack {name}" for name in _PACK), "cover_rank",
)  # fmt: skip
"""The name of each number of a row. Shares are of all chances; unbounded values are logarithms."""
_LEAST = 1e-9
_NO_NEIGHBOUR = -20.0
_TYPICAL = 10
"""Tokens added when dividing by a part's tokens, so that the smallest parts do not win."""
_NEAR, _FAR = 1, 2
"""Number of parts on either side that are searched for the task's terms."""


class FeatureRow(NamedTuple):
    """The features of one part that may be needed."""

    item: int
    part: int
    numbers: list[float]


class _Pack(NamedTuple):
    total: float
    """Sum of all chances."""
    top: float
    """Logarithm of the likeliest part's share."""
    weights: Mapping[str, float]
    """Weights of the task's terms that occur in some part, higher for rare ones."""
    most: float
    """Sum of the weights."""
    rarest: float
    """Largest of the weights."""
    shares: Sequence[float]
    """Share of each item in all chances."""
    leaders: Sequence[int]
    """The two items with the largest shares, or the only one."""
    names: Mapping[str, tuple[float, float]]
    """Weight of the words in each name of the likeliest parts, and the share of words in the task."""
    namesakes: Mapping[str, tuple[float, float]]
    """Logarithms of the number of likeliest parts with a name, and of their share."""
    suffixes: Mapping[str, float]
    """Share of the files with each suffix in all chances."""
    ordered: Sequence[float]
    """Weight of each term, by its number."""
    numbers: list[float]


def rows(items: WeighedItems, chances: Chances, query: Mapping[str, float]) -> list[FeatureRow]:
    """Return a row for each of the likeliest parts of files, the likeliest first.

    `chances` are up to a common factor; `query` has the weight of each term of the task.
    """
    ranked = _likeliest(items, chances)
    if not ranked:
        return []
    pack = _measure_pack(items, chances, query, ranked=ranked)
    likely: dict[int, list[int]] = {}
    for _, item, part in ranked:
        likely.setdefault(item, []).append(part)
    files = {item: _measure_parts(items, chances, item, mine, pack=pack) for item, mine in likely.items()}
    best = {item: _log_ratio(max(chances[item]), pack) for item in likely}
    seen, above, found = dict.fromkeys(files, 0), 0.0, []
    for chance, item, part in ranked:
        above -= chance / pack.total
        at = _log_ratio(chances[item][part], pack)
        numbers = [at, at - best[item], math.log1p(seen[item]), above, *files[item][part], *pack.numbers]
        found.append(FeatureRow(item, part, numbers))
        seen[item] += 1
    at = NAMES.index("covered")
    for rank, row in enumerate(sorted(found, key=lambda row: row.numbers[at])):
        row.numbers.append(rank)
    return found


def _likeliest(items: WeighedItems, chances: Chances) -> list[tuple[float, int, int]]:
    """Return negated chance, item index and part index of the likeliest parts of files."""
    every = (
        (-chance, item, part)
        for item, ((scored, _), mine) in enumerate(zip(items, chances, strict=True))
        if _is_file(scored)
        for part, chance in enumerate(mine)
        if chance > 0
    )
    return heapq.nsmallest(MOST, every)


def _measure_pack(
    items: WeighedItems,
    chances: Chances,
    query: Mapping[str, float],
    *,
    ranked: Sequence[tuple[float, int, int]],
) -> _Pack:
    sums = [sum(mine) for mine in chances]
    total, count = sum(sums), sum(map(len, chances))
    splits = [split for _, split in items]
    weights = _weigh_terms(query, splits, count)
    shares = [mine / total for mine in sums]
    likely = [-chance / total for chance, _, _ in ranked]
    entropy = -sum([share * math.log(share) for share in likely])
    rarest = max(weights.values(), default=1.0)
    names = [splits[item].parts[part].name for _, item, part in ranked]
    return _Pack(
        total=total,
        top=_log(likely[0]),
        weights=weights,
        most=sum(weights.values()) or 1.0,
        rarest=rarest,
        shares=shares,
        leaders=heapq.nlargest(2, range(len(sums)), key=sums.__getitem__),
        names=_weigh_names({piece for name in names for piece in _pieces(name)}, weights, rarest),
        namesakes=_namesakes(names, likely),
        suffixes=_suffix_shares(items, shares),
        ordered=list(weights.values()),
        numbers=[entropy, len(query)],
    )


def _weigh_terms(query: Mapping[str, float], splits: Sequence[SplitItem], count: int) -> dict[str, float]:
    """Return the weight of each term of the task that occurs in some of `count` parts."""
    holding = {term: sum([len(split.terms.get(term, ())) for split in splits]) // 2 for term in query}
    return {
        term: weight * inverse_document_frequency(count, holding[term])
        for term, weight in query.items()
        if holding[term]
    }


def _suffix_shares(items: WeighedItems, shares: Sequence[float]) -> dict[str, float]:
    """Return the share of the files with each suffix in all chances."""
    suffixes: defaultdict[str, float] = defaultdict(float)
    for (scored, _), share in zip(items, shares, strict=True):
        if _is_file(scored):
            suffixes[_suffix(scored.item.path)] += share
    return suffixes


def _is_file(scored: Scored) -> bool:
    return scored.item.id.startswith("file:")


def _weigh_names(
    names: Collection[str], weights: Mapping[str, float], rarest: float
) -> dict[str, tuple[float, float]]:
    """Return the weight of the task's terms in each name, and the share of its words that are such terms."""
    told = {"": (0.0, 0.0)}
    listed = sorted(name for name in names if name)
    for name, words in zip(listed, split_words(listed), strict=True):
        said = [weights[word] for word in words if word in weights]
        told[name] = (sum(said) / rarest, len(said) / len(words))
    return told


def _namesakes(names: Sequence[str], shares: Sequence[float]) -> dict[str, tuple[float, float]]:
    """Return logarithms of the number of parts with each last name, and of their share of all chances."""
    counts: Counter[str] = Counter()
    sums: defaultdict[str, float] = defaultdict(float)
    for name, share in zip(names, shares, strict=True):
        last = _pieces(name)[1]
        counts[last] += 1
        sums[last] += share
    told = {name: (math.log1p(count), _log(sums[name])) for name, count in counts.items()}
    return {**told, "": (0.0, _log(0.0))}


def _measure_parts(
    items: WeighedItems, chances: Chances, item: int, likely: Sequence[int], *, pack: _Pack
) -> dict[int, list[float]]:
    """Return the features of the likely parts of a file, by part index, those of the file last."""
    (scored, split), mine = items[item], chances[item]
    parts, answers = split.parts, scored.answers
    covered, held, rarest, terms, of_file = _cover_terms(split, pack.weights)
    rival = max([pack.shares[leader] for leader in pack.leaders if leader != item], default=0.0)
    numbers = [
        _log(pack.shares[item]),
        rival - pack.shares[item],
        scored.salience,
        math.log(len(mine)),
        math.log1p(len(likely)),
        math.log1p(parts[-1].lines[1]),
        math.log1p(sum([part.tokens for part in parts])),
        scored.item.relevance,
        of_file / pack.most,
        pack.suffixes[_suffix(scored.item.path)],
        *[scored.scores.get(name, 0.0) for name in _BEST],
    ]
    around = _surroundings(parts, mine)
    found = {}
    for at in likely:
        part, share = parts[at], covered[at] / pack.most
        qualifier, name = _pieces(part.name)
        near, far = [
            sum(
                [pack.ordered[term] for term in sorted({*chain(*terms[max(at - reach, 0) : at + reach + 1])})]
            )
            for reach in (_NEAR, _FAR)
        ]
        found[at] = [
            *_shape_features(part),
            *_position_features(parts, mine, at, pack),
            around.get(at, 0.0),
            share,
            math.log1p(held[at]),
            rarest[at] / pack.rarest,
            share / math.log(part.tokens + _TYPICAL),
            covered[at] / (of_file or 1.0),
            near / pack.most,
            far / pack.most,
            *pack.names[name],
            *pack.namesakes[name],
            pack.names[qualifier][0],
            *[part.kind == kind for kind in _KINDS],
            *[answers[name][at] if name in answers else 0.0 for name in _OWN],
            *numbers,
        ]
    return found


def _surroundings(parts: Sequence[Part], chances: Sequence[float]) -> dict[int, float]:
    """Return the share of the innermost definition around each part in the file's chances."""
    total, around = sum(chances), {}
    for at, part in enumerate(parts):
        if part.span == NO_LINES:
            continue
        end = end_of_span(parts, at)
        around.update(dict.fromkeys(range(at, end), sum(chances[at:end]) / total))
    return around


def _cover_terms(
    split: SplitItem, weights: Mapping[str, float]
) -> tuple[list[float], list[int], list[float], list[list[int]], float]:
    """Return the task's terms in each part, and the weight of those in the file.

    For a part these are their weight, their number, their largest weight, and the terms by their numbers.
    """
    count, file = len(split.parts), 0.0
    covered, held, rarest = [0.0] * count, [0] * count, [0.0] * count
    terms: list[list[int]] = [[] for _ in range(count)]
    for at, (term, weight) in enumerate(weights.items()):
        places = split.terms.get(term)
        if places:
            file += weight
            for part in places[::2]:
                covered[part] += weight
                held[part] += 1
                terms[part].append(at)
                if weight > rarest[part]:
                    rarest[part] = weight
    return covered, held, rarest, terms, file


def _shape_features(part: Part) -> Sequence[float]:
    tokens = part.tokens + _TYPICAL
    return (
        math.log(part.lines[1] - part.lines[0] + 1),
        part.tokens,
        math.log1p(part.branches),
        part.branches / tokens,
        part.calls / tokens,
        part.comments,
        part.head != NO_LINES,
        part.span != NO_LINES,
        math.log1p(len(part.symbols)),
    )


def _position_features(
    parts: Sequence[Part], chances: Sequence[float], at: int, pack: _Pack
) -> Sequence[float]:
    last = len(parts) - 1
    return (
        at / (last or 1),
        at,
        _log_ratio(chances[at - 1], pack) if at else _NO_NEIGHBOUR,
        _log_ratio(chances[at + 1], pack) if at < last else _NO_NEIGHBOUR,
        parts[at - 1].tokens if at else 0,
        parts[at + 1].tokens if at < last else 0,
    )


def _pieces(name: str) -> tuple[str, str]:
    """Return the qualifier and the last piece of a name."""
    qualifier, _, last = name.rpartition(".")
    return qualifier, last


def _suffix(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2]


def _log(share: float) -> float:
    return math.log(share + _LEAST)


def _log_ratio(chance: float, pack: _Pack) -> float:
    """Return the logarithm of a chance relative to the likeliest part's."""
    return _log(chance / pack.total) - pack.top


_TREES_FILE = "trees.json"


Fork: TypeAlias = "tuple[int, float, Tree, Tree]"
"""A node: feature position, threshold, the subtree up to the threshold, and the subtree above. Plain tuples
take half the time of a class, and packs traverse some 100,000."""
Tree: TypeAlias = "float | Fork"
"""A leaf's value, or a node."""


@cache
def load_trees() -> tuple[tuple[Tree, ...], tuple[Tree, ...]]:
    """Load the trees that ship with satchel: for needed lines, and for how much likelier a definition is.

    Raises:
        ValueError: they were trained on other features.
    """
    stored = json.loads(Path(__file__).with_name(_TREES_FILE).read_text("utf-8"))
    if tuple(stored["features"]) != NAMES:
        raise ValueError(f"{_TREES_FILE} was grown from other features: run docs/benchmarks/growing.py")
    return tuple(map(as_tree, stored["lines"])), tuple(map(as_tree, stored["definitions"]))


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
        for_lines, for_definitions = load_trees()
        of_lines = [sum_trees(row.numbers, for_lines) for row in table]
        more = [sum_trees(row.numbers, for_definitions) for row in table]
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
