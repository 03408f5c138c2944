"""Find a precedent among functions side by side: of many that each add one of a kind, the most usual one.

Who asks how to add a command, where a file has `cmd_add`, `cmd_drop` and thirty more, needs one of them, the
lines that name it, and the code that finds all of them by what their names share.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import repeat, takewhile
from typing import NamedTuple

from satchel.items import ContextItem
from satchel.packing.weighing.backbone import CALLED, find_code
from satchel.packing.weighing.chances import PartPlace, WeighedItems
from satchel.packing.weighing.precedents import (
    SETTINGS,
    find_aliases,
    find_least,
    find_lines,
    find_subject_stems,
    list_aliases,
    list_kinds,
    map_short_forms,
)
from satchel.parts import NO_LINES, Part, end_of_span
from satchel.patterns import lazily
from satchel.questions.reading import Question
from satchel.questions.words import stem_parts

_DEFAULT = lazily(r"\s*=\s*[^,()]*")
_BLANKS = lazily(r"\s+")
_WORD = lazily(r"\w+")
_DEED = "ion"
"""The ending of nouns that name what is done, and nobody who does it."""


class Sibling(NamedTuple):
    """A function that shows how one more of a kind is added, by the number of an item and of a part."""

    whole: Sequence[PartPlace]
    """The parts of that function."""
    others: Sequence[PartPlace]
    """The parts of the other functions of the kind in its file."""
    finding: Sequence[PartPlace]
    """The parts that find all of the kind by what their names share."""
    known: Mapping[int, Mapping[int, Sequence[int]]]
    """Lines that name the function, by item and part."""


def find_sibling(
    items: WeighedItems, question: Question, read: Callable[[ContextItem], str]
) -> Sibling | None:
    """Return the precedent among functions of one file for one more of what a question names, if any.

    Their names begin or end with what is asked for, and most take the same: `list_add` and `list_free` are
    what is done with a list, and no lists. What begins with `generate` is no generator, and what begins with
    `assert` is an assertion.
    """
    subjects = find_subject_stems(question)
    kinds = list_kinds(question)
    words = kinds - subjects - map_short_forms(subjects).keys()
    agents = [one for one in subjects if not one.endswith(_DEED)]
    kinds -= {one for one in words if any(map(str.startswith, agents, repeat(one)))}
    families = [
        family for at in find_code(items) if kinds for family in _list_families(items, at, kinds, read)
    ]
    if not families:
        return None
    family = max(families, key=lambda places: (len(places), [-number for number in places[0]]))
    at = family[0][0]
    parts = items[at][1].parts
    spans = {start: range(start, end_of_span(parts, start)) for _, start in family}
    chosen = _choose(parts, spans)
    whole = [(at, number) for number in spans[chosen]]
    others = [(at, number) for start, span in spans.items() if start != chosen for number in span]
    names = {_own_name(parts[number]) for number in spans}
    own = _own_name(parts[chosen])
    lines = read(items[at][0].item).split("\n")
    finding = [(at, number) for number in _find_quoting(parts, lines, _find_prefix(names))]
    known = _find_known(items, own, whole, read)
    naming = (line for at in known for line in read(items[at][0].item).split("\n"))
    aliases = list_aliases(naming, {own}, names - {own})
    return Sibling(whole, others, finding, find_aliases(items, aliases, read, known))


def _list_families(
    items: WeighedItems, at: int, kinds: Collection[str], read: Callable[[ContextItem], str]
) -> Iterator[list[PartPlace]]:
    """Yield the functions of a file that begin or end with the same word, if they are one of a kind each."""
    families: defaultdict[tuple[str, str, bool], list[int]] = defaultdict(list)
    for number, part in enumerate(items[at][1].parts):
        if part.kind not in CALLED or part.head == NO_LINES:
            continue
        words, owner = stem_parts(_own_name(part)), part.name.rpartition(".")[0]
        for is_last, word in enumerate((words[0], words[-1]) if len(words) > 1 else ()):
            if word in kinds:
                families[owner, word, bool(is_last)].append(number)
    many = [numbers for numbers in families.values() if len(numbers) >= SETTINGS.least]
    lines = read(items[at][0].item).split("\n") if many else []
    for numbers in many:
        taken = [_read_parameters(items[at][1].parts[number], lines) for number in numbers]
        last = [one.rpartition(",")[2] or one for one in taken]
        if _share_of_most(taken) >= SETTINGS.share or _share_of_most(last) >= SETTINGS.same_last:
            yield [(at, number) for number in numbers]


def _share_of_most(values: Sequence[str]) -> float:
    """Return the share of the commonest of some values."""
    return max(Counter(values).values()) / len(values)


def _own_name(part: Part) -> str:
    return part.name.rpartition(".")[2]


def _read_parameters(part: Part, lines: Sequence[str]) -> str:
    """Return what a function takes, without defaults and blanks."""
    head = " ".join(lines[part.head[0] - 1 : part.head[1]])
    after = head.partition(_own_name(part))[2]
    return _BLANKS.sub("", _DEFAULT.sub("", after))


def _choose(parts: Sequence[Part], spans: Mapping[int, range]) -> int:
    """Return where the shortest function begins that is not far shorter than most."""
    sizes = {start: sum(parts[number].tokens for number in span) for start, span in spans.items()}
    least = find_least(sizes.values())
    return min(sizes, key=lambda number: (sizes[number] < least, sizes[number], number))


def _find_prefix(names: Collection[str]) -> str:
    """Return that with which all names begin."""
    pairs = zip(min(names), max(names), strict=False)
    return "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _find_quoting(parts: Sequence[Part], lines: Sequence[str], prefix: str) -> list[int]:
    """Return the parts with a string that is the prefix, from which names are made: `f"cmd_{name}"`."""
    if len(prefix) < 3 or not prefix.endswith("_"):
        return []
    quoted = re.compile(rf"[\"'`]{re.escape(prefix)}(?!\w)")
    return [
        number
        for number, part in enumerate(parts)
        if any(map(quoted.search, lines[part.lines[0] - 1 : part.lines[1]]))
    ]


def _find_known(
    items: WeighedItems, name: str, whole: Collection[PartPlace], read: Callable[[ContextItem], str]
) -> dict[int, dict[int, list[int]]]:
    """Return the lines of code that name a function, outside of itself."""
    known: dict[int, dict[int, list[int]]] = {}
    for at in find_code(items):
        text = read(items[at][0].item)
        if name not in text:
            continue
        found = find_lines(items[at][1], text.split("\n"), {name}, _WORD)
        if rows := {number: lines for number, lines in found.items() if (at, number) not in whole}:
            known[at] = rows
    return known
