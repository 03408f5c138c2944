"""Find lines of which a number stands far apart from the same number of lines that are like them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from satchel.patterns import lazily

_NUMBER = lazily(
    r"(?<![\w.:/#@+-])(\d{1,15}+(?:\.\d{1,9}+)?)(?!\w*[.:/-]\d)([kKMGTP]i?[bB]?|[numµ]?s|%)?(?!\w)"
)
"""A measured number and its unit; parts of times, dates, addresses, versions and identifiers are none."""
_LABEL = lazily(r"([A-Za-z][\w.-]{0,40})[\"']?\s?[=:]\s?[\"']?$")
_MARKS, _LONGEST_LABEL = 4, 48
_DIGITS = str.maketrans("", "", "0123456789")
_LONGEST = 400
_ENOUGH = 16
"""Numbers in one column from which one of them can stand apart."""
_FAR, _LEAST = 8.0, 5.0
"""How many times nearly all others a number is that stands apart; and how big it must be at least."""
_LOW_LEAST = 50.0
"""What nearly all others must be at least for one to stand apart by being small."""
_ALIKE = 2
"""As many may stand apart in a column; more are a kind of their own."""
_NEARLY_ALL = 0.94

Column = tuple[int, str]
"""What stands before a number in its line, hashed, and its unit."""


class Apart(NamedTuple):
    """A line whose number stands apart."""

    at: int
    """Its place among the lines that were measured."""
    ratio: float
    """How many times nearly all others the number is, or they it."""


def apart(texts: Iterable[str]) -> list[Apart]:
    """Return the lines of which a number stands far apart from others in its column, the farthest first."""
    columns: defaultdict[Column, list[tuple[float, int]]] = defaultdict(list)
    for at, text in enumerate(texts):
        for column, number in _measured(text[:_LONGEST]):
            columns[column].append((number, at))
    ratios: dict[int, float] = {}
    for numbers in columns.values():
        for at, ratio in _outliers(numbers) if len(numbers) >= _ENOUGH else ():
            ratios[at] = max(ratio, ratios.get(at, 0.0))
    return sorted((Apart(at, ratio) for at, ratio in ratios.items()), key=lambda one: (-one.ratio, one.at))


def _measured(text: str) -> Iterator[tuple[Column, float]]:
    """Yield the numbers of a line with their columns."""
    key, end = 0, 0
    for found in _NUMBER.finditer(text):
        before = text[end : found.start()]
        marked = before[-_MARKS:]
        label = _LABEL.search(before[-_LONGEST_LABEL:]) if "=" in marked or ":" in marked else None
        end = found.end()
        words = before.translate(_DIGITS).split()
        key = hash((key, " ".join(word if word.isalpha() else "-" for word in words)))
        yield (hash(label[1]) if label else key, found[2] or ""), float(found[1])


def _outliers(numbers: Sequence[tuple[float, int]]) -> Iterator[tuple[int, float]]:
    """Yield the places of the one or two numbers that are far above or below all others."""
    ranked = sorted(numbers)
    usual = ranked[min(int(len(ranked) * _NEARLY_ALL), len(ranked) - _ALIKE - 1)][0]
    for number, at in ranked[-_ALIKE:]:
        if number >= max(_LEAST, _FAR * usual):
            yield at, number / max(usual, 1.0)
    least = ranked[max(int(len(ranked) * (1 - _NEARLY_ALL)), _ALIKE)][0]
    first = {at for _, at in numbers[:_ALIKE]}
    for number, at in ranked[:_ALIKE]:
        # What counts up begins low.
        if least >= max(_LOW_LEAST, _FAR * number) and at not in first:
            yield at, least / max(number, 1.0)
