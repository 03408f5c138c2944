"""Features: numbers about the parts of a pack that may be needed, by which trees correct their chances.

A row tells of one part: of itself, of its file and of the pack. `NAMES` says what stands at which place.
Trees know a number by its place, so they are grown anew where a name comes, goes or means something else.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from satchel.parts import NO_LINES, Part, Split
from satchel.scoring import Scored
from satchel.workspace.terms import inverse_document_frequency, split_words

MOST = 300
"""So many of the likeliest parts of files get a row; what is below them is hardly ever shown."""
_RANKS = ("chance", "in_file", "rank_in_file", "above")
_MADE = ("lines", "branches", "branch_density", "comments", "head", "span", "symbols")
_PLACED = ("place", "before", "after")
_SPOKEN = ("covered", "held", "rarest", "cover_density", "cover_in_file")
_NAMED = ("name_weight", "name_share", "namesakes")
_KINDS = ("block", "class", "function")
_OWN = ("passages", "symbols", "hunks", "calls", "feedback")
"""Scorers whose answer for the part itself counts."""
_FILE = ("share", "lead", "salience", "parts", "tokens", "relevance", "covered")
_BEST = (*_OWN, "lexical", "mentions", "precedents", "history", "cochange", "recency", "paths")
"""Scorers whose best answer for the file counts."""
_PACK = ("entropy", "terms")
NAMES = (
    *_RANKS, *_MADE, *_PLACED, *_SPOKEN, *_NAMED,
    *(f"kind {name}" for name in _KINDS), *(f"own {name}" for name in _OWN),
    *(f"file {name}" for name in (*_FILE, *_BEST)), *(f"pack {name}" for name in _PACK),
)  # fmt: skip
"""What each number of a row is. Shares are of all chances; what has no bound stands as a logarithm."""
_LEAST = 1e-9
_NO_NEIGHBOUR = -20.0
_TYPICAL = 10
"""Tokens added where something is divided by a part's tokens, so that the smallest do not win."""


Items: TypeAlias = Sequence[tuple[Scored, Split]]
Chances: TypeAlias = Sequence[Sequence[float]]
"""Of each part of each item."""


class Row(NamedTuple):
    """One part that may be needed."""

    item: int
    part: int
    numbers: list[float]


class _Pack(NamedTuple):
    total: float
    """Of all chances."""
    top: float
    """Logarithm of the share of the likeliest part."""
    weights: Mapping[str, float]
    """Of the task's terms that stand in some part: more for the rare ones."""
    most: float
    """Sum of them."""
    rarest: float
    """The largest of them."""
    shares: Sequence[float]
    """Of each item."""
    leaders: Sequence[int]
    """The two items with the largest shares, or the only one."""
    names: Mapping[str, tuple[float, float, float]]
    """What `_NAMED` says of each name of the likeliest parts."""
    numbers: list[float]


class _Spoken(NamedTuple):
    """How much of the task each part of a file speaks of."""

    covered: list[float]
    """Weight of the terms in each part."""
    held: list[int]
    """How many they are."""
    rarest: list[float]
    """The most that one of them weighs."""
    file: float
    """Weight of the terms in the file."""


class _File(NamedTuple):
    scored: Scored
    parts: Sequence[Part]
    chances: Sequence[float]
    best: float
    """Logarithm of the likeliest part's chance, beside the likeliest of the pack."""
    spoken: _Spoken
    numbers: list[float]


def rows(items: Items, chances: Chances, query: Mapping[str, float]) -> list[Row]:
    """Return a row for each of the likeliest parts of files, the likeliest first.

    `chances` are up to a common factor; `query` says how much each term of the task weighs.
    """
    ranked = _likeliest(items, chances)
    if not ranked:
        return []
    pack = _of_pack(items, chances, query, ranked=ranked)
    files = {
        item: _of_file(items[item], chances[item], item, pack=pack) for item in {one[1] for one in ranked}
    }
    seen, above, found = dict.fromkeys(files, 0), 0.0, []
    for chance, item, part in ranked:
        file = files[item]
        above -= chance / pack.total
        at = _beside(file.chances[part], pack)
        numbers = [at, at - file.best, math.log1p(seen[item]), above, *_of_part(file, part, pack=pack)]
        found.append(Row(item, part, [*numbers, *file.numbers, *pack.numbers]))
        seen[item] += 1
    return found


def _likeliest(items: Items, chances: Chances) -> list[tuple[float, int, int]]:
    """Return minus the chance, the item and the number of the likeliest parts of files."""
    every = (
        (-chance, item, part)
        for item, ((scored, _), mine) in enumerate(zip(items, chances, strict=True))
        if scored.item.id.startswith("file:")
        for part, chance in enumerate(mine)
        if chance > 0
    )
    return heapq.nsmallest(MOST, every)


def _of_pack(
    items: Items, chances: Chances, query: Mapping[str, float], *, ranked: Sequence[tuple[float, int, int]]
) -> _Pack:
    sums = [sum(mine) for mine in chances]
    total, count = sum(sums), sum(map(len, chances))
    splits = [split for _, split in items]
    holding = {term: sum([len(split.terms.get(term, ())) for split in splits]) // 2 for term in query}
    weights = {
        term: weight * inverse_document_frequency(count, holding[term])
        for term, weight in query.items()
        if holding[term]
    }
    likely = [-chance / total for chance, _, _ in ranked]
    entropy = -sum([share * math.log(share) for share in likely])
    rarest = max(weights.values(), default=1.0)
    names = Counter([_last(splits[item].parts[part].name) for _, item, part in ranked])
    return _Pack(
        total=total,
        top=_log(likely[0]),
        weights=weights,
        most=sum(weights.values()) or 1.0,
        rarest=rarest,
        shares=[mine / total for mine in sums],
        leaders=heapq.nlargest(2, range(len(sums)), key=sums.__getitem__),
        names=_of_names(names, weights, rarest),
        numbers=[entropy, len(query)],
    )


def _of_names(
    names: Mapping[str, int], weights: Mapping[str, float], rarest: float
) -> dict[str, tuple[float, float, float]]:
    """Return how much of the task each name speaks of, how much of it does, and how many parts have it."""
    told = {"": (0.0, 0.0, 0.0)}
    listed = [name for name in names if name]
    for name, words in zip(listed, split_words(listed), strict=True):
        said = [weights[word] for word in words if word in weights]
        told[name] = (sum(said) / rarest, len(said) / len(words), math.log1p(names[name]))
    return told


def _of_file(one: tuple[Scored, Split], chances: Sequence[float], item: int, *, pack: _Pack) -> _File:
    scored, split = one
    spoken = _spoken(split, pack.weights)
    rival = max([pack.shares[leader] for leader in pack.leaders if leader != item], default=0.0)
    numbers = [
        _log(pack.shares[item]),
        rival - pack.shares[item],
        scored.salience,
        math.log(len(chances)),
        math.log1p(sum([part.tokens for part in split.parts])),
        scored.item.relevance,
        spoken.file / pack.most,
        *[scored.scores.get(name, 0.0) for name in _BEST],
    ]
    return _File(scored, split.parts, chances, _beside(max(chances), pack), spoken, numbers)


def _spoken(split: Split, weights: Mapping[str, float]) -> _Spoken:
    count, file = len(split.parts), 0.0
    covered, held, rarest = [0.0] * count, [0] * count, [0.0] * count
    for term, weight in weights.items():
        places = split.terms.get(term)
        if places:
            file += weight
            for part in places[::2]:
                covered[part] += weight
                held[part] += 1
                if weight > rarest[part]:
                    rarest[part] = weight
    return _Spoken(covered, held, rarest, file)


def _of_part(file: _File, at: int, *, pack: _Pack) -> list[float]:
    part, chances, spoken, last = file.parts[at], file.chances, file.spoken, len(file.parts) - 1
    covered, tokens = spoken.covered[at] / pack.most, part.tokens + _TYPICAL
    answers = file.scored.answers
    return [
        math.log(part.lines[1] - part.lines[0] + 1),
        math.log1p(part.branches),
        part.branches / tokens,
        part.comments,
        part.head != NO_LINES,
        part.span != NO_LINES,
        math.log1p(len(part.symbols)),
        at / (last or 1),
        _beside(chances[at - 1], pack) if at else _NO_NEIGHBOUR,
        _beside(chances[at + 1], pack) if at < last else _NO_NEIGHBOUR,
        covered,
        math.log1p(spoken.held[at]),
        spoken.rarest[at] / pack.rarest,
        covered / math.log(tokens),
        spoken.covered[at] / (spoken.file or 1.0),
        *pack.names[_last(part.name)],
        *[part.kind == kind for kind in _KINDS],
        *[answers[name][at] if name in answers else 0.0 for name in _OWN],
    ]


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _log(share: float) -> float:
    return math.log(share + _LEAST)


def _beside(chance: float, pack: _Pack) -> float:
    """Return the logarithm of a chance beside that of the likeliest part."""
    return _log(chance / pack.total) - pack.top
