"""Find a precedent: of many files that each add one of a kind, the best example.

To add a collector, where all files are collectors, one needs one of them whole, the code that all of them
use and the lines that register it, and not the beginnings of twenty.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import accumulate
from types import MappingProxyType
from typing import NamedTuple

from satchel.items import ContextItem
from satchel.packing.weighing.backbone import (
    TYPES,
    find_code,
    find_files,
    find_used_names,
    folder_of,
    is_declaration,
    module_of,
)
from satchel.packing.weighing.chances import PartPlace, WeighedItems
from satchel.packing.weighing.word_search import find_starting
from satchel.parts import NO_LINES, SplitItem, end_of_span, join_lines
from satchel.patterns import lazily
from satchel.questions.aims import FilePlace, place_of
from satchel.questions.reading import Question
from satchel.questions.words import find_short_forms, stem_all, stem_parts
from satchel.stems import beginnings, stem

HYPHENATED_WORD = lazily(r"[\w-]{3,}")
"""A word or a name of at least three characters."""
_NAME = lazily(r"[\w-]{2,}")
_QUOTED = lazily(r"[\"'`]([\w-]{3,})[\"'`]")
_BASES = frozenset(stem_all("base abstract default generic interface protocol"))
_NO_EXAMPLES = _BASES | frozenset(stem_all("util utils helper helpers common shared"))
"""Words in the names of files that are not one of a kind, though they are among such files."""
_TYPES = frozenset(stem_all("class type object module function implementation provider backend integration"))
"""Words that only say that the thing named before them is one of several."""
_OF_MAKERS = frozenset(stem_all("new make create get register init"))
"""Words before the name of a function's product: `NewCommand`."""
_MADE_FROM = lazily(
    r"\b(?:[Ii]mplement(?:s|ing|ations? of)?|[Ee]xtend(?:s|ing)?|[Ss]ubclass(?:es|ing)?"
    r"|(?:[Ii]nherit(?:s|ing)?|[Dd]eriv(?:es?|ing)) from|[Cc]onform(?:s|ing)? to)\b"
    r"[^A-Z.]{1,30}(?:[a-z_]{1,40}\.){0,6}([A-Z]\w{2,60})(?:[^\w.]{1,6}(?:or|and)[^\w.]{1,6}([A-Z]\w{2,60}))?"
)
"""A statement that something is made from a type."""
_GENERIC = lazily(r"<[^<>]*>")
"""Type arguments in brackets: `Status<Client>` is made from no client."""
_TELLING = MappingProxyType(
    {FilePlace.DOCUMENT: 2, FilePlace.CONTRIBUTING: 2, FilePlace.CODE: 1, FilePlace.EXAMPLE: 1}
)
"""Weight of such a statement by its place."""
_MADE_OF = TYPES | {"impl", "implementation", "object"}
"""Kinds of parts whose heads name the bases of a type."""
_NAMESPACES = frozenset({"module", "namespace"})
_IMPLICIT = lazily(r"\.go$")
"""Files whose types implement an interface without naming it, so that heads name few."""
_INTERFACES = frozenset({"interface", "trait", "protocol"})
"""Kinds of types whose purpose is that others are made from them."""


class PrecedentSettings(NamedTuple):
    """Numbers that shape the choice, each with its reason."""

    least: int = 5
    """Least files that each add one: fewer are no collection."""
    written: float = 0.2
    """Least share of a language in which others of a kind are written before those in another."""
    share: float = 0.5
    """Share of them that uses common code, or is named where they are registered."""
    elsewhere: float = 0.5
    """Least users among them, relative to other users of common code: code that all files use says little."""
    definers: int = 5
    """Most files that define a common name."""
    typical: float = 0.6
    """Share of them that has a typical word in its names."""
    nearly: float = 0.85
    """Share of the best one's typical words with which a shorter example shows as much."""
    derived: float = 0.7
    """Least weight of synonyms that mean the same as a question's words, which code may also abbreviate."""
    synonym: float = 0.4
    """Least weight of synonyms of a question's words that files may be named by."""
    of_median: float = 0.15
    """Least share of the median length of such files for an example, if that is not enough."""
    enough: int = 300
    """Tokens that are enough for an example, however long the others are."""
    named: float = 0.5
    """Least share of the words asked for in the name of a base."""
    told: int = 2
    """Least weight of statements that a type is a base: two comments, or one page."""
    before: int = 120
    """Characters before such a statement that may hold the word asked for, and after it."""
    after: int = 60
    making: float = 0.25
    """Least share of the files of a kind that make something from its base: others are about the kind."""
    steps: int = 2
    """Most types between a base and a type made from it."""
    made: int = 2
    """Least types that are made from a base."""
    bases: int = 2
    """Most bases that are shown."""
    base_tokens: int = 1_500
    """Tokens of the longest base that is shown with its members."""
    unit_tokens: int = 1_500
    """Tokens of the longest package that is shown whole; of others, the main file is."""
    alike: float = 0.5
    """Least share of folders with a file named alike, so that each folder is one of a kind."""
    all_alike: float = 0.8
    """The same for folders with more files than `unit_files`."""
    one: int = 2
    """Most things of a kind in a file that is one of that kind: it and its base."""
    alias: int = 5
    """Least letters of an alias of a precedent."""
    row_words: int = 12
    """Most words of a line that gives a name an alias: longer lines list many names."""
    alias_lines: int = 8
    """Most lines of code with an alias: a name on more lines is an ordinary word."""
    compound: int = 4
    """Least letters of a word that a compound may end with."""
    many_files: int = 20
    """Least files of a folder that holds more than one of a kind."""
    unit_files: int = 5
    """Most files in the median folder of one: a larger folder holds many of a kind."""


SETTINGS = PrecedentSettings()


_EACH = "-*"
"""Ending for the name of adjacent folders that are each named as one of a kind: `language-css`."""
_SOURCES = frozenset({"src", "lib"})
"""Folders of a package's code."""
Unit = tuple[int, ...]
"""The files that together add one of a kind: a file, or the package of one."""
Head = tuple[PartPlace, str, AbstractSet[str]]
"""The place of a type or an implementation, its name, and the words of its head."""


class Precedent(NamedTuple):
    """An example of adding one more of a kind, by the numbers of items."""

    whole: Unit
    others: Collection[int]
    """The other files of this kind."""
    common: Mapping[int, Sequence[int]]
    """The parts that define the names most of them use."""
    known: Mapping[int, Mapping[int, Sequence[int]]]
    """Lines that register the precedent, by part, in code that registers most of them."""


_SHORT = 200
"""Tokens of the longest file that may only re-export others' definitions."""
_SAYS_SOMETHING = lazily(r"\s*(?!//|/?\*|#(?!\[)|[\"']use )\S")
"""A line that is no comment."""
_EXPORTS = lazily(r"\s*(?:export\s+(?:type\s+)?[*{]|(?:module\.)?exports\s*=\s*require\b|pub use\b)")
_EXPORTED = lazily(rf"{_EXPORTS.pattern}|\s*(?:import\b|[\w$]{{1,80}}(?:\s+as\s+[\w$]{{1,80}})?,?$|\}})")
"""Lines of files that re-export others' definitions."""


def find_bases(
    items: WeighedItems, question: Question, heads: Sequence[Head], read: Callable[[ContextItem], str]
) -> list[PartPlace]:
    """Return the parts of the types named as the question asks from which most others are made.

    A new converter implements `Converter` or extends `BaseConverter`. The last word of the name, words such
    as `Base` aside, is one of the subjects; the more of these the better. With the first type comes the
    shortest file that makes something from it.
    """
    subjects = find_subject_stems(question)
    kinds = find_kinds(question)
    told = _find_told(items, subjects, kinds, read)
    shares = {name: _rate_name(name, subjects, kinds) for _, name, _ in heads}
    names = {name.rpartition(".")[2] for name, share in shares.items() if share} | told.keys()
    users = Counter(
        word for _, name, words in heads for word in names & words if word != name.rpartition(".")[2]
    )
    several = _find_ambiguous(items, heads)
    made = [
        (-(subjects >= {*_list_words(name, subjects)}), -shares[name], -told[own], -users[own], place, own)
        for place, name, _ in heads
        if (own := name.rpartition(".")[2]) and (shares[name] or told[own])
        if own not in several and _may_be_base(items, place, subjects)
        if users[own] >= SETTINGS.made
        or _is_for_others(items, place, subjects, is_told=bool(told[own] and shares[name]))
    ]
    best = sorted(made)
    best = [row for row in best if (row[0], row[1] < 0) == (best[0][0], best[0][1] < 0)]
    best = [row for row in best if row[1] == -1 or best[0][1] > -1][: SETTINGS.bases]
    shown = [one for *_, place, _ in best for one in _list_type(items, place)]
    return [*shown, *_find_example(items, heads, best[0][-1])] if best else []


def find_namesake_file(items: WeighedItems, question: Question) -> list[PartPlace]:
    """Return the first parts of the file of code whose name is exactly the subjects of a question."""
    subjects = find_subject_stems(question)
    called = [at for at in find_code(items) if {*stem_parts(module_of(items[at][0].item.path))} == subjects]
    at = min(called, key=lambda at: (items[at][0].item.path.count("/"), items[at][0].item.path), default=-1)
    return list_first_parts(items, at, SETTINGS.base_tokens) if called else []


def list_first_parts(items: WeighedItems, at: int, most: int, span: range | None = None) -> list[PartPlace]:
    """Return an item's first parts, or the first in a span, up to `most` tokens together, at least one."""
    parts, numbers = items[at][1].parts, span or range(len(items[at][1].parts))
    tokens = accumulate(parts[number].tokens for number in numbers)
    return [
        (at, number)
        for number, count in zip(numbers, tokens, strict=True)
        if number == numbers[0] or count <= most
    ]


def _find_ambiguous(items: WeighedItems, heads: Iterable[Head]) -> set[str]:
    """Return the names that more than two types have: a base of such a name is not known."""
    names = {
        (items[at][0].item.path.rpartition("/")[0], name.rpartition(".")[2]) for (at, _), name, _ in heads
    }
    counts = Counter(name for _, name in names)
    return {name for name, count in counts.items() if count > SETTINGS.bases}


def _may_be_base(items: WeighedItems, place: PartPlace, subjects: AbstractSet[str]) -> bool:
    """Return whether a part defines a type outside of others, or one named by all of several subjects."""
    parts = items[place[0]][1].parts
    part = parts[place[1]]
    if part.kind not in TYPES:
        return False
    owner = part.name.rpartition(".")[0]
    around = TYPES - _NAMESPACES if owner else frozenset[str]()
    is_inner = any(one.name == owner and one.kind in around for one in parts[: place[1]])
    return not is_inner or (len(subjects) > 1 and {*_list_words(part.name, subjects)} == subjects)


def _is_for_others(
    items: WeighedItems, place: PartPlace, subjects: AbstractSet[str], *, is_told: bool
) -> bool:
    """Return whether the purpose of a type is that others are made from it, though too few are.

    Pages say so (`is_told`), or it is an interface whose name is exactly the subjects.
    """
    part = items[place[0]][1].parts[place[1]]
    return is_told or (part.kind in _INTERFACES and {*_list_words(part.name, subjects)} == subjects)


def _find_told(
    items: WeighedItems,
    subjects: AbstractSet[str],
    kinds: AbstractSet[str],
    read: Callable[[ContextItem], str],
) -> Counter[str]:
    """Return how often pages and comments say that the thing asked for implements or extends a type.

    "An extractor is a type that implements `FromRequest`" says so though the name does not. For a "cache
    driver", the word "driver" has to be near.
    """
    told: Counter[str] = Counter()
    begin = beginnings(subjects)
    for one, split in items:
        place = place_of(one.item.path)
        if one.item.kind != "file" or place not in _TELLING or not find_starting(split.terms, begin):
            continue
        text = read(one.item)
        for match in _MADE_FROM.finditer(text):
            around = text[max(match.start() - SETTINGS.before, 0) : match.end() + SETTINGS.after]
            said = {stem(word.lower()) for word in HYPHENATED_WORD.findall(around)}
            if kinds & said and len(subjects & said) >= SETTINGS.named * len(subjects):
                told.update(dict.fromkeys(filter(None, match.groups()), _TELLING[place]))
    return Counter({name: count for name, count in told.items() if count >= SETTINGS.told})


def list_heads(items: WeighedItems, read: Callable[[ContextItem], str]) -> list[Head]:
    """Return the heads of the types in code, and of their implementations."""
    heads: list[Head] = []
    for at in find_code(items):
        if is_declaration(items[at][0].item.path):
            continue
        places = [(n, part) for n, part in enumerate(items[at][1].parts) if part.kind in _MADE_OF]
        lines = read(items[at][0].item).split("\n") if places else []
        for number, part in places:
            first, last = part.head if part.head != NO_LINES else (part.lines[0], part.lines[0])
            head = " ".join(lines[first - 1 : last])
            words = {*HYPHENATED_WORD.findall(_GENERIC.sub(" ", _GENERIC.sub(" ", head)))}
            heads.append(((at, number), part.name, words))
    return heads


def _find_example(items: WeighedItems, heads: Iterable[Head], base: str) -> list[PartPlace]:
    """Return the parts of the shortest file that makes something from a base, [] if all are long."""
    made = {at for (at, _), name, words in heads if name.rpartition(".")[2] != base and base in words}
    sizes = {at: _count_tokens(items, at) for at in made}
    short = [at for at, size in sizes.items() if size <= SETTINGS.base_tokens]
    least = find_least(sizes.values())
    at = min(short, key=lambda one: (sizes[one] < least, sizes[one], one), default=-1)
    return [(at, number) for number in range(len(items[at][1].parts))] if short else []


def _list_words(name: str, subjects: AbstractSet[str]) -> list[str]:
    """Return the stems of the words in the name of a type, without words such as `Base` beside others.

    The `I` of `IProvider` is no word either; `Param` is a parameter if that is a subject.
    """
    words = stem_parts(name.rpartition(".")[2])
    words = [one for one in words if one not in _BASES and len(one) > 1] or words
    long = _map_short_forms(frozenset(subjects))
    return [one if one in subjects else long.get(one, one) for one in words]


def _rate_name(name: str, subjects: AbstractSet[str], kinds: AbstractSet[str]) -> float:
    """Return the share of the subjects in the name of a type, 0 for a name of another kind.

    Its last word is one of the kinds: a `Database` is no base of a database migration.
    """
    words = _list_words(name, subjects)
    share = len(subjects & {*words}) / len(subjects) if words and words[-1] in kinds else 0.0
    return share if share >= SETTINGS.named or {*words} <= subjects else 0.0


def _list_type(items: WeighedItems, place: PartPlace) -> list[PartPlace]:
    """Return the parts of the file that defines a type; in a long file, of the type, or its first."""
    at, number = place
    parts = items[at][1].parts
    if _count_tokens(items, at) <= SETTINGS.base_tokens:
        return [(at, one) for one in range(len(parts))]
    end = end_of_span(parts, number)
    is_long = sum(part.tokens for part in parts[number:end]) > SETTINGS.base_tokens
    return [(at, one) for one in range(number, number + 1 if is_long else end)]


def find_precedent(
    items: WeighedItems, question: Question, read: Callable[[ContextItem], str]
) -> Precedent | None:
    """Return the precedent for one more of the kind that a question names, None if there are few.

    If each of a kind has a page, and code names most of them, a page and that code are the precedent.
    """
    code = [at for at in find_code(items) if not _passes_on(items, at, read)]
    if found := _find_among(items, code, question, read):
        return found
    return _find_among(items, find_files(items, FilePlace.DOCUMENT), question, read, are_pages=True)


def _passes_on(items: WeighedItems, at: int, read: Callable[[ContextItem], str]) -> bool:
    """Return whether a short file of code only re-exports others' definitions, and is no precedent."""
    one, split = items[at]
    if sum(part.tokens for part in split.parts) > _SHORT:
        return False
    lines = [line for line in read(one.item).split("\n") if _SAYS_SOMETHING.match(line)]
    return any(_EXPORTS.match(line) for line in lines) and all(_EXPORTED.match(line) for line in lines)


def _find_among(
    items: WeighedItems,
    files: Collection[int],
    question: Question,
    read: Callable[[ContextItem], str],
    *,
    are_pages: bool = False,
) -> Precedent | None:
    """Return the precedent among some files; a page only if code names most of the pages."""
    units = _find_units(items, files, question)
    if len(units) < SETTINGS.least:
        return None
    pages = units if are_pages else []
    common = {} if are_pages else _find_common(items, units)
    units = [kept for unit in units if (kept := _drop_bases(items, unit, common))]
    names = _find_names(items, units)
    listing = _find_listing(items, names, read)
    names = {unit: mine for unit, mine in names.items() if listing not in unit}
    if len(names) < SETTINGS.least or (listing is None and are_pages):
        return None
    lines = read(items[listing][0].item).split("\n") if listing is not None else []
    listed = {*_NAME.findall("\n".join(lines))}
    near = _find_nearest(items, names, question)
    chosen = _choose(items, [unit for unit in near if not listed.isdisjoint(names[unit])] or near)
    known: Mapping[int, Mapping[int, Sequence[int]]] = {}
    if listing is not None:
        rest = set[str]().union(*(mine for unit, mine in names.items() if unit != chosen))
        naming = {listing: _find_lines(items[listing][1], lines, names[chosen])}
        known = find_aliases(items, list_aliases(lines, names[chosen], rest), read, naming)
    whole = _choose_main(items, chosen, names, question)
    others = [at for unit in (*names, *pages) for at in unit if at not in whole]
    return Precedent(whole, others, common, known)


def list_kinds(question: Question) -> set[str]:
    """Return the stems by which code may name the kind of thing that is asked for."""
    asked = find_kinds(question)
    return {word for word, subject in list_names(question).items() if subject in asked}


def _find_nearest(items: WeighedItems, units: Collection[Unit], question: Question) -> list[Unit]:
    """Return the units whose paths have most words of a question beside the kind.

    For an HTTP handler module, that is `caddyhttp/push/handler.go`.
    """
    subjects = find_subject_stems(question)
    wanted = subjects - find_kinds(question) or (subjects if len(subjects) > 1 else set[str]())
    paths = {unit: stem_all(" ".join(items[at][0].item.path for at in unit)) for unit in units}
    counts = {
        unit: sum(any(_ends_with(word, one) for word in words) for one in wanted)
        for unit, words in paths.items()
    }
    most = max(counts.values())
    return [unit for unit in units if counts[unit] == most]


def _ends_with(word: str, wanted: str) -> bool:
    """Return whether a word is another, or a compound that ends with it: `caddyhttp`."""
    return word == wanted or (len(wanted) >= SETTINGS.compound and word.endswith(wanted))


def _drop_bases(items: WeighedItems, unit: Unit, common: Collection[int]) -> Unit:
    """Return the files of a unit without common code and files named as bases."""
    return tuple(at for at in unit if at not in common and not _is_base(items[at][0].item.path))


def _choose_main(items: WeighedItems, unit: Unit, units: Collection[Unit], question: Question) -> Unit:
    """Return the files of a unit that are shown whole: all of a short one, or the main file.

    That has the name of a file in nearly all units (`index.js`), or of its folder. If a unit holds many of a
    kind itself, it is one of these.
    """
    if len(unit) == 1 or _count_tokens(items, *unit) <= SETTINGS.unit_tokens:
        return unit
    names = Counter(name for one in units for name in {_file_name(items, at) for at in one})
    alike = [at for at in unit if names[_file_name(items, at)] >= SETTINGS.all_alike * len(units)]
    if not alike and len(unit) > SETTINGS.many_files:
        return _choose(items, _find_nearest(items, [(at,) for at in unit], question))
    main = max(
        alike or unit, key=lambda at: (_is_main(items[at][0].item.path), _count_tokens(items, at), -at)
    )
    return (main,)


def _file_name(items: WeighedItems, at: int) -> str:
    return items[at][0].item.path.rpartition("/")[2]


def _is_main(path: str) -> bool:
    """Return whether a file has the name of its folder: `local/local.go`."""
    return folder_of(path) == module_of(path)


def _count_tokens(items: WeighedItems, *unit: int) -> int:
    return sum(part.tokens for at in unit for part in items[at][1].parts)


def prefer_makers(
    items: WeighedItems,
    found: Precedent,
    bases: Iterable[PartPlace],
    heads: Sequence[Head],
    question: Question,
) -> Precedent | None:
    """Return a precedent that makes something from a base, directly or through other types, if one does.

    None if such files are too long, if there are none though a base's name has all subjects, or if files are
    only about a kind: without common code or a list, and few of them made from a base.
    """
    names = _list_base_names(items, bases, question)
    if not names:
        return found
    subjects = find_subject_stems(question)
    is_exact = len(subjects) > 1 and any(_rate_name(name, subjects, subjects) == 1 for name in names)
    for _ in range(SETTINGS.steps):
        names |= {name.rpartition(".")[2] for _, name, words in heads if not names.isdisjoint(words)}
    files = {*found.whole, *found.others}
    making = {
        at for (at, _), name, words in heads if at in files and names & words - {name.rpartition(".")[2]}
    }
    if not making and is_exact:
        return None
    are_few = len(making) < SETTINGS.making * len(files)
    if are_few and not found.common and not found.known:
        return None
    if not making or not making.isdisjoint(found.whole):
        return found
    if are_few and any(map(_IMPLICIT.search, (items[at][0].item.path for at, _ in bases))):
        return found
    sizes = {at: _count_tokens(items, at) for at in making}
    short = [at for at in sorted(making) if sizes[at] <= SETTINGS.unit_tokens]
    best = min(short, key=lambda at: sizes[at], default=-1)
    return Precedent((best,), sorted(files - {best}), found.common, {}) if short else None


def _list_base_names(items: WeighedItems, bases: Iterable[PartPlace], question: Question) -> set[str]:
    """Return the names of bases, without other types in their files."""
    subjects, kinds = find_subject_stems(question), find_kinds(question)
    parts = [items[at][1].parts[part] for at, part in bases]
    types = {part.name for part in parts if part.kind in TYPES}
    called = {name for name in types if _rate_name(name, subjects, kinds)}
    return {name.rpartition(".")[2] for name in called or types}


def is_page(items: WeighedItems, found: Precedent) -> bool:
    """Return whether a precedent is a page."""
    return place_of(items[found.whole[0]][0].item.path) is FilePlace.DOCUMENT


def _find_units(items: WeighedItems, files: Collection[int], question: Question) -> list[Unit]:
    """Return the units of the kind that a question asks for: of the best name, and of these the most.

    A folder above the files has the kind's name, most files of a folder define something that has it, or the
    names of some begin or end with it: `cmd-list.c`, `ListController.php`; if folders with several files are
    one each, such files serve all of them. Files of one name, or of one ending, are of one kind, wherever
    they are: `route.ts`, `page.controller.ts`.
    """
    called, kinds = list_names(question), list_kinds(question)
    families: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    beside: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for at in files:
        folder, _, name = items[at][0].item.path.rpartition("/")
        own, _, ending = name.rpartition(".")
        beside[folder, ending].append(at)
        if above := _find_folder(folder, kinds):
            families[above, ending].append(at)
            parent, _, last = above.rpartition("/")
            own_words = stem_parts(last)
            for kind in kinds.intersection(own_words) if len(own_words) > 1 else ():
                families[f"{parent}/{kind}{_EACH}", ending].append(at)
        words = stem_parts(own)
        dotted = own.rpartition(".")[2]
        if len(words) == 1 and words[0] in kinds:
            families["*", name].append(at)
        elif dotted != own and stem(dotted.lower()) in kinds:
            families["*", f"{dotted}.{ending}"].append(at)
        for affix in {*words[:1], *words[-1:]} & kinds if len(words) > 1 else ():
            families[folder, f"{affix}.{ending}"].append(at)
    for key, together in beside.items():
        defining = [at for at in together if _defines_one(items[at][1], kinds)]
        if 2 * len(defining) > len(together):
            families[key] = max(families[key], defining, key=len)
    units = {key: _group(items, key[0], some) for key, some in families.items()}
    written = Counter(items[at][0].item.path.rpartition(".")[2] for at in files)
    rated = {
        key: (
            len({called.get(word) for word in stem_all(" ".join(key))} - {None}),
            written[key[1].rpartition(".")[2]] >= SETTINGS.written * len(files),
            key[0].endswith(_EACH),
            max(map(len, found)) > 1,
            sum(map(len, found)),
        )
        for key, found in units.items()
        if len(found) >= SETTINGS.least
    }
    return units[max(rated, key=lambda key: (*rated[key], key))] if rated else []


def _group(items: WeighedItems, above: str, files: Sequence[int]) -> list[Unit]:
    """Return the files of each folder below one if each folder is one of a kind, else each file alone.

    It is if most folders have a few files, one of them named after the folder, like files of others or after
    the kind: `output/csv/output.go`. Such folders may be a level deeper: `storage/v2/memory`. Files in
    folders that are each named as one of a kind, `language-css`, are no units alone.
    """
    are_called = above.endswith(_EACH)
    parent = above.rpartition("/")[0] if are_called else above
    groups = _split_by_folder(items, parent, files) if above != "*" else {}
    beside = len(files) - sum(map(len, groups.values()))  # more of these than folders are one each
    kind = {*stem_parts(above.rpartition("/")[2])} if beside < len(groups) else set[str]()
    found = _list_alike(items, groups, kind)
    if not found and not are_called and sum(map(len, groups.values())) == len(files):
        below = (_split_by_folder(items, f"{parent}/{name}", some) for name, some in groups.items())
        found = max((_list_alike(items, some, kind) for some in below), key=len, default=[])
    if found or are_called:
        return found
    return [(at,) for at in files]


def _split_by_folder(items: WeighedItems, above: str, files: Iterable[int]) -> dict[str, list[int]]:
    """Return the files in folders below a folder, by the names of these."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for at in files:
        folder, slash, _ = items[at][0].item.path.removeprefix(f"{above}/").partition("/")
        if slash:
            groups[folder].append(at)
    return groups


def _stands_for(path: str, folder: str) -> bool:
    """Return whether a file is directly in a folder of that name, or in its folder of sources."""
    *above, own = path.split("/")[:-1]
    return own == folder or (own in _SOURCES and above[-1:] == [folder])


def _list_alike(
    items: WeighedItems, groups: Mapping[str, Sequence[int]], kind: AbstractSet[str]
) -> list[Unit]:
    """Return the files of each folder, if most have one named after the folder, others' files or the kind.

    That file is at most a folder of sources further down: `editor/src/index.ts`.
    """
    paths = [
        [path for at in group if _stands_for(path := items[at][0].item.path, name)]
        for name, group in groups.items()
    ]
    called = Counter(path.rpartition("/")[2] for group in paths for path in group)

    def is_alike(path: str) -> bool:
        is_of_kind = {*stem_parts(module_of(path))} == kind
        return is_of_kind or _is_main(path) or called[path.rpartition("/")[2]] >= SETTINGS.least

    from statistics import median  # 3 ms, with its fractions and decimals

    share = sum(any(map(is_alike, group)) for group in paths) / max(len(paths), 1)
    is_grouped = (
        len(paths) >= SETTINGS.least
        and share >= SETTINGS.alike
        and (share >= SETTINGS.all_alike or median(map(len, paths)) <= SETTINGS.unit_files)
    )
    return [tuple(group) for group in groups.values()] if is_grouped else []


def list_names(question: Question) -> dict[str, str]:
    """Return the stems by which code may name the subjects: their words, synonyms and abbreviations."""
    subjects = find_subject_stems(question)
    near = {
        term: word
        for term, word in question.groups.items()
        if word in subjects and question.terms.get(term, 0.0) >= SETTINGS.synonym
    }
    alike = {term for term in near if question.terms[term] >= SETTINGS.derived}
    short = _map_short_forms(frozenset(subjects | alike))
    return {**near, **{one: near.get(word, word) for one, word in short.items()}}


@lru_cache(maxsize=8)
def _map_short_forms(stems: frozenset[str]) -> Mapping[str, str]:
    """Return the stems by their abbreviations in code."""
    return {stem(short): word for word in stems for short in find_short_forms({word})}


def find_types_called(items: WeighedItems, words: AbstractSet[str]) -> dict[int, list[int]]:
    """Return the parts of the types whose names are exactly some words, such as `Owner`."""
    found: dict[int, list[int]] = {}
    for at in find_code(items) if words else ():
        parts = items[at][1].parts
        for number, part in enumerate(parts):
            if part.kind in TYPES and {*stem_parts(part.name.rpartition(".")[2])} == words:
                found[at] = [one for _, one in _list_type(items, (at, number))]
    return found


def find_subject_stems(question: Question) -> set[str]:
    """Return the stems that name the subjects of a question, without its beneficiary."""
    subjects = {one for one in question.own if question.terms.get(one, 0.0) >= 1}
    return subjects - question.beneficiary or subjects


def find_kinds(question: Question) -> set[str]:
    """Return the stems that name the kind of thing: `action` of "rule action", both of "permission class".

    The thing that it is added to is of another kind.
    """
    subjects = find_subject_stems(question)
    before = {one for one, other in question.phrases if {one, other} <= subjects and other not in _TYPES}
    return (subjects - before - question.into) or (subjects - before)


def _is_base(path: str) -> bool:
    """Return whether a file is by its name a base or a helper of others."""
    return not _NO_EXAMPLES.isdisjoint(stem_all(module_of(path)))


def _find_folder(folder: str, kinds: AbstractSet[str]) -> str:
    """Return the innermost folder of a path that has the name of one of the kinds, "" if there is none."""
    while folder and kinds.isdisjoint(stem_all(folder.rpartition("/")[2])):
        folder = folder.rpartition("/")[0]
    return folder


def _defines_one(split: SplitItem, kinds: AbstractSet[str]) -> bool:
    """Return whether a file defines something with the name of a kind, alone or with the file's own name.

    `SlackNotifier` in `slack.py` is a notifier, unlike other code about notifiers. A file with many of a
    kind is not one of them.
    """
    own = {*stem_all(module_of(split.parts[0].path))}
    found: set[frozenset[str]] = set()
    for part in split.parts:
        words = stem_parts(part.name.rpartition(".")[2]) if part.name else []
        rest = frozenset(words) - kinds - _OF_MAKERS
        if not kinds.isdisjoint({*words[:1], *words[-1:]}) and (not rest or not own.isdisjoint(rest)):
            found.add(rest)
    return 0 < len(found) <= SETTINGS.one


def _find_common(items: WeighedItems, units: Sequence[Unit]) -> dict[int, list[int]]:
    """Return the parts of code that define the names that most units use, and not twice as many other files.

    A name that several units define is common only if it is defined outside of them; one that many files
    define is a namespace.
    """
    inside = {at for unit in units for at in unit}
    code = find_code(items)
    definers = Counter(name for at in code for name in _list_definitions(items, (at,)))
    defined = Counter(name for unit in units for name in _list_definitions(items, unit))
    uses = Counter(name for unit in units for name in _list_uses(items, unit))
    others = Counter(name for at in code if at not in inside for name in _list_uses(items, (at,)))
    least = SETTINGS.share * len(units)
    used = {
        name
        for name, count in uses.items()
        if count >= max(least, SETTINGS.elsewhere * others[name]) and definers[name] <= SETTINGS.definers
    }
    common: dict[int, list[int]] = {}
    for at in code:
        for number, part in enumerate(items[at][1].parts):
            own = part.symbols if part.name else ()  # rows of a list define nothing that one could read
            if any(one.name in used and (at not in inside or defined[one.name] == 1) for one in own):
                common.setdefault(at, []).append(number)
    return common


def _list_uses(items: WeighedItems, unit: Unit) -> set[str]:
    return {name for at in unit for name in find_used_names(items[at][1].parts)}


def _list_definitions(items: WeighedItems, unit: Unit) -> set[str]:
    return {one.name for at in unit for part in items[at][1].parts for one in part.symbols}


def _list_outer_names(items: WeighedItems, unit: Unit) -> set[str]:
    """Return the names that the files of a unit define, without members of types."""
    types = {part.name for at in unit for part in items[at][1].parts if part.kind in TYPES}
    names = (name.rpartition(".") for name in _list_definitions(items, unit))
    return {own for owner, _, own in names if owner not in types}


def _find_names(items: WeighedItems, units: Sequence[Unit]) -> dict[Unit, set[str]]:
    """Return the names unique to each unit: of its files or folder, and of their definitions.

    Without members of its types: other code has words such as `checkout` and `edit`, too.
    """
    names = {unit: {*_name_files(items, unit), *_list_outer_names(items, unit)} for unit in units}
    shared = Counter(name for mine in names.values() for name in mine)
    return {unit: {name for name in mine if shared[name] == 1} for unit, mine in names.items()}


def _name_files(items: WeighedItems, unit: Unit) -> set[str]:
    """Return the name of the folder of a package, or of a file."""
    name_of = folder_of if len(unit) > 1 else module_of
    return {name_of(items[at][0].item.path) for at in unit}


def _find_listing(
    items: WeighedItems, names: Mapping[Unit, Collection[str]], read: Callable[[ContextItem], str]
) -> int | None:
    """Return the file of code that names the most units, if it names enough to be a list of them.

    It may be a file of settings, which register classes in some frameworks.
    """
    told: dict[int, int] = {}
    for at in [*find_code(items), *find_files(items, FilePlace.SETTINGS)]:
        words = set(_NAME.findall(read(items[at][0].item)))
        told[at] = sum(not words.isdisjoint(mine) for unit, mine in names.items() if at not in unit)
    best = max(told, key=lambda at: told[at], default=-1)
    return best if best >= 0 and told[best] >= SETTINGS.share * len(names) else None


def _choose(items: WeighedItems, units: Sequence[Unit]) -> Unit:
    """Return the shortest of the units whose names have nearly as many typical words as any.

    A unit far shorter than most shows too little.
    """
    stems = {
        unit: {
            stem
            for at in unit
            for part in items[at][1].parts
            for stem in stem_all(part.name.replace(".", " "))
        }
        for unit in units
    }
    holding = Counter(stem for mine in stems.values() for stem in mine)
    typical = {stem for stem, count in holding.items() if count >= SETTINGS.typical * len(units)}
    enough = SETTINGS.nearly * max(len(mine & typical) for mine in stems.values())
    sizes = {unit: _count_tokens(items, *unit) for unit in units}
    least = find_least(sizes.values())
    return min(
        units,
        key=lambda unit: (
            sizes[unit] < least,
            len(stems[unit] & typical) < enough,
            sizes[unit],
            items[unit[0]][0].item.path,
        ),
    )


def find_least(sizes: Collection[int]) -> float:
    """Return the least tokens of an example among files of these sizes."""
    from statistics import median

    return min(SETTINGS.enough, SETTINGS.of_median * median(sizes)) if sizes else 0


def list_aliases(lines: Iterable[str], own: AbstractSet[str], others: AbstractSet[str]) -> set[str]:
    """Return the other words on lines with one of its `own` names that are on no line with names of `others`.

    In `{"libcurl", ARG_STRG, C_LIBCURL}`, `C_LIBCURL` is an alias of `libcurl`. A line with many words only
    lists them, and a plain word is an alias only in quotes.
    """
    mine, beside = set[str](), set[str]()
    for line in lines:
        words = {*HYPHENATED_WORD.findall(line)}
        if not words.isdisjoint(own) and len(words) <= SETTINGS.row_words:
            mine |= {word for word in words if not word.islower()} | {*_QUOTED.findall(line)}
        elif not words.isdisjoint(others):
            beside |= words
    return {word for word in mine - beside - own if len(word) >= SETTINGS.alias}


def find_aliases(
    items: WeighedItems,
    aliases: Collection[str],
    read: Callable[[ContextItem], str],
    known: Mapping[int, Mapping[int, Sequence[int]]],
) -> dict[int, dict[int, list[int]]]:
    """Return the lines of code with one of these aliases, in addition to known ones; not of a usual word."""
    found = {at: {part: [*lines] for part, lines in rows.items()} for at, rows in known.items()}
    texts = {at: read(items[at][0].item) for at in find_code(items)} if aliases else {}
    for alias in sorted(aliases):
        places = {
            at: _find_lines(items[at][1], text.split("\n"), {alias})
            for at, text in texts.items()
            if alias in text
        }
        if sum(len(lines) for rows in places.values() for lines in rows.values()) > SETTINGS.alias_lines:
            continue
        for at, rows in places.items():
            for part, lines in rows.items():
                mine = found.setdefault(at, {}).setdefault(part, [])
                mine += [line for line in lines if line not in mine]
    return found


def find_lists(
    items: WeighedItems, question: Question, read: Callable[[ContextItem], str]
) -> list[PartPlace]:
    """Return the parts of code and pages that name most of a kind, if files or packages are one each.

    "Which stores are supported" needs the code that registers them, and the page that lists them.
    """
    units = _find_units(items, find_code(items), question)
    if len(units) < SETTINGS.least:
        return []
    names = _find_names(items, units)
    known = [{name.lower() for name in mine} for mine in names.values()]
    pages = find_files(items, FilePlace.DOCUMENT)
    told = {at: _count_mentions(read(items[at][0].item).lower(), known) for at in pages}
    listing = [at for at in pages if told[at] >= SETTINGS.share * len(names)]
    page = min(listing, key=lambda at: (-told[at], at), default=None)
    found: list[PartPlace] = []
    for at in (one for one in (_find_listing(items, names, read), page) if one is not None):
        lines = read(items[at][0].item).lower().split("\n")
        counts = {
            number: _count_mentions(join_lines(lines, part), known)
            for number, part in enumerate(items[at][1].parts)
        }
        most = max(counts.values(), default=0)
        found += [(at, number) for number, count in counts.items() if count >= max(2, SETTINGS.share * most)]
    return found


def _count_mentions(text: str, names: Iterable[AbstractSet[str]]) -> int:
    """Return how many things a text mentions, given the names of each in lower case."""
    words = {*_NAME.findall(text)}
    return sum(not words.isdisjoint(mine) for mine in names)


def _find_lines(split: SplitItem, lines: Sequence[str], names: Collection[str]) -> dict[int, list[int]]:
    """Return the lines of each part with one of the names as a word."""
    found: dict[int, list[int]] = {}
    for number, part in enumerate(split.parts):
        for n in range(part.lines[0], part.lines[1] + 1):
            if not set(HYPHENATED_WORD.findall(lines[n - 1])).isdisjoint(names):
                found.setdefault(number, []).append(n)
    return found
