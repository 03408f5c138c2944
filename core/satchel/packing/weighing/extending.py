"""Raise what shows how one more of a kind is added: a precedent, what it is made from, what registers it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from satchel.items import ContextItem
from satchel.packing.weighing.answer_settings import SETTINGS
from satchel.packing.weighing.backbone import (
    find_code,
    find_files,
    find_members,
    module_of,
)
from satchel.packing.weighing.chances import PartPlace, WeighedItems, find_highest
from satchel.packing.weighing.precedents import (
    Precedent,
    find_alike_pages,
    find_bases,
    find_guides,
    find_least,
    find_namesake_file,
    find_precedent,
    find_types_called,
    is_page_beside_interface,
    lacks_bases,
    list_first_parts,
    list_heads,
    prefer_makers,
)
from satchel.packing.weighing.siblings import Sibling, find_sibling
from satchel.questions import Question
from satchel.questions.aims import FilePlace, place_of
from satchel.questions.reading import stem_all, stem_parts

_OF_TESTS = frozenset(stem_all("test tests testing spec specs"))
_OF_EXAMPLE = 800
"""Tokens of a file of tests that is shown as an example; of a longer one these are its first."""


def raise_precedent(
    items: WeighedItems,
    scores: list[list[float]],
    question: Question,
    read: Callable[[ContextItem], str],
    *,
    explained: dict[int, dict[int, list[int]]],
    members: dict[int, Sequence[int]],
) -> Collection[int] | None:
    """Raise the scores of a precedent for what is to be added, and of what it is made from.

    The others of its kind score less: they show the same. The lines that register it are added to those
    `explained`, the methods of what it is made from to the `members`; items with such lines are returned,
    None where nothing shows how it is done.
    """
    highest = find_highest(scores)
    heads = list_heads(items, read)
    bases = find_bases(items, question, heads, read)
    found = find_precedent(items, question, read)
    found = None if found is not None and is_page_beside_interface(items, found, bases) else found
    guides = [
        (at, part)
        for at, part in find_guides(items, question, beside=found)
        if scores[at][part] >= SETTINGS.least * highest  # no older version of the page, nor a translation
    ]
    found = prefer_makers(items, found, bases, heads, question) if found is not None else None
    if found is not None:
        _lower_code_beside(items, scores, found)
        _lower(scores, _find_other_tests(items, found), SETTINGS.alike)
        _raise_one(scores, found, highest, explained=explained)
        bases = [] if lacks_bases(items, found, bases, question) else bases
    sibling = find_sibling(items, question, read) if found is None and not bases else None
    if found is None and sibling is None and not bases:
        bases = find_namesake_file(items, question)
    if sibling is not None:
        _raise_sibling(items, scores, sibling, highest, explained=explained)
    _lower(scores, find_alike_pages(items), SETTINGS.alike)
    for at, numbers in find_types_called(items, question.into).items():
        for part in numbers:
            scores[at][part] = SETTINGS.base * highest
    for at, part in bases:
        scores[at][part] = SETTINGS.base * highest
    for at, part in guides:
        scores[at][part] = SETTINGS.how_to * highest
    common = [(at, part) for at, parts in (found.common.items() if found else ()) for part in parts]
    types: dict[int, list[int]] = {}
    for at, part in (*bases, *common):
        types.setdefault(at, []).append(part)
    members.update(find_members(items, types))
    shown = found if found is not None else sibling
    if shown is not None:
        return shown.known
    return () if bases else None


def _raise_sibling(
    items: WeighedItems,
    scores: list[list[float]],
    found: Sibling,
    highest: float,
    *,
    explained: dict[int, dict[int, list[int]]],
) -> None:
    """Raise the scores of one of many functions of a kind, of what finds them, and of what names it."""
    kept = {at for at, _ in (*found.whole, *found.finding)} | found.known.keys()
    _lower(scores, {*find_code(items)} - kept, SETTINGS.beside_precedent)
    for at, part in found.others:
        scores[at][part] *= SETTINGS.alike
    for at, part in found.finding:
        scores[at][part] = max(scores[at][part], SETTINGS.common * highest)
    _raise_lines(scores, found.known, highest, explained=explained)
    for at, part in found.whole:
        scores[at][part] = SETTINGS.precedent * highest


def _raise_lines(
    scores: list[list[float]],
    known: Mapping[int, Mapping[int, Sequence[int]]],
    score: float,
    *,
    explained: dict[int, dict[int, list[int]]],
) -> None:
    """Let the parts with some lines have this score, and these lines explain them."""
    for at, rows in known.items():
        for part, lines in rows.items():
            scores[at][part] = score
            explained.setdefault(at, {}).setdefault(part, []).extend(lines)


def _lower_code_beside(items: WeighedItems, scores: list[list[float]], found: Precedent) -> None:
    """Lower the scores of code that has to do neither with a precedent nor with what makes it known.

    Of files with what all use, that is the rest of them; beside a page, it is other pages, too.
    """
    kept = {*found.whole, *found.others, *found.common, *found.known}
    place = place_of(items[found.whole[0]][0].item.path)
    alike = {at for at, (one, _) in enumerate(items) if place_of(one.item.path) is place}
    _lower(scores, {*find_code(items), *alike} - kept, SETTINGS.beside_precedent)
    for at in found.common.keys() - {*found.whole, *found.others}:
        parts = items[at][1].parts
        used = {*found.common[at], *found.known.get(at, ())}
        names = {parts[number].name for number in used} - {""}
        scores[at] = [
            score if number in used or part.name in names else SETTINGS.beside_precedent * score
            for number, (part, score) in enumerate(zip(parts, scores[at], strict=True))
        ]


def _lower(scores: list[list[float]], places: Iterable[int], factor: float) -> None:
    """Multiply the scores of some items."""
    for at in places:
        scores[at] = [factor * score for score in scores[at]]


def _find_other_tests(items: WeighedItems, found: Precedent) -> Iterator[int]:
    """Yield the tests that are not called like a precedent: they test others of its kind."""
    names = [{*stem_parts(module_of(items[at][0].item.path))} for at in found.whole]
    for at, (one, _) in enumerate(items):
        if place_of(one.item.path) is FilePlace.TEST:
            words = {*stem_parts(module_of(one.item.path))}
            if not any(name <= words for name in names):
                yield at


def _raise_one(
    scores: list[list[float]],
    found: Precedent,
    highest: float,
    *,
    explained: dict[int, dict[int, list[int]]],
) -> None:
    """Raise the scores of a precedent, of what registers it and what all use; lower those of the others."""
    _lower(scores, found.others, SETTINGS.alike)
    for at in found.whole:
        scores[at] = [SETTINGS.precedent * highest] * len(scores[at])
    for at, parts in found.common.items():
        for part in parts:
            scores[at][part] = max(scores[at][part], SETTINGS.common * highest)
    _raise_lines(scores, found.known, highest, explained=explained)


def find_test_rules(items: WeighedItems) -> list[PartPlace]:
    """Return the parts of pages on contributing whose headings are about tests."""
    return [
        (at, number)
        for at in find_files(items, FilePlace.CONTRIBUTING)
        for number, part in enumerate(items[at][1].parts)
        if not _OF_TESTS.isdisjoint(stem_all(part.name))
    ]


def find_test_example(items: WeighedItems) -> list[PartPlace]:
    """Return the first parts of the shortest file of tests that is not far shorter than most."""
    sizes = {
        at: sum(part.tokens for part in items[at][1].parts)
        for at in find_files(items, FilePlace.TEST)
        if not _OF_TESTS.isdisjoint(stem_all(module_of(items[at][0].item.path)))
    }
    least = find_least(sizes.values())
    at = min(sizes, key=lambda one: (sizes[one] < least, sizes[one], one), default=-1)
    return list_first_parts(items, at, _OF_EXAMPLE) if sizes else []
