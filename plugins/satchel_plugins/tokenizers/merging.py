"""Count tokens in plain Python: part a text as a vocabulary does, then merge what is no token by rank."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

_LONG = 60
"""Characters of a piece from which a heap finds the next merge sooner than a look at all pairs."""
_LONGEST_TOKEN = 128
"""Bytes of the longest token of both vocabularies."""
_MOST_MERGED = 150_000
"""Characters that are merged here in all: about as long as a table of toktok takes to load."""
NO_TOKEN = 1 << 60
"""The rank of what is no token."""
_CONTRACTION = r"(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))"
_LONG_S = "\u017f"
"""Means an s in a contraction, for a pattern that looks at no case."""


Rank = Callable[[str, int], int]
"""Returns the rank of a token, or the number given where it is none."""


class TooMuchError(Exception):
    """The text is more than plain Python should count, or holds what Unicode's tables may differ on."""


class Letters(NamedTuple):
    """Characters beyond ASCII by what a pattern takes them for."""

    upper: str = ""
    lower: str = ""
    number: str = ""
    mark: str = ""
    space: str = ""


def sort(characters: Collection[str]) -> Letters:
    """Sort characters beyond ASCII; raise TooMuchError for one that Unicode took for something else once."""
    from unicodedata import category, ucd_3_2_0

    kinds: dict[str, list[str]] = {field: [] for field in (*Letters._fields, "both", "other")}
    for one in sorted(characters):
        now = category(one)
        kind = _kind(one, now)
        if one == _LONG_S or now == "Cn" or kind != _kind(one, ucd_3_2_0.category(one)):
            raise TooMuchError
        kinds[kind].append(one)
    both = "".join(kinds["both"])
    found = Letters(*("".join(kinds[field]) for field in Letters._fields))
    return found._replace(upper=found.upper + both, lower=found.lower + both)


def _kind(character: str, category: str) -> str:
    if category[0] == "Z" or character == "\x85":
        return "space"
    if category[0] in "NM":
        return "number" if category[0] == "N" else "mark"
    letters = {"Lu": "upper", "Lt": "upper", "Ll": "lower", "Lm": "both", "Lo": "both"}
    return letters.get(category, "other")


def o200k_pattern(letters: Letters) -> re.Pattern[str]:
    """Return what parts a text for o200k_base, where all characters beyond ASCII are among the letters."""
    upper, lower = f"[A-Z{letters.upper}{letters.mark}]", f"[a-z{letters.lower}{letters.mark}]"
    known = f"a-zA-Z0-9{letters.upper}{letters.lower}{letters.number}"
    space = rf"\s{letters.space}"
    return re.compile(
        rf"[^\r\n{known}]?{upper}*{lower}+{_CONTRACTION}?"
        rf"|[^\r\n{known}]?{upper}+{lower}*{_CONTRACTION}?"
        rf"|[0-9{letters.number}]{{1,3}}"
        rf"| ?[^{space}{known}]+[\r\n/]*"
        rf"|[{space}]*[\r\n]+|[{space}]+(?![^{space}])|[{space}]+",
        re.ASCII,
    )


def cl100k_pattern(letters: Letters) -> re.Pattern[str]:
    """Return what parts a text for cl100k_base, where all characters beyond ASCII are among the letters."""
    letter = f"a-zA-Z{letters.upper}{letters.lower}"
    known = f"{letter}0-9{letters.number}"
    space = rf"\s{letters.space}"
    return re.compile(
        rf"{_CONTRACTION}"
        rf"|[^\r\n{known}]?[{letter}]+"
        rf"|[0-9{letters.number}]{{1,3}}"
        rf"| ?[^{space}{known}]+[\r\n]*"
        rf"|[{space}]*[\r\n]+|[{space}]+(?![^{space}])|[{space}]+",
        re.ASCII,
    )


PATTERNS: Mapping[str, Callable[[Letters], re.Pattern[str]]] = {
    "o200k_base": o200k_pattern,
    "cl100k_base": cl100k_pattern,
}


class PieceCounts(dict[str, int]):
    """The tokens of each piece that was asked for.

    `rank` knows the tokens in ASCII; `other` is asked for what knows all others when the first such piece
    comes.
    """

    def __init__(self, rank: Rank, other: Callable[[], Rank]) -> None:
        super().__init__()
        self._rank, self._other = rank, other
        self._rank_of_any: Rank | None = None
        self._merged = 0

    def __missing__(self, piece: str) -> int:
        if self._rank(piece, NO_TOKEN) != NO_TOKEN:
            self[piece] = 1
            return 1
        token = piece.encode().decode("latin-1")
        self._merged += len(token)
        if self._merged > _MOST_MERGED:
            raise TooMuchError
        rank = self._rank if piece.isascii() else self._any()
        self[piece] = count = merged(token, rank) if len(token) < _LONG else merged_by_heap(token, rank)
        return count

    def _any(self) -> Rank:
        if self._rank_of_any is None:
            plain, other = self._rank, self._other()
            self._rank_of_any = lambda token, none: (plain if token.isascii() else other)(token, none)
        return self._rank_of_any


def merged(token: str, rank: Rank) -> int:
    """Return how many tokens a text of bytes is, once the neighbours of least rank were merged."""
    if rank(token, NO_TOKEN) != NO_TOKEN:
        return 1
    parts = list(token)
    pairs = [rank(one + after, NO_TOKEN) for one, after in pairwise(parts)]
    while pairs and (least := min(pairs)) != NO_TOKEN:
        at = pairs.index(least)
        parts[at] += parts.pop(at + 1)
        del pairs[at]
        if at < len(pairs):
            pairs[at] = rank(parts[at] + parts[at + 1], NO_TOKEN)
        if at:
            pairs[at - 1] = rank(parts[at - 1] + parts[at], NO_TOKEN)
    return len(parts)


def merged_by_heap(token: str, rank: Rank) -> int:
    """Return what `merged` does, in time that grows little faster than the text."""
    size = len(token)
    after, before = list(range(1, size + 1)), list(range(-1, size))
    heap = [(rank(token[at : at + 2], NO_TOKEN), at, at + 2) for at in range(size - 1)]
    heapify(heap)
    left = size
    while heap and (found := heappop(heap))[0] != NO_TOKEN:
        _, start, end = found
        middle = after[start]
        if middle in (0, size) or after[middle] != end:  # one of both was merged meanwhile
            continue
        after[start], after[middle], before[end] = end, 0, start
        left -= 1
        for first, last in ((start, after[end] if end < size else 0), (before[start], end)):
            if first >= 0 and 0 < last - first <= _LONGEST_TOKEN:
                heappush(heap, (rank(token[first:last], NO_TOKEN), first, last))
    return left
