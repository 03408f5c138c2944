"""Raise the parts that show how one more of a kind is added: a precedent, its bases and its registration."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from collections.abc import Set as AbstractSet

from satchel.items import ContextItem
from satchel.packing.weighing.answer_settings import SETTINGS
from satchel.packing.weighing.backbone import (
    CALLED,
    find_code,
    find_files,
    find_members,
    folder_of,
    module_of,
)
from satchel.packing.weighing.chances import PartPlace, WeighedItems, find_highest, raise_lines, scale_items
from satchel.packing.weighing.precedents import (
    HYPHENATED_WORD,
    Precedent,
    find_bases,
    find_kinds,
    find_least,
    find_namesake_file,
    find_precedent,
    find_subject_stems,
    find_types_called,
    is_page,
    list_first_parts,
    list_heads,
    prefer_makers,
)
from satchel.parts import end_of_span
from satchel.patterns import lazily
from satchel.questions import Question
from satchel.questions.aims import FilePlace, is_readme, place_of
from satchel.questions.languages import STOP
from satchel.questions.words import stem_all, stem_parts
from satchel.stems import stem

_MAKERS = 3
"""Most functions that make one: they are often the same for several cases."""
_LETTERS = lazily(r"[^\W\d_]+")
_OF_GUIDE = 1_500
"""Tokens of a guide that are shown, its first if it is longer."""
_MANY_PAGES = 5
"""Number of READMEs side by side from which each is about its own package."""
_MAKING = frozenset(
    stem_all("custom own user write create make implement build develop author define add extend")
)
"""Words of headings about making one; not "new", which often only announces."""
_OF_KINDS = frozenset(stem_all("type kind class"))
"""Words that say little beside others: a "field type" is a field."""
_ONE_MORE = _MAKING | frozenset(stem_all("new"))
_OF_TUTORIALS = frozenset(stem_all("tutorial tutorials guide guides howto howtos"))
"""Folders of pages on how to do something, each named after its subject."""
_SIMPLEST = frozenset(stem_all("basic simple first minimal example my quick quickly"))
"""Words in the names of such pages for one with all that is needed, and no more."""
_RULES = frozenset(stem_all("guideline guidelines"))
"""Words of headings for the rules that one of a kind follows: "Input Plugin Guidelines"."""
_OF_TESTS = frozenset(stem_all("test tests testing spec specs"))
_OF_EXAMPLE = 800
"""Tokens of a file of tests that are shown as an example, its first if it is longer."""


def raise_precedent(
    items: WeighedItems,
    scores: list[list[float]],
    question: Question,
    read: Callable[[ContextItem], str],
    *,
    explained: dict[int, dict[int, list[int]]],
    members: dict[int, Sequence[int]],
) -> Collection[int] | None:
    """Raise the scores of a precedent for a new thing, and of the bases that it is made from.

    The others of its kind score less: they show the same. The lines that register it are added to those
    `explained`, the methods of its bases to the `members`; items with such lines are returned, None if
    nothing shows how it is done.
    """
    highest = find_highest(scores)
    heads = list_heads(items, read)
    bases = find_bases(items, question, heads, read)
    found = find_precedent(items, question, read)
    guides = [
        (at, part)
        for at, part in find_guides(items, question, beside=found)
        if scores[at][part] >= SETTINGS.least * highest  # no older version of the page, nor a translation
    ]
    found = prefer_makers(items, found, bases, heads, question) if found is not None else None
    if found is not None:
        _lower_code_beside(items, scores, found)
        own, others = _divide_tests(items, found)
        scale_items(scores, others, SETTINGS.alike)
        for at, part in (place for one in own[:1] for place in list_first_parts(items, one, _OF_EXAMPLE)):
            scores[at][part] = max(scores[at][part], SETTINGS.own_test * highest)
        _raise_one(scores, found, highest, explained=explained)
    if found is None and not bases:
        bases = find_namesake_file(items, question)
    scale_items(scores, find_alike_pages(items), SETTINGS.alike)
    makers = _find_makers(items, question) if found is None else []
    for at, numbers in find_types_called(items, question.into).items():
        for part in numbers:
            scores[at][part] = SETTINGS.base * highest
    for at, part in (*makers, *bases):
        scores[at][part] = SETTINGS.base * highest
    for at, part in guides:
        scores[at][part] = SETTINGS.how_to * highest
    common = [(at, part) for at, parts in (found.common.items() if found else ()) for part in parts]
    types: dict[int, list[int]] = {}
    for at, part in (*bases, *common):
        types.setdefault(at, []).append(part)
    members.update(find_members(items, types))
    if found is not None:
        return found.known
    return () if bases or makers else None


def _find_makers(items: WeighedItems, question: Question) -> list[PartPlace]:
    """Return the functions whose purpose is to make one, short names first: `createApplicationPlugin`.

    Their names begin with a word of making and end with the kind that is asked for.
    """
    kinds = find_kinds(question)
    found: list[tuple[int, str, PartPlace]] = []
    for at in find_code(items):
        for number, part in enumerate(items[at][1].parts):
            words = stem_parts(part.name.rpartition(".")[2]) if part.kind in CALLED else []
            if len(words) > 1 and words[0] in _MAKING and words[-1] in kinds:
                found.append((len(words), part.path, (at, number)))
    return [place for *_, place in sorted(found)][:_MAKERS]


def _lower_code_beside(items: WeighedItems, scores: list[list[float]], found: Precedent) -> None:
    """Lower the scores of code that neither belongs to a precedent nor registers it.

    Also of the rest of files that define what all use, and beside a page, of other pages.
    """
    kept = {*found.whole, *found.others, *found.common, *found.known}
    place = place_of(items[found.whole[0]][0].item.path)
    alike = {at for at, (one, _) in enumerate(items) if place_of(one.item.path) is place}
    scale_items(scores, {*find_code(items), *alike} - kept, SETTINGS.beside_precedent)
    for at in found.common.keys() - {*found.whole, *found.others}:
        parts = items[at][1].parts
        used = {*found.common[at], *found.known.get(at, ())}
        names = {parts[number].name for number in used} - {""}
        scores[at] = [
            score if number in used or part.name in names else SETTINGS.beside_precedent * score
            for number, (part, score) in enumerate(zip(parts, scores[at], strict=True))
        ]


def _divide_tests(items: WeighedItems, found: Precedent) -> tuple[list[int], list[int]]:
    """Return the tests named after a precedent, and the rest, which test others of its kind."""
    names = [{*stem_parts(module_of(items[at][0].item.path))} for at in found.whole]
    own, others = list[int](), list[int]()
    for at, (one, _) in enumerate(items):
        if place_of(one.item.path) is FilePlace.TEST:
            words = {*stem_parts(module_of(one.item.path))}
            (own if any(name <= words for name in names) else others).append(at)
    return own, others


def _raise_one(
    scores: list[list[float]],
    found: Precedent,
    highest: float,
    *,
    explained: dict[int, dict[int, list[int]]],
) -> None:
    """Raise the scores of a precedent, its registration and shared code; lower those of its siblings."""
    scale_items(scores, found.others, SETTINGS.alike)
    for at in found.whole:
        scores[at] = [SETTINGS.precedent * highest] * len(scores[at])
    for at, parts in found.common.items():
        for part in parts:
            scores[at][part] = max(scores[at][part], SETTINGS.common * highest)
    raise_lines(scores, found.known, highest, explained=explained)


def find_guides(
    items: WeighedItems, question: Question, *, beside: Precedent | None = None
) -> list[PartPlace]:
    """Return the parts of sections on how to make one: "Custom widgets".

    Their headings name the thing asked for, or its kind, with a word of making and no others; on a page for
    contributors they begin with that word and name the kind: "Writing a new backend". Of a long section,
    only the first parts are returned. An example of such a name, `user_defined_sampler.py`, and a tutorial,
    `tutorials/basic_sink.md`, count, too. Beside a precedent among many pages, a section of another page is
    a guide if its heading is the thing asked for: "Filters".
    """
    subjects = find_subject_stems(question)
    last = subjects - {one for one, other in question.phrases if {one, other} <= subjects}
    kind = subjects - _OF_KINDS or subjects
    alike = {*beside.whole, *beside.others} if beside is not None and is_page(items, beside) else set[int]()
    found: list[PartPlace] = []
    for at, (one, split) in enumerate(items if subjects else ()):
        place = place_of(one.item.path) if at not in alike else None
        named = stem_parts(" ".join(_LETTERS.findall(_name_page(one.item.path))))
        is_written = place in (FilePlace.DOCUMENT, FilePlace.CONTRIBUTING)
        is_called_so = place in (FilePlace.EXAMPLE, FilePlace.DOCUMENT) and _tell_how(named, subjects)
        if is_called_so or (is_written and _is_tutorial(one.item.path, {*named}, subjects)):
            found += list_first_parts(items, at, _OF_GUIDE)
        elif is_written:
            for number, part in enumerate(split.parts):
                said = _list_stems(part.name) if part.kind == "section" else []
                if (
                    _tell_how(said, subjects)
                    or _tell_how(said, kind)
                    or (alike and {*said} == subjects)
                    or (place is FilePlace.CONTRIBUTING and _begin_with_making(said, last))
                ):
                    span = range(number, end_of_span(split.parts, number))
                    found += list_first_parts(items, at, _OF_GUIDE, span)
    return found


def _name_page(path: str) -> str:
    """Return the name of a page: that of its folder if it is the folder's index."""
    name = module_of(path)
    return folder_of(path) if name.lower() in ("index", "readme") else name


def _list_stems(name: str) -> list[str]:
    """Return the stems of the words of a heading, in order, without stop words and its `{#anchor}`."""
    words = [one for one in HYPHENATED_WORD.findall(name.partition("{#")[0]) if one.lower() not in STOP]
    stems = ([stem(word.lower())] if "-" in word else stem_parts(word.lower()) for word in words)
    return [one for some in stems for one in some]


def _tell_how(stems: Collection[str], subjects: AbstractSet[str]) -> bool:
    """Return whether a heading names the thing asked for with a word of making or simplicity, and no more.

    It may call the thing a type: "Custom Type Adapters".
    """
    of_making = _MAKING if _MAKING.isdisjoint(stems) else _ONE_MORE
    more = {*stems} - subjects - _OF_KINDS
    return subjects <= {*stems} and bool(more) and more <= of_making | _SIMPLEST | _RULES


def _begin_with_making(stems: Sequence[str], kind: AbstractSet[str]) -> bool:
    """Return whether a heading begins with a word of making or "new", and then names the kind."""
    return bool(kind) and not _ONE_MORE.isdisjoint(stems[:1]) and kind <= {*stems}


def _is_tutorial(path: str, words: AbstractSet[str], subjects: AbstractSet[str]) -> bool:
    """Return whether a page in a folder of tutorials is named after the thing asked for."""
    folders = path.split("/")[:-1]
    return subjects <= words <= subjects | _SIMPLEST and any(
        not _OF_TUTORIALS.isdisjoint(stem_all(folder)) for folder in folders
    )


def find_alike_pages(items: WeighedItems) -> list[int]:
    """Return the READMEs of packages side by side, if they are many: each is about its own package."""
    beside: defaultdict[str, list[int]] = defaultdict(list)
    for at, (one, _) in enumerate(items):
        folder, _, name = one.item.path.rpartition("/")
        if folder and is_readme(name):
            beside[folder.rpartition("/")[0]].append(at)
    return [at for pages in beside.values() if len(pages) >= _MANY_PAGES for at in pages]


def find_test_rules(items: WeighedItems) -> list[PartPlace]:
    """Return the parts of pages on contributing whose headings are about tests."""
    return [
        (at, number)
        for at in find_files(items, FilePlace.CONTRIBUTING)
        for number, part in enumerate(items[at][1].parts)
        if not _OF_TESTS.isdisjoint(stem_all(part.name))
    ]


def find_test_example(items: WeighedItems) -> list[PartPlace]:
    """Return the first parts of the shortest file of tests that is not far shorter than most.

    If no file is named a test, the files with the most common ending in folders named so are tests.
    """
    paths = {at: items[at][0].item.path for at in find_files(items, FilePlace.TEST)}
    called = [at for at, path in paths.items() if not _OF_TESTS.isdisjoint(stem_all(module_of(path)))]
    inside = [at for at, path in paths.items() if not _OF_TESTS.isdisjoint(stem_all(folder_of(path)))]
    endings = Counter(paths[at].rpartition(".")[2] for at in inside)
    ending = max(endings, key=lambda one: (endings[one], one), default="")
    tests = called or [at for at in inside if paths[at].endswith(f".{ending}")]
    sizes = {at: sum(part.tokens for part in items[at][1].parts) for at in tests}
    least = find_least(sizes.values())
    at = min(sizes, key=lambda one: (sizes[one] < least, sizes[one], one), default=-1)
    return list_first_parts(items, at, _OF_EXAMPLE) if sizes else []
