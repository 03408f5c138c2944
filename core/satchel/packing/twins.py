"""Find files that repeat others: copies of one file, and files that were put together from several."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import PurePosixPath

from satchel.items import ContextItem
from satchel.packing.chances import WeighedItems
from satchel.parts import SplitItem

_LEAST = 30
"""Tokens of the shortest file that is looked at: shorter ones are alike by chance."""
_SAME = 0.8
"""Share of the lines that copies have in common, and of a source's names and lines in what is made of it."""
_LONG = 20_000
"""Tokens of the shortest file that may have been put together from others."""
_SOURCES = 3
"""Files of which it must hold the lines."""
_SAMPLED, _TELLING = 40, 20
"""Lines of a source that are looked for at most, and the length of those that tell it from others."""


def find_copies(items: WeighedItems, read: Callable[[ContextItem], str]) -> set[int]:
    """Return the items that are copies of another of the same name; that with the shortest path is none."""
    named: defaultdict[str, list[int]] = defaultdict(list)
    for place in _find_files(items):
        named[PurePosixPath(items[place][0].item.path).name].append(place)
    copies: set[int] = set()
    for group in named.values():
        kept: list[set[str]] = []
        for place in sorted(group, key=lambda at: len(items[at][0].item.path)) if len(group) > 1 else ():
            lines = set(_telling_lines(read(items[place][0].item).split("\n")))
            if any(len(lines & other) >= _SAME * max(len(lines | other), 1) for other in kept):
                copies.add(place)
            else:
                kept.append(lines)
    return copies


def find_made(items: WeighedItems, read: Callable[[ContextItem], str]) -> set[int]:
    """Return the items that were put together from others, such as all headers of a library in one file."""
    made: set[int] = set()
    sizes = _find_files(items)
    for place in (place for place, size in sizes.items() if size >= _LONG):
        names = _find_names(items[place][1])
        smaller = [
            other
            for other, size in sizes.items()
            if 2 * size < sizes[place] and _is_within(_find_names(items[other][1]), names)
        ]
        if len(smaller) < _SOURCES:
            continue
        lines = set(_telling_lines(read(items[place][0].item).split("\n")))
        sources = (other for other in smaller if _holds(lines, read(items[other][0].item)))
        if len(list(islice(sources, _SOURCES))) == _SOURCES:
            made.add(place)
    return made


def _find_files(items: WeighedItems) -> dict[int, int]:
    """Return the tokens of each item that is a file, but for those that are alike by chance."""
    sizes = {
        place: sum(part.tokens for part in split.parts)
        for place, (one, split) in enumerate(items)
        if one.item.kind == "file"
    }
    return {place: size for place, size in sizes.items() if size >= _LEAST}


def _find_names(split: SplitItem) -> set[str]:
    return {part.name for part in split.parts if part.name}


def _is_within(source: set[str], names: set[str]) -> bool:
    return len(source & names) >= _SAME * max(len(source), 1)


def _telling_lines(lines: Iterable[str]) -> list[str]:
    return [line for line in map(str.strip, lines) if len(line) >= _TELLING]


def _holds(lines: set[str], text: str) -> bool:
    source = text.split("\n")
    sampled = _telling_lines(source[:: max(len(source) // _SAMPLED, 1)])
    return len(sampled) >= _SOURCES and sum(line in lines for line in sampled) >= _SAME * len(sampled)
