"""Features: numbers about the parts of a pack that may be needed, by which trees correct their chances.

A row tells of one part: of itself, of its file and of the pack. `NAMES` says what stands at which place.
Trees know a number by its place, so they are grown anew where a name comes, goes or means something else.
"""

from __future__ import annotations

import heapq
import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple, TypeAlias

from satchel.packing.scoring import Scored
from satchel.parts import NO_LINES, Lines, Part, Split, end_of_span
from satchel.patterns import lazily
from satchel.workspace.index.terms import inverse_document_frequency, runs_of, split_words

_WORDS = frozenset(
    "if for while case catch switch match elif except return raise throw loop".split()  # noqa: SIM905
)
_MARKS = ("&&", "||", "?")
_BRANCHES = lazily(rf"(?<![A-Za-z0-9_])(?:{'|'.join(sorted(_WORDS))})\b|{'|'.join(map(re.escape, _MARKS))}")
_DOCSTRING = lazily(r"[rRbBuUfF]{0,2}(\"\"\"|''')")
_HASHED = frozenset("py pyi rb sh bash pl r jl ex exs yml yaml toml cmake tf nix".split())  # noqa: SIM905
"""Suffixes of languages whose comments begin with a hash, and whose long strings with three quotes."""
_DIRECTIVES = frozenset("c h cc cpp cxx hh hpp hxx m mm cs rs".split())  # noqa: SIM905
"""Suffixes of languages in which a hash begins a directive or an attribute."""
_PER_LINE = 4
"""What a line that is not empty counts beside its characters."""


class Shape(NamedTuple):
    """What a run of lines is made of."""

    branches: int
    """Words and marks in its code where the course may part or end: `if`, `case`, `return`, `&&`, `?`."""
    comments: float
    """Share of its text that comments and docstrings make up, 0..1."""
    calls: int
    """Opening parentheses in its text: about how often it calls something."""


class Run(NamedTuple):
    """Some lines of a text, and what they hold."""

    lines: Lines
    text: str
    words: Sequence[str]
    """The runs of letters, digits and "_" in it; asked where the text is ASCII."""


def shapes(lines: Sequence[str], runs: Sequence[Run], path: str) -> list[Shape]:
    """Return the shape of each run of a text's lines; the path's suffix tells what a comment is."""
    said = _comments(lines, path.rpartition(".")[2].lower())
    places = [(bisect_left(said, run.lines[0] - 1), bisect_left(said, run.lines[1])) for run in runs]
    return [_shape(run, lines, said[first:last]) for run, (first, last) in zip(runs, places, strict=True)]


def _shape(run: Run, lines: Sequence[str], said: Sequence[int]) -> Shape:
    """Return the shape of a run in which these lines are comments."""
    branches, calls = _branches(run.text, run.words), run.text.count("(")
    if not said:
        return Shape(branches, 0.0, calls)
    told = [lines[at] for at in said]
    text = "\n".join(told)
    if branches:
        branches -= _branches(text, runs_of(text))
    mine = lines[run.lines[0] - 1 : run.lines[1]]
    size = sum(map(len, mine)) + _PER_LINE * (len(mine) - mine.count(""))
    return Shape(branches, round((len(text) + 3 * len(told) + 1) / size, 2), calls)


def _branches(text: str, words: Sequence[str]) -> int:
    """Count what `_BRANCHES` finds in a text, by its words where these tell enough: several times as fast."""
    if not text.isascii():
        return len(_BRANCHES.findall(text))
    return sum(map(text.count, _MARKS)) + sum(map(_WORDS.__contains__, words))


def _comments(lines: Sequence[str], suffix: str) -> list[int]:
    """Return the lines, counted from 0, that belong to a comment or a docstring; no blank one does."""
    marks = ("#",) if suffix in _HASHED else ("//",) if suffix in _DIRECTIVES else ("//", "#")
    said = {
        at
        for mark in marks
        for at, line in enumerate(lines)
        if mark in line and line.lstrip().startswith(mark)
    }
    opened = _docstring if suffix in _HASHED else _block
    begin, end = 0, ""
    for at in _marked(lines, suffix):
        text = lines[at].strip()
        if not end:
            end, opens = opened(text)
            said.update([at] if opens else ())
            begin = at + 1
        elif end in text:
            said.update(_not_blank(lines, begin, at + 1))
            end = ""
    if end:
        said.update(_not_blank(lines, begin, len(lines)))
    return sorted(said)


def _not_blank(lines: Sequence[str], begin: int, end: int) -> Iterator[int]:
    return (at for at in range(begin, end) if lines[at] and not lines[at].isspace())


def _marked(lines: Sequence[str], suffix: str) -> list[int]:
    """Return the lines in which a comment or docstring of several lines can begin or end."""
    if suffix in _HASHED:
        return [at for at, line in enumerate(lines) if '"""' in line or "'''" in line]
    return [at for at, line in enumerate(lines) if "/*" in line or "*/" in line]


def _docstring(text: str) -> tuple[str, bool]:
    """Return what ends the docstring that a line opens, "" for none, and whether it opens one."""
    match = _DOCSTRING.match(text)
    if match is None:
        return "", False
    return "" if match[1] in text[match.end() :] else match[1], True


def _block(text: str) -> tuple[str, bool]:
    """Return what ends the comment that a line opens, "" for none, and whether it is one."""
    if not text.startswith("/*"):
        return "", False
    return "" if "*/" in text[2:] else "*/", True


MOST = 300
"""So many of the likeliest parts of files get a row; what is below them is hardly ever shown."""
_RANKS = ("chance", "in_file", "rank_in_file", "above")
_MADE = (
    "lines", "tokens", "branches", "branch_density", "call_density", "comments", "head", "span", "symbols",
)  # fmt: skip
_PLACED = ("place", "number", "before", "after", "tokens_before", "tokens_after", "surroundings")
_SPOKEN = ("covered", "held", "rarest", "cover_density", "cover_in_file", "around", "far_around")
_NAMED = ("name_weight", "name_share", "namesakes", "namesakes_share", "qualifier")
_KINDS = ("block", "class", "function")
_OWN = ("passages", "symbols", "hunks", "calls", "feedback", "precedents")
"""Scorers whose answer for the part itself counts."""
_FILE = ("share", "lead", "salience", "parts", "likely", "lines", "tokens", "relevance", "covered", "suffix")
_BEST = (*_OWN, "lexical", "mentions", "history", "cochange", "recency", "paths")
"""Scorers whose best answer for the file counts."""
_PACK = ("entropy", "terms")
NAMES = (
    *_RANKS, *_MADE, *_PLACED, *_SPOKEN, *_NAMED,
    *(f"kind {name}" for name in _KINDS), *(f"own {name}" for name in _OWN),
    *(f"file {name}" for name in (*_FILE, *_BEST)), *(f"pack {name}" for name in _PACK), "cover_rank",
)  # fmt: skip
"""What each number of a row is. Shares are of all chances; what has no bound stands as a logarithm."""
_LEAST = 1e-9
_NO_NEIGHBOUR = -20.0
_TYPICAL = 10
"""Tokens added where something is divided by a part's tokens, so that the smallest do not win."""
_NEAR, _FAR = 1, 2
"""So many parts on either side are looked at for the task's terms."""


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
    names: Mapping[str, tuple[float, float]]
    """What the words of each name of the likeliest parts weigh, and the share of them that the task has."""
    namesakes: Mapping[str, tuple[float, float]]
    """Logarithms of how many of the likeliest parts have a name, and of their share."""
    suffixes: Mapping[str, float]
    """Share of the files with each suffix."""
    ordered: Sequence[float]
    """What each of the terms weighs, by the number of its bit."""
    weighed: dict[int, float]
    """What sets of terms weigh that were asked for, by their bits."""
    numbers: list[float]

    def weight(self, terms: int) -> float:
        """Return what a set of terms weighs."""
        if terms not in self.weighed:
            total, left = 0.0, terms
            while left:
                lowest = left & -left
                total += self.ordered[lowest.bit_length() - 1]
                left ^= lowest
            self.weighed[terms] = total
        return self.weighed[terms]


class _Spoken(NamedTuple):
    """How much of the task each part of a file speaks of."""

    covered: list[float]
    """Weight of the terms in each part."""
    held: list[int]
    """How many they are."""
    rarest: list[float]
    """The most that one of them weighs."""
    terms: list[int]
    """Which they are, as bits."""
    file: float
    """Weight of the terms in the file."""


class _File(NamedTuple):
    scored: Scored
    parts: Sequence[Part]
    chances: Sequence[float]
    best: float
    """Logarithm of the likeliest part's chance, beside the likeliest of the pack."""
    spoken: _Spoken
    around: Mapping[int, float]
    """By number of a part of a definition with parts of its own, the share that these have of the file."""
    numbers: list[float]


def rows(items: Items, chances: Chances, query: Mapping[str, float]) -> list[Row]:
    """Return a row for each of the likeliest parts of files, the likeliest first.

    `chances` are up to a common factor; `query` says how much each term of the task weighs.
    """
    ranked = _likeliest(items, chances)
    if not ranked:
        return []
    pack = _of_pack(items, chances, query, ranked=ranked)
    likely = Counter([item for _, item, _ in ranked])
    files = {item: _of_file(items[item], chances[item], item, likely[item], pack=pack) for item in likely}
    seen, above, found = dict.fromkeys(files, 0), 0.0, []
    for chance, item, part in ranked:
        file = files[item]
        above -= chance / pack.total
        at = _beside(file.chances[part], pack)
        numbers = [at, at - file.best, math.log1p(seen[item]), above, *_of_part(file, part, pack=pack)]
        found.append(Row(item, part, [*numbers, *file.numbers, *pack.numbers]))
        seen[item] += 1
    at = NAMES.index("covered")
    for rank, row in enumerate(sorted(found, key=lambda row: row.numbers[at])):
        row.numbers.append(rank)
    return found


def _likeliest(items: Items, chances: Chances) -> list[tuple[float, int, int]]:
    """Return minus the chance, the item and the number of the likeliest parts of files."""
    every = (
        (-chance, item, part)
        for item, ((scored, _), mine) in enumerate(zip(items, chances, strict=True))
        if _is_file(scored)
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
    weights = _of_terms(query, splits, count)
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
        names=_of_names({piece for name in names for piece in _pieces(name)}, weights, rarest),
        namesakes=_namesakes(names, likely),
        suffixes=_of_suffixes(items, shares),
        ordered=list(weights.values()),
        weighed={},
        numbers=[entropy, len(query)],
    )


def _of_terms(query: Mapping[str, float], splits: Sequence[Split], count: int) -> dict[str, float]:
    """Return what each term of the task weighs that stands in some of that many parts."""
    holding = {term: sum([len(split.terms.get(term, ())) for split in splits]) // 2 for term in query}
    return {
        term: weight * inverse_document_frequency(count, holding[term])
        for term, weight in query.items()
        if holding[term]
    }


def _of_suffixes(items: Items, shares: Sequence[float]) -> dict[str, float]:
    """Return the share of all chances that the files with each suffix have."""
    suffixes: defaultdict[str, float] = defaultdict(float)
    for (scored, _), share in zip(items, shares, strict=True):
        if _is_file(scored):
            suffixes[_suffix(scored.item.path)] += share
    return suffixes


def _is_file(scored: Scored) -> bool:
    return scored.item.id.startswith("file:")


def _of_names(
    names: Collection[str], weights: Mapping[str, float], rarest: float
) -> dict[str, tuple[float, float]]:
    """Return how much of the task each name speaks of, and how much of it does."""
    told = {"": (0.0, 0.0)}
    listed = sorted(name for name in names if name)
    for name, words in zip(listed, split_words(listed), strict=True):
        said = [weights[word] for word in words if word in weights]
        told[name] = (sum(said) / rarest, len(said) / len(words))
    return told


def _namesakes(names: Sequence[str], shares: Sequence[float]) -> dict[str, tuple[float, float]]:
    """Return logarithms of how many parts have each last name, and of their share of all chances."""
    counts: Counter[str] = Counter()
    sums: defaultdict[str, float] = defaultdict(float)
    for name, share in zip(names, shares, strict=True):
        last = _pieces(name)[1]
        counts[last] += 1
        sums[last] += share
    told = {name: (math.log1p(count), _log(sums[name])) for name, count in counts.items()}
    return {**told, "": (0.0, _log(0.0))}


def _of_file(
    one: tuple[Scored, Split], chances: Sequence[float], item: int, likely: int, *, pack: _Pack
) -> _File:
    scored, split = one
    spoken = _spoken(split, pack.weights)
    rival = max([pack.shares[leader] for leader in pack.leaders if leader != item], default=0.0)
    numbers = [
        _log(pack.shares[item]),
        rival - pack.shares[item],
        scored.salience,
        math.log(len(chances)),
        math.log1p(likely),
        math.log1p(split.parts[-1].lines[1]),
        math.log1p(sum([part.tokens for part in split.parts])),
        scored.item.relevance,
        spoken.file / pack.most,
        pack.suffixes[_suffix(scored.item.path)],
        *[scored.scores.get(name, 0.0) for name in _BEST],
    ]
    around = _surroundings(split.parts, chances)
    return _File(scored, split.parts, chances, _beside(max(chances), pack), spoken, around, numbers)


def _surroundings(parts: Sequence[Part], chances: Sequence[float]) -> dict[int, float]:
    """Return the share of a file's chances that the innermost definition around each part has."""
    total, around = sum(chances), {}
    for at, part in enumerate(parts):
        if part.span == NO_LINES:
            continue
        end = end_of_span(parts, at)
        around.update(dict.fromkeys(range(at, end), sum(chances[at:end]) / total))
    return around


def _spoken(split: Split, weights: Mapping[str, float]) -> _Spoken:
    count, file = len(split.parts), 0.0
    covered, held, rarest, terms = [0.0] * count, [0] * count, [0.0] * count, [0] * count
    for at, (term, weight) in enumerate(weights.items()):
        places = split.terms.get(term)
        if places:
            file += weight
            for part in places[::2]:
                covered[part] += weight
                held[part] += 1
                terms[part] |= 1 << at
                if weight > rarest[part]:
                    rarest[part] = weight
    return _Spoken(covered, held, rarest, terms, file)


def _of_part(file: _File, at: int, *, pack: _Pack) -> list[float]:
    part, answers = file.parts[at], file.scored.answers
    qualifier, name = _pieces(part.name)
    return [
        *_made(part),
        *_placed(file, at, pack),
        *_said(file.spoken, at, part.tokens + _TYPICAL, pack=pack),
        *pack.names[name],
        *pack.namesakes[name],
        pack.names[qualifier][0],
        *[part.kind == kind for kind in _KINDS],
        *[answers[name][at] if name in answers else 0.0 for name in _OWN],
    ]


def _made(part: Part) -> Sequence[float]:
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


def _placed(file: _File, at: int, pack: _Pack) -> Sequence[float]:
    parts, chances, last = file.parts, file.chances, len(file.parts) - 1
    return (
        at / (last or 1),
        at,
        _beside(chances[at - 1], pack) if at else _NO_NEIGHBOUR,
        _beside(chances[at + 1], pack) if at < last else _NO_NEIGHBOUR,
        parts[at - 1].tokens if at else 0,
        parts[at + 1].tokens if at < last else 0,
        file.around.get(at, 0.0),
    )


def _said(spoken: _Spoken, at: int, tokens: int, *, pack: _Pack) -> Sequence[float]:
    covered = spoken.covered[at] / pack.most
    near, far = [
        pack.weight(reduce(or_, spoken.terms[max(at - reach, 0) : at + reach + 1])) for reach in (_NEAR, _FAR)
    ]
    return (
        covered,
        math.log1p(spoken.held[at]),
        spoken.rarest[at] / pack.rarest,
        covered / math.log(tokens),
        spoken.covered[at] / (spoken.file or 1.0),
        near / pack.most,
        far / pack.most,
    )


def _pieces(name: str) -> tuple[str, str]:
    """Return what a name is qualified by, and its last piece."""
    qualifier, _, last = name.rpartition(".")
    return qualifier, last


def _suffix(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2]


def _log(share: float) -> float:
    return math.log(share + _LEAST)


def _beside(chance: float, pack: _Pack) -> float:
    """Return the logarithm of a chance beside that of the likeliest part."""
    return _log(chance / pack.total) - pack.top
