"""Find where a project declares a fact of itself: its dependencies, its licence, how it is installed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence

from satchel.items import ContextItem
from satchel.packing.weighing.chances import PartPlace, WeighedItems
from satchel.parts import Part, end_of_span, find_parts
from satchel.patterns import lazily
from satchel.questions.declarations import Declaration, find_declaration
from satchel.questions.facts import Fact

_ASIDE = lazily(
    r"(?i)/(\.devcontainer|([^/]*[-_])?(tests?|testing|testdata|examples?|samples?|demos?|fixtures?|playgrounds?|bench\w*"
    r"|templates?|website|docs)([-_][^/]*)?)/"
)
"""Folders of programs beside the project's own."""
_PAGES = lazily(r"(?i)\.(md|mdx|rst|txt|adoc)$")
_OF_TESTS = lazily(r"(^|\.)[Tt]ests?\b")
"""Modules and classes of tests inside a file of code."""
_OF_PROGRAM = frozenset({Fact.SCHEMA, Fact.ENDPOINTS, Fact.ENVIRONMENT, Fact.CONFIGURING})
"""Facts that a project without a program does not have, though its tests and examples may."""
_LINE_BY_LINE = frozenset({Fact.ENDPOINTS, Fact.ENVIRONMENT})
"""Facts of which each line declares one; a list of dependencies goes on below the line that opens it."""
_MOST = 100
"""Parts that declare a fact and are shown first."""


def _choose(row: Declaration, parts: Sequence[Part], text: Callable[[], str]) -> list[int]:
    """Return the numbers of the parts that declare it."""
    if row.headings:
        heading = lazily(row.headings)
        tops = [at for at, part in enumerate(parts) if part.name and heading.search(part.name)]
        return _list_sections(parts, tops)
    if row.names:
        name = lazily(row.names)
        called = [(at, *part.name.rpartition(".")) for at, part in enumerate(parts)]
        tops = [at for at, owner, _, own in called if name.search(own) and not _OF_TESTS.search(owner)]
        return _list_sections(parts, tops) or list(range(len(parts) if row.or_all else 0))
    if row.first:
        return [at for at, part in enumerate(parts) if part.lines[0] <= row.first]
    if not row.lines:
        return list(range(len(parts)))
    return find_parts(parts, _find_lines(row, text()))


def _find_lines(row: Declaration, text: str) -> list[int]:
    """Return the numbers of the lines that declare it."""
    line = lazily(row.lines)
    return [number for number, written in enumerate(text.split("\n"), 1) if line.search(written)]


def _list_sections(parts: Sequence[Part], tops: Iterable[int]) -> list[int]:
    """Return the parts of the definitions and sections that some parts open."""
    return sorted({one for at in tops for one in range(at, end_of_span(parts, at))})


def find_declarations(items: WeighedItems, fact: Fact, read: Callable[[ContextItem], str]) -> list[PartPlace]:
    """Return the parts that declare a fact, the best first; of what is beside a project if it has none."""
    found = list(_find_ranked(items, fact, read))
    aside = fact not in _OF_PROGRAM and all(is_aside for _, is_aside, *_ in found)
    ranked = sorted(row for row in found if aside or not row[1])
    return [(at, part) for *_, at, part in ranked][:_MOST]


def find_declaring_lines(
    items: WeighedItems, places: Iterable[PartPlace], fact: Fact, read: Callable[[ContextItem], str]
) -> dict[int, dict[int, list[int]]]:
    """Return the lines of some parts, by item, of which each declares one of what a fact consists of."""
    found: dict[int, dict[int, list[int]]] = {}
    for at, part in places if fact in _LINE_BY_LINE else ():
        item, split = items[at]
        declaration = find_declaration(fact, item.item.path)
        if declaration is not None and declaration[1].lines:
            first, last = split.parts[part].lines
            lines = _find_lines(declaration[1], read(item.item))
            found.setdefault(at, {})[part] = [line for line in lines if first <= line <= last]
    return found


def _find_ranked(
    items: WeighedItems, fact: Fact, read: Callable[[ContextItem], str]
) -> Iterator[tuple[int, bool, int, int, str, int, int]]:
    """Yield what declares a fact: rank, whether aside, depth, length of the path, path, item, part."""
    for at, (one, split) in enumerate(items):
        path = one.item.path
        found = find_declaration(fact, path) if one.item.kind == "file" else None
        if found is None:
            continue
        rank, row = found
        if row.terms and split.terms.keys().isdisjoint(row.terms):
            continue
        folders = f"/{path}".partition("/src/main/")[0]  # packages below it may be called `samples`
        is_aside = _ASIDE.search(f"{folders}/") is not None and not _PAGES.search(path)
        for part in _choose(row, split.parts, functools.partial(read, one.item)):
            yield rank, is_aside, path.count("/"), len(path), path, at, part
