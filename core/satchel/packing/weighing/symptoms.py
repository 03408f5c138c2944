"""Favour code by more than the words of a report: pasted output and code, and purposes of methods."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain, pairwise
from typing import NamedTuple

from satchel.items import ContextItem
from satchel.packing.weighing.backbone import find_code
from satchel.packing.weighing.chances import Chances, CorrectedChances, PartPlace, WeighedItems
from satchel.parts import Part, join_lines
from satchel.patterns import lazily
from satchel.workspace.index.terms import fold, separate_pastes

_LIKELIEST = 300
"""Parts of code that are read; others are hardly ever needed."""
_RARITY = 0.4
"""Power of the rarity of two adjacent words in both a report and a literal."""
_PURPOSE = 7.4
"""Factor of the chance of a special method if the title names its purpose."""
_EXAMPLES, _CODE = 1.5, 5
"""How fast chances fall with comments if a report shows code of at least this many words: documentation with
examples resembles it, whatever is wrong."""
_LONGEST = 100_000
"""Most characters of a task that are read."""
_QUOTED = lazily(r"`([^`\n]{2,300})`|\"([^\"\n]{4,300})\"|(?<!\w)'([^'\n]{4,300})'(?!\w)|“([^“”\n]{4,300})”")
_LITERAL = lazily(r"\"([^\"\n]{4,200})\"|'([^'\n]{4,200})'")
_TRIPLE = lazily(r"\"\"\"|'''")
_WORD = lazily(r"[a-z]{2,}|\d+")
_NAME = lazily(r"[^\W\d]\w*")
_CALL = lazily(r"(?<![\w.])([a-z]\w{0,40})\(|`([a-z]\w{0,40})`")
_METHODS = {
    "deepcopy": "__deepcopy__",
    "equality": "__eq__ equals Equals",
    "hash": "__hash__ hashCode GetHashCode",
    "hashable": "__hash__",
    "indexing": "__getitem__ __setitem__",
    "iterable": "__iter__ __next__",
    "iterate": "__iter__ __next__",
    "iterating": "__iter__ __next__",
    "iteration": "__iter__ __next__",
    "picklable": "__reduce__ __reduce_ex__ __getstate__ __setstate__",
    "pickle": "__reduce__ __reduce_ex__ __getstate__ __setstate__",
    "pickled": "__reduce__ __reduce_ex__ __getstate__ __setstate__",
    "pickling": "__reduce__ __reduce_ex__ __getstate__ __setstate__",
    "repr": "__repr__",
    "representation": "__repr__ __str__ __toString toString ToString to_s inspect",
    "slicing": "__getitem__ __setitem__",
    "subscriptable": "__getitem__ __class_getitem__",
    "truthiness": "__bool__",
    "unhashable": "__hash__",
    "unpickle": "__reduce__ __reduce_ex__ __getstate__ __setstate__",
    "unpickling": "__reduce__ __reduce_ex__ __getstate__ __setstate__",
}
"""Special methods by words for their purposes."""

Pair = tuple[str, str]
"""Two words side by side."""


class Symptoms(NamedTuple):
    """The symptoms in a report."""

    methods: frozenset[str]
    """Names of the special methods whose purpose the title names."""
    pairs: Collection[Pair]
    """Pairs of adjacent words in pasted or quoted text."""
    has_code: bool
    """Whether code or output is pasted."""


def favour_symptoms(
    items: WeighedItems, chances: CorrectedChances, text: str, read: Callable[[ContextItem], str]
) -> CorrectedChances:
    """Return the chances, more for code that matches a report's symptoms, and less for documentation."""
    symptoms = find_symptoms(text[:_LONGEST])
    if not (symptoms.methods or symptoms.pairs or symptoms.has_code):
        return chances
    code = find_code(items)
    rarest = _find_rarest(items, _list_likeliest(code, chances.both()), symptoms.pairs, read)
    of_comments = _EXAMPLES if symptoms.has_code else 0.0
    factors = {
        at: [
            math.exp(_RARITY * rarest.get((at, number), 0.0) - of_comments * part.comments)
            * (1.0 if symptoms.methods.isdisjoint(_list_names(part)) else _PURPOSE)
            for number, part in enumerate(items[at][1].parts)
        ]
        for at in code
    }
    return CorrectedChances(
        *(
            [
                [chance * factor for chance, factor in zip(mine, factors[at], strict=True)]
                if at in factors
                else list(mine)
                for at, mine in enumerate(rows)
            ]
            for rows in chances
        )
    )


def _list_names(part: Part) -> Iterator[str]:
    """Yield the last parts of the names that a part defines."""
    return (name.rpartition(".")[2] for name in (part.name, *(symbol.name for symbol in part.symbols)))


def find_symptoms(text: str) -> Symptoms:
    """Return the symptoms in a report; its first line is the title."""
    title, _, rest = text.strip().partition("\n")
    pasted, prose = separate_pastes(rest)
    quoted = ["".join(found) for line in (title, *prose) for found in _QUOTED.findall(line)]
    return Symptoms(
        frozenset(_find_methods(title)),
        frozenset(chain.from_iterable(map(_pairs, (*pasted, *quoted)))),
        has_code=sum(len(line.split()) for line in pasted) >= _CODE,
    )


def _find_methods(title: str) -> Iterator[str]:
    """Yield the special methods for the purposes in a title: `str(x)` calls `__str__`."""
    for word in _NAME.findall(title.lower()):
        yield from _METHODS.get(fold(word), "").split()
    for found in _CALL.findall(title):
        yield f"__{''.join(found)}__"


def _pairs(text: str) -> Iterable[Pair]:
    return pairwise(_WORD.findall(text.lower()))


def _list_likeliest(code: Iterable[int], either: Chances) -> list[PartPlace]:
    every = ((-chance, at, number) for at in code for number, chance in enumerate(either[at]) if chance > 0)
    return [(at, number) for _, at, number in heapq.nsmallest(_LIKELIEST, every)]


def _find_rarest(
    items: WeighedItems,
    places: Collection[PartPlace],
    wanted: Collection[Pair],
    read: Callable[[ContextItem], str],
) -> Mapping[PartPlace, float]:
    """Return for each part whose literals hold wanted words side by side how rare the rarest of them are.

    That is the logarithm of how few of all parts have them anywhere.
    """
    if not wanted:
        return {}
    lines: dict[int, list[str]] = {}
    held: Counter[Pair] = Counter()
    found: dict[PartPlace, set[Pair]] = {}
    for at, number in places:
        if at not in lines:
            lines[at] = read(items[at][0].item).split("\n")
        text = join_lines(lines[at], items[at][1].parts[number])
        mine = {pair for pair in _pairs(text) if pair in wanted}
        held.update(mine)
        if mine and (written := mine & _list_literal_pairs(text)):
            found[at, number] = written
    return {
        place: math.log((len(places) + 1) / (min(held[pair] for pair in written) + 0.5))
        for place, written in found.items()
    }


def _list_literal_pairs(text: str) -> set[Pair]:
    """Return words side by side in literals of one line; longer ones are mostly documentation."""
    literals = ("".join(found) for found in _LITERAL.findall(_TRIPLE.sub("\n", text)))
    return set(chain.from_iterable(map(_pairs, literals)))
