"""Find texts that repeat others: copies, files put together from others, declarations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice

from satchel.items import ContextItem
from satchel.packing.weighing.backbone import CALLED, DECLARING, TYPES, find_code
from satchel.packing.weighing.chances import WeighedItems
from satchel.parts import Part, SplitItem
from satchel.patterns import lazily
from satchel.questions import Aim, FilePlace, Question, place_of
from satchel.questions.aims import is_readme
from satchel.questions.page_versions import group_translations

_LEAST = 30
"""Tokens of the shortest file that is compared: shorter ones are alike by chance."""
_SAME = 0.8
"""Share of lines that copies have in common, and of a source's names and lines in a file made of it."""
_ALIKE, _OF_ALIKE = 0.65, 0.5
"""Share of common words from which the second of two namesakes says little, and its factor."""
_LONG_ENOUGH = 100
"""Tokens of the shortest functions that are compared by words: shorter ones are alike by chance."""
_LONG = 20_000
"""Tokens of the shortest file that may have been put together from others."""
_SOURCES = 3
"""Least files whose lines it must hold."""
_WORD = lazily(r"\w{3,}")
_AWAITED = ("close", "read", "iter", "send", "enter", "exit")
"""Methods that have an `a` before their name in asynchronous code."""
_ASYNC = lazily(rf"(?i)\ba?sync\s+|\bawait\s+|async_?|(?<=\.)a(?=({'|'.join(_AWAITED)})\b)")
"""Words in asynchronous code that blocking code does not have."""
_SIGNS_OF_ASYNC = ("sync", "await", *(f".a{name}" for name in _AWAITED))
"""One is in any text that `_ASYNC` matches; looking for them is ten times faster."""
_WRITTEN = frozenset({"section", "cell"})
_CELL, _CELL_MARK = lazily(r"(?:^|\.)cell \d+$"), "# %%"
"""The name of a cell of a notebook, and the line before it."""
_OF_MODULES = lazily(r"^import\b|\brequire\(|^(?:module\.)?exports\b|^export default\b|^['\"]use strict")
"""Lines in which the module systems of JavaScript differ."""
_FIRSTS_OF_MODULES = frozenset("ime'\"")
"""First characters of such lines, but for those with a call of `require`."""
_WAITS = lazily(r"(?i)async|\baio")
_SAMPLED, _TELLING = 40, 20
"""Most lines of a source that are looked for, and the least length of a line that identifies it."""


def find_duplicates(items: WeighedItems, places: Collection[int]) -> set[int]:
    """Return the items that are copies of others, byte for byte, under any name.

    The copy with the shortest path counts as the original and is not returned.
    """
    same: defaultdict[str, list[int]] = defaultdict(list)
    for place in _find_files(items).keys() & places:
        same[items[place][1].parts[0].id.partition(":")[0]].append(place)
    for group in same.values():
        group.sort(key=lambda at: (len(items[at][0].item.path), items[at][0].item.path))
    return {place for text, group in same.items() if text for place in group[1:]}


def find_translated(items: WeighedItems, places: Collection[int], languages: Collection[str]) -> set[int]:
    """Return the items that are tables of messages in another language than the wanted one.

    Wanted are the `languages` that have a table, or else the original.
    """
    tables = {
        items[place][0].item.path: place
        for place in places
        if items[place][0].item.kind == "file"
        and place_of(items[place][0].item.path) is not FilePlace.DOCUMENT
    }
    found: set[int] = set()
    for group in group_translations(tables):
        wanted = [code for code in languages if code in group.values()]
        wanted = wanted or [code for code in ("", "en") if code in group.values()][:1]
        if wanted:
            found.update(tables[path] for path, code in group.items() if code not in wanted)
    return found


def drop_twins(
    items: WeighedItems, scores: Sequence[Sequence[float]], read: Callable[[ContextItem], str]
) -> list[list[float]]:
    """Return the scores, 0 for functions and sections that repeat a namesake with a score.

    A function that has most of its words from a namesake, like `DataArray.load` and `Dataset.load` with
    their similar docstrings, scores less.

    Lines outside of functions are compared between files of one name: `esm/hello.mjs` repeats the example
    `cjs/hello.js`.

    Cells of notebooks have numbers for names: cells of one length are compared.

    Of an asynchronous and a blocking function, the latter stays, with the better score of both:
    `AsyncClient.aclose` is a namesake of `Client.close`. Overloads, which share one qualified name, are not
    namesakes.
    """
    named: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for place, mine in enumerate(scores):
        for at, part in enumerate(items[place][1].parts):
            if not mine[at] or part.tokens < _LEAST:
                continue
            if part.kind in _WRITTEN:
                own = "" if _CELL.search(part.name) else part.name.rpartition(".")[2].lower()
                named[f"{part.kind} {own or part.tokens}"].append((place, at))
            elif part.kind == "block":  # a script beside the same one in another language or module system
                named[f"block {part.path.rpartition('/')[2].partition('.')[0]}"].append((place, at))
            elif part.kind in CALLED:
                named[_ASYNC.sub("", part.name.rpartition(".")[2].lower()).strip("_")].append((place, at))
    for name in [name for name in named if name[:1] == "a" and name[1:] in named]:
        named[name[1:]] += named.pop(name)
    found = [list(mine) for mine in scores]
    texts: dict[int, list[str]] = {}
    for group in named.values():
        kept: list[tuple[int, int, set[str], set[str]]] = []
        for place, at in _sort_twins(items, scores, group) if len(group) > 1 else ():
            part = items[place][1].parts[at]
            if place not in texts:
                texts[place] = read(items[place][0].item).split("\n")
            lines = _read_lines(texts[place], part)
            others = [one for one in kept if not _is_overload(part, items[one[0]][1].parts[one[1]])]
            twin = next((one for one in others if _overlap(lines, one[2], _SAME)), None)
            if twin is None:
                words = _list_words(lines) if part.kind in CALLED and part.tokens >= _LONG_ENOUGH else set()
                is_alike = any(words and one[3] and _overlap(words, one[3], _ALIKE) for one in others)
                found[place][at] *= _OF_ALIKE if is_alike else 1.0
                kept.append((place, at, lines, words))
                continue
            found[place][at] = 0.0
            found[twin[0]][twin[1]] = max(found[twin[0]][twin[1]], scores[place][at])
    return found


def _sort_twins(
    items: WeighedItems, scores: Sequence[Sequence[float]], group: Iterable[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return functions sorted, blocking ones first, then by score.

    Sections are sorted by the length of their paths: the copy of a page with the shortest path is shown.
    """

    def key(one: tuple[int, int]) -> tuple[bool, float]:
        place, at = one
        part = items[place][1].parts[at]
        rank = len(part.path) if part.kind in _WRITTEN else -scores[place][at]
        return _WAITS.search(f"{part.path} {part.name}") is not None, rank

    return sorted(group, key=key)


def _read_lines(text: Sequence[str], part: Part) -> set[str]:
    """Return the different lines of a part of a text without imports and words of asynchronous code."""
    first, last = part.lines
    lines = text[first - 1 : last]
    joined = "\n".join(lines)
    if any(sign in joined.lower() for sign in _SIGNS_OF_ASYNC):
        lines = _ASYNC.sub("", joined).split("\n")
    told = {*map(str.strip, lines)} - {""}
    return {line for line in told if not (line.startswith(_CELL_MARK) or _is_of_modules(line))}


def _is_of_modules(line: str) -> bool:
    return (line[0] in _FIRSTS_OF_MODULES or "require(" in line) and _OF_MODULES.search(line) is not None


def _is_overload(part: Part, namesake: Part) -> bool:
    """Return whether two functions have one qualified name in one file."""
    return (part.path, part.name) == (namesake.path, namesake.name)


def _overlap(one: set[str], other: set[str], share: float) -> bool:
    """Return whether two sets have at least this share of both in common."""
    return len(one & other) >= share * len(one | other)


def _list_words(lines: Iterable[str]) -> set[str]:
    return {word.lower() for line in lines for word in _WORD.findall(line)}


def find_made(items: WeighedItems, read: Callable[[ContextItem], str]) -> set[int]:
    """Return the items that were put together from others, such as all headers of a library in one file.

    A README never is: it may repeat tables of other pages, and says more.
    """
    made: set[int] = set()
    sizes = _find_files(items)
    long = [
        place for place, size in sizes.items() if size >= _LONG and not is_readme(items[place][0].item.path)
    ]
    names = {place: _find_names(items[place][1]) for place in sizes} if long else {}
    for place in long:
        smaller = [
            other
            for other, size in sizes.items()
            if 2 * size < sizes[place] and _is_within(names[other], names[place])
        ]
        if len(smaller) < _SOURCES:
            continue
        lines = set(_telling_lines(read(items[place][0].item).split("\n")))
        sources = (other for other in smaller if _holds(lines, read(items[other][0].item)))
        if len(list(islice(sources, _SOURCES))) == _SOURCES:
            made.add(place)
    return made


def _find_files(items: WeighedItems) -> dict[int, int]:
    """Return the tokens of each item that is a file, without files so short that they are alike by chance."""
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


_BELOW = 0.7
"""Highest score of a declaring file, relative to the best of the defining one."""
_LEAST_FACTOR = 0.5
"""Least factor of its scores: the defining file may not answer at all."""
_TOLD = 0.8
"""Share of comments from which a part of a header only describes definitions elsewhere."""


def _defines(part: Part, *, is_alone: bool) -> bool:
    """Return whether a part of a header defines something: beside its source file, only types do."""
    return part.kind in TYPES or (is_alone and part.kind != "prototype" and part.comments < _TOLD)


def find_declaring(
    items: WeighedItems, scores: Sequence[Sequence[float]], question: Question
) -> dict[int, list[float]]:
    """Return factors for the parts of files that declare what others of their name define, by item.

    They put declarations after definitions, for a question about where something is or how it works. A header
    defines its types: their factor is 1. If its source file is not among the items, prototypes and comments
    are lowered.
    """
    if {Aim.WHERE, Aim.EXPLAIN}.isdisjoint(question.aims):
        return {}
    defined: dict[str, float] = {}
    declaring: dict[int, tuple[str, bool]] = {}
    for at in find_code(items):
        name = items[at][0].item.path.rpartition("/")[2]
        if found := DECLARING.search(name):
            declaring[at] = name[: found.start()], found["header"] is not None
        else:
            own = name.rpartition(".")[0]
            defined[own] = max(defined.get(own, 0.0), *scores[at])
    factors = {}
    for at, (name, is_header) in declaring.items():
        highest = max(scores[at])
        told = defined.get(name, highest if is_header else 0.0)
        if highest and told:
            factor = min(1.0, max(_BELOW * told / highest, _LEAST_FACTOR))
            factors[at] = [
                1.0 if is_header and _defines(part, is_alone=name not in defined) else factor
                for part in items[at][1].parts
            ]
    return factors
