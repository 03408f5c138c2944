"""Find the settings whose names are words of a question: `DEFAULT_DOMAIN` for "the default domain".

To change the default domain, one needs the line that declares it, in an example of settings, in a table of
a page, in the code that reads them, and not the code that uses it. To set LDAP up, one needs all settings
with that word, or the section on it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from satchel.items import ContextItem
from satchel.packing.weighing.backbone import HOLDING, module_of
from satchel.packing.weighing.chances import WeighedItems
from satchel.packing.weighing.declarations import TRANSLATED
from satchel.parts import SplitItem, find_parts, number_lines
from satchel.patterns import lazily
from satchel.questions import Question, read_question
from satchel.questions.aims import FilePlace, is_aside, is_proposal, place_of
from satchel.questions.page_versions import find_older_pages
from satchel.questions.words import find_short_forms, stem_all
from satchel.stems import stem
from satchel.workspace.index.documents import Index
from satchel.workspace.index.terms import WORD, split_words

_NAME = r"[A-Za-z][\w.-]{3,60}"
_DECLARED = lazily(
    r"(?m)^[ \t>|*#/;\"'`\[-]{0,20}(?:<\w{1,20}[^<>\n]{0,80}>[\"'`]?)?(?:\[no-\])?"
    r"(?:(?:export|set|const|let|var|pub|public|private|static|final|val|self)[ .]){0,3}"
    rf"(?P<name>{_NAME})[\"'`]{{0,2}}(?:</\w{{1,20}}>|\](?:\([^()\n]{{0,120}}\))?)?"
    r"[ \t]{0,200}(?:[=:|]|\?[:=])"
    rf"|^[ \t]{{0,20}}(?:[\w.]{{1,40}}\()?[\"'](?P<quoted>{_NAME})[\"'],"
)
"""The first name on a line before a value, in a cell of a table, or as the first argument of a call."""
_PLAIN = lazily(r"(?m)^#?(?P<name>[A-Za-z][\w-]{3,60})[ \t]{1,20}[^\s=#][^\n]{0,80}$")
"""A setting of `.conf` before its value, at the left edge: `#max_connections -1`. Prose has a blank after
the `#`."""
_FIELD = lazily(r"(?m)^[ \t]{1,20}(?P<name>[A-Z]\w{3,60})[ \t]{1,60}[\[\]*\w.]{1,60}[ \t]*(?:`|//|$)")
"""A field of a type in Go, before its own type."""
_OF_OPTIONS = lazily(r"(?i)(config(uration)?|options?|opts|settings|preferences)$")
"""Names of types whose fields are settings."""
_BEFORE_VALUE = lazily(r"(?i)\.(conf|cnf)(\.\w{4,8})?$|_config$|[a-z]rc$")
"""Files with such settings."""
_ON_SCREEN = lazily(r"(?i)\.(x?html?|vue|svelte|s?css|less)$")
"""Files about looks, which set nothing."""
_CODE = lazily(r"(?i)^\.?(config\w*|settings?|env\w*|options?|constants?|defaults?|conf|prefs|preferences)$")
"""Names of files of code that declare settings."""
_WORDS = lazily(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""Words and numbers of a name, single letters too: terms of the index leave these out."""
_PLACES = frozenset({FilePlace.DOCUMENT, FilePlace.DATA, FilePlace.MANIFEST, FilePlace.SETTINGS})
_ALIKE = 0.7
"""Least weight of a synonym of a question's word."""
_DEFAULT = stem("default")
_VARIABLE = lazily(r"(?m)^[ \t#;-]{0,12}(?:export[ \t]+)?(?P<name>[A-Z][A-Z0-9]+_[A-Z0-9_]{1,60})[ \t]*[=:]")
"""A line that sets a variable of the environment."""
_SETTING_UP = frozenset(
    stem_all("set setup configure enable activate use limit change disable tune adjust setting option")
)
"""Words for setting something up."""
_OF_KIND = frozenset(stem_all("mode option flag setting"))
"""Words after the name of a setting: "the dry run mode"."""
_LIMITS = frozenset(stem_all("limit max maximum"))
_OF_SETTINGS = frozenset({FilePlace.MANIFEST, FilePlace.SETTINGS, FilePlace.DATA})
_SETTINGS_FILE = lazily(
    r"(?i)\.(conf|cnf)$|(^|[/._-])(conf|config\w*|settings?|defaults?|app|application|values)"
    r"([._-][^/]{1,60})?\.(ini|ya?ml|toml|properties)(\.\w{1,20})?$|\.(conf|cnf|ini|ya?ml|toml)\.\w{4,8}$|[a-z]_config$"
)
"""Names of files with settings of a program, and not of its build."""
_OF_BUILD = lazily(r"(?i)(^|/)(makefile|justfile|dockerfile|[^/]{0,40}\.mk)$")
"""Names of files whose variables are of the build."""
_MOST_FILES = 4
"""Most files of settings that are read for their words alone."""
_MOST_ALIKE = 4
"""Most sections of one name: with more, the name identifies none of them."""
_NAMED, _LIMITED = 1.0, 3.0
"""How well a setting named after the thing set up fits, and "max_connections" for a limit."""
_LEAST_OF_BEST = 0.5
"""How well a section's name has to fit the thing set up, relative to the best one."""
_SETTINGS_PAGE = lazily(
    r"(?i)(^|[/._-])(config\w{0,20}|settings?|env|environment([_-]variables)?)\.(md|mdx|rst|adoc|txt)$"
)
"""Names of pages on settings."""
_HEADINGS = frozenset({"section", "table", "key"})
_LEAST_OF_FAMILY, _MOST_OF_FAMILY = 3, 16
"""Least variables with one word that make them the settings of that thing, and the most that are shown."""
_SHORT_FILE = 400
"""Tokens of the longest file that is shown whole if it is named after the thing set up."""
_OF_FILES = frozenset(
    stem_all("config configuration conf settings application app env default values properties")
)
_SLIGHT = frozenset(stem_all("server http app application web api service listen main global default number"))
"""Words of a name that say little: `SERVER_PORT` is a port."""
Name = Sequence[AbstractSet[str]]
"""Words side by side, each with its synonyms."""
_MOST, _OF_EACH_PLACE = 5, 2
"""Most declaring lines that are shown first, in all, and in pages, in data, in code."""


def find_settings_files(text: str, index: Index) -> list[str]:
    """Return the files of settings with the most words of the thing that a question asks to set up."""
    question = read_question(text)
    if not question.certainty or _SETTING_UP.isdisjoint(question.own):
        return []
    subject = _find_subject(question)
    words = {one for parts in split_words(WORD.findall(text)) for one in parts if stem(one) in subject}
    counts = Counter(one for postings in index.postings_of(words).values() for one in postings)
    documents = index.numbered.by_id
    ranked = sorted(
        (-count, path.count("/"), path)
        for one, count in counts.items()
        for path in ([documents[one].path] if one in documents else ())
    )
    paths = [path for *_, path in ranked if not is_aside(path)]
    files = [path for path in paths if _SETTINGS_FILE.search(path) and place_of(path) in _OF_SETTINGS]
    pages = [path for path in paths if _SETTINGS_PAGE.search(path) and not TRANSLATED.search(f"/{path}")]
    return files[:_MOST_FILES] + pages[:_MOST_FILES]


def find_named_settings(
    items: WeighedItems, question: Question, read: Callable[[ContextItem], str]
) -> dict[int, dict[int, list[int]]]:
    """Return the lines that declare a setting named in a question, by item and part.

    The heading of a section of that name does so, too. The shortest names come first, and of these pages and
    files of settings before code. If nothing is called "default port", the `port` is looked for. Older
    versions of a page, and proposals, declare nothing.
    """
    runs = _list_runs(question)
    without_default = [run[1:] for run in runs if run[0] == _DEFAULT]
    paths = [one.item.path for one, _ in items]
    older = find_older_pages(paths, question.named_versions)
    places = [FilePlace.ELSEWHERE if path in older or is_proposal(path) else place_of(path) for path in paths]
    found = _find_declared(items, places, runs, question, read)
    found = found or _find_declared(items, places, without_default, question, read)
    if not found and not _SETTING_UP.isdisjoint(question.own):
        family = _find_family(items, places, question, read)
        files = _find_files(items, places, question)
        return {**files, **(family or _find_sections(items, places, question, read))}
    lines: dict[int, dict[int, list[int]]] = {}
    counts: Counter[FilePlace] = Counter()
    for *_, at, number, line in found:
        counts[places[at]] += 1
        if counts[places[at]] <= _OF_EACH_PLACE and counts.total() <= _MOST:
            lines.setdefault(at, {}).setdefault(number, []).append(line)
    return lines


def _find_declared(
    items: WeighedItems,
    places: Sequence[FilePlace],
    runs: Iterable[Sequence[str]],
    question: Question,
    read: Callable[[ContextItem], str],
) -> list[tuple[tuple[int, int, bool], int, str, int, int, int]]:
    """Return the lines that declare a setting named by some words, the best first.

    Each row ends with item, part and line, after the keys that it is sorted by.
    """
    names = [[_list_forms(word, question) for word in run] for run in runs]
    slight = _SLIGHT.difference(*(forms for name in names for forms in name))
    found: list[tuple[tuple[int, int, bool], int, str, int, int, int]] = []
    for at, (one, split) in enumerate(items) if names else ():
        path = one.item.path
        is_code = places[at] is FilePlace.CODE
        is_read = places[at] in _PLACES and not _ON_SCREEN.search(path)
        is_told = is_read and not TRANSLATED.search(f"/{path}") and not is_aside(path)
        kind = 2 if is_code else 0 if _SETTINGS_FILE.search(path) or _SETTINGS_PAGE.search(path) else 1
        kind = 3 if _OF_BUILD.search(path) else kind
        spans = [range(1, sys.maxsize)] if is_told or _CODE.match(module_of(path)) else _find_options(split)
        if spans and (is_told or is_code):
            found += [
                ((beside, kind, is_setting), path.count("/"), path, at, number, line)
                for (beside, is_setting), line in _list_declared(split, read(one.item), names, slight)
                for number in find_parts(split.parts, [line])
                if any(line in span for span in spans)
            ]
    return sorted(found)


def _find_options(split: SplitItem) -> list[range]:
    """Return the lines of the types that hold settings: `Config`, `ServerOptions`."""
    return [
        range(part.lines[0], part.lines[1] + 1)
        for part in split.parts
        if part.kind in HOLDING and _OF_OPTIONS.search(part.name.rpartition(".")[2])
    ]


def _find_files(
    items: WeighedItems, places: Sequence[FilePlace], question: Question
) -> dict[int, dict[int, list[int]]]:
    """Return the short files named after the thing set up: `application-mysql.properties`."""
    subject = {*_find_subject(question)}
    found = []
    for at, (one, split) in enumerate(items):
        path = one.item.path
        is_short = sum(part.tokens for part in split.parts) <= _SHORT_FILE
        is_settings = places[at] is FilePlace.SETTINGS or (
            places[at] in _OF_SETTINGS and _SETTINGS_FILE.search(path)
        )
        if is_short and is_settings and not is_aside(path):
            words = {*stem_all(path.rpartition("/")[2].partition(".")[0])} - _OF_FILES
            if words and words <= subject:
                found.append((path.count("/"), path, at, len(split.parts)))
    best = sorted(found) if len(found) <= _MOST_FILES else []
    return {at: {number: [] for number in range(parts)} for *_, at, parts in best}


def _find_family(
    items: WeighedItems,
    places: Sequence[FilePlace],
    question: Question,
    read: Callable[[ContextItem], str],
) -> dict[int, dict[int, list[int]]]:
    """Return the lines of the variables with a word of a question: `LDAP_SERVER` for LDAP.

    They are of one file, the one with most of them that sets other variables, too.
    """
    asked = question.own - _SETTING_UP
    families: list[tuple[int, int, list[int]]] = []
    for at, (one, _) in enumerate(items):
        is_read = places[at] in _PLACES - {FilePlace.DOCUMENT} and not is_aside(one.item.path)
        families += [
            (len(lines), -at, lines)
            for word, lines in (_list_families(read(one.item)) if is_read else {}).items()
            if word in asked and len(lines) >= _LEAST_OF_FAMILY
        ]
    lines: dict[int, dict[int, list[int]]] = {}
    _, at, found = max(families, default=(0, 0, []))
    for line in found[:_MOST_OF_FAMILY]:
        for number in find_parts(items[-at][1].parts, [line]):
            lines.setdefault(-at, {}).setdefault(number, []).append(line)
    return lines


def _find_sections(
    items: WeighedItems,
    places: Sequence[FilePlace],
    question: Question,
    read: Callable[[ContextItem], str],
) -> dict[int, dict[int, list[int]]]:
    """Return the sections of settings, or lines, named after the thing set up, the best first.

    A heading with a word of the question comes before one with a synonym.
    """
    subject = _find_subject(question)
    groups = question.groups
    asked = {term: weight for term, weight in question.terms.items() if groups.get(term, term) in subject}
    names: list[Name] = [[{one}] for one in subject]
    limits: list[Name] = [] if _LIMITS.isdisjoint(question.own) else [[_LIMITS, {one}] for one in subject]
    found: list[tuple[float, int, str, int, int, list[int]]] = []
    for at, (one, split) in enumerate(items):
        path = one.item.path
        if places[at] not in _OF_SETTINGS or not _SETTINGS_FILE.search(path) or is_aside(path):
            continue
        rows = [*_list_headings(split, asked), *_list_settings(split, read(one.item), names, _NAMED)]
        rows += _list_settings(split, read(one.item), limits, _LIMITED)
        found += [(-worth, path.count("/"), path, at, number, lines) for worth, number, lines in rows]
    lines: dict[int, dict[int, list[int]]] = {}
    best = [one for one in sorted(found) if one[0] <= _LEAST_OF_BEST * min(found)[0]]
    for *_, at, number, shown in best[:_OF_EACH_PLACE] if len(best) <= _MOST_ALIKE else ():
        lines.setdefault(at, {}).setdefault(number, []).extend(shown)
    return lines


def _list_headings(split: SplitItem, asked: Mapping[str, float]) -> Iterator[tuple[float, int, list[int]]]:
    """Yield the sections with some of these words in their headings, each after its worth."""
    for number, part in enumerate(split.parts):
        words = {*stem_all(part.name)} if part.kind in _HEADINGS else ()
        if worth := sum(asked.get(word, 0.0) for word in words):
            yield worth / len(words), number, []


def _list_settings(
    split: SplitItem, text: str, names: Sequence[Name], worth: float
) -> Iterator[tuple[float, int, list[int]]]:
    """Yield the parts with a setting of exactly one of these names, each with its line."""
    for (beside, _), line in _list_declared(split, text, names, frozenset()) if names else ():
        if beside == 0:
            yield from ((worth, number, [line]) for number in find_parts(split.parts, [line]))


def _find_subject(question: Question) -> list[str]:
    """Return the words for the thing that a question asks to set up."""
    return sorted(question.own - _SETTING_UP - _SLIGHT)


def _list_families(text: str) -> dict[str, list[int]]:
    """Return the lines that set variables by the stems of their words, without stems that all have."""
    names: dict[str, dict[str, int]] = {}
    matches = [*_VARIABLE.finditer(text)]
    lines = number_lines(text, [match.start("name") for match in matches])
    for match, line in zip(matches, lines, strict=True):
        for word in match["name"].lower().split("_"):
            names.setdefault(stem(word), {})[match["name"]] = line
    all_of_them = len({match["name"] for match in matches})
    return {word: sorted(found.values()) for word, found in names.items() if len(found) < all_of_them}


def _list_declared(
    split: SplitItem, text: str, names: Sequence[Name], slight: AbstractSet[str]
) -> Iterator[tuple[tuple[int, bool], int]]:
    """Yield the lines of a text that declare one of these names, each after its sort key.

    That is the number of words beside the name, and whether it is no heading.
    """
    for part in split.parts:
        if part.kind == "section" and _count_beside(part.name, names, slight) == 0:
            yield (0, False), part.lines[0]
    path = split.parts[0].path if split.parts else ""
    plain_form = _FIELD if path.endswith(".go") else _PLAIN if _BEFORE_VALUE.search(path) else None
    plain = plain_form.finditer(text) if plain_form is not None else ()
    found = sorted([*_DECLARED.finditer(text), *plain], key=lambda one: one.start(one.lastgroup or 0))
    prefix = _find_program([match["name"] for match in found if match["name"]])
    lines = number_lines(text, [match.start(match.lastgroup or 0) for match in found])
    for match, line in zip(found, lines, strict=True):
        name = (match["name"] or match["quoted"]).removeprefix(prefix)
        if (beside := _count_beside(name, names, slight)) is not None:
            yield (beside, True), line


def _find_program(names: Sequence[str]) -> str:
    """Return the program's prefix, with which most variables of a file begin: `TEA_` of `TEA_PORT`."""
    first = Counter(name.partition("_")[0] for name in names if name.isupper() and "_" in name)
    word, count = first.most_common(1)[0] if first else ("", 0)
    return f"{word}_" if count >= max(_LEAST_OF_FAMILY, _ALIKE * len(names)) else ""


def _list_runs(question: Question) -> list[list[str]]:
    """Return the longest runs of words side by side in a question.

    A last word such as "option" may be missing in the name of the setting.
    """
    runs: list[list[str]] = []
    for one, other in question.phrases:
        if one in _SETTING_UP:
            continue
        if runs and runs[-1][-1] == one:
            runs[-1].append(other)
        else:
            runs.append([one, other])
    return runs + [run[:-1] for run in runs if run[-1] in _OF_KIND and len(run) > 2]


def _list_forms(word: str, question: Question) -> set[str]:
    """Return a word and its synonyms: `max` for "maximum"."""
    alike = (term for term, own in question.groups.items() if own == word)
    near = {term for term in alike if question.terms.get(term, 0) >= _ALIKE}
    return {word, *near, *find_short_forms({word})}


def _count_beside(name: str, wanted: Iterable[Name], slight: AbstractSet[str]) -> int | None:
    """Return the number of words in a name beside the wanted ones, None if it lacks one or has many others.

    Slight words do not count.
    """
    words = [one for word in _WORDS.findall(name) if (one := stem(word.lower())) not in slight]
    return min(
        (
            len(words) - len(forms)
            for forms in wanted
            if len(forms) <= len(words) < 2 * len(forms) and all(not one.isdisjoint(words) for one in forms)
        ),
        default=None,
    )
