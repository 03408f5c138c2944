"""Find the backbone of a project's code: the definitions that most other files use, and where it starts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from operator import itemgetter
from typing import NamedTuple

from satchel.items import ContextItem
from satchel.packing.scoring import Scored
from satchel.packing.weighing.chances import PartPlace, WeighedItems
from satchel.parts import NO_LINES, Part, SplitItem
from satchel.patterns import lazily
from satchel.questions.aims import FilePlace, place_of
from satchel.workspace.files.kinds import DOCUMENT_ENDINGS, language_of

CALLED = frozenset({"function", "method"})
_METHODS = frozenset({"function", "method", "constructor", "property", "prototype"})
TYPES = frozenset(
    {"class", "interface", "struct", "enum", "trait", "record", "union", "type", "protocol", "module"}
)
HOLDING = frozenset({"class", "interface", "struct", "record", "type"})
"""Kinds of types that hold a caller's arguments."""
_NO_STATEMENTS = _METHODS | TYPES | {"imports", "comment", "callback"}
_STARTS = frozenset({"main", "Main"})
_OPENERS = frozenset({"start", "run", "execute", "serve", "launch", "bootstrap"})
"""Functions that others call to start a library."""
_COMPILED = frozenset(
    {"c", "cpp", "go", "rust", "java", "kotlin", "csharp", "swift", "dart", "scala", "zig", "haskell"}
    | {"fsharp", "objectivec", "elm", "d"}
)
"""Languages whose programs begin with `main` in any file."""
_IMPORTING = frozenset(
    {"python", "javascript", "typescript", "tsx", "go", "rust", "java", "kotlin", "dart", "scala"}
    | {"groovy", "haskell", "elm", "purescript", "nim", "solidity", "proto"}
)
"""Languages whose files use only names that they import or that are in their folder."""
_IN_TABLES = frozenset({"lua"})
_SCRIPTED = frozenset({"javascript", "typescript", "tsx", "vue", "svelte"})
_IDENTIFIER = lazily(r"\w+")
_TESTS = lazily(r"(?:.*\.)?tests?")
"""Modules of tests inside a file of code, as in Rust."""
_SCRIPTS = frozenset({"bash", "shell", "powershell"})
_STARTS_A_FILE = lazily(r"(?i)(?:^|/)(?:main|__main__|app|cli|server|program|index)\.\w+$")
_FIRST_NAMES = lazily(r"(?i)(?:^|/)(?:main|__main__|server)\.\w+$")
"""Such files that most likely start, if a folder has several."""
_ENTRY = lazily(r'"(?:main|module|source)":\s*"(?:\./)?([^"\n]{1,200})"')
"""The file that a `package.json` loads first."""
MANIFEST = "package.json"
DESCRIBING = lazily(
    r"(?i)(?:^|/)(?:architecture|code[-_ ]?base|internals?|design(?![-_ ](?:an?|your)[-_ ])|overview"
    rf"|concepts?|how[-_ ]?it[-_ ]?works|structure)[^/]*\.(?:{DOCUMENT_ENDINGS})$"
)
"""Documents that describe how a project is made."""
_NAMED = lazily(r"`[^`\n]+`|\b[A-Z]\w*(?:(?:::|\.|/)[A-Z]\w*)+|\b[A-Z][a-z0-9]+[A-Z]\w*")
"""Names of types in a text: in backticks, qualified, or of more than one word."""
_WORD = lazily(r"[A-Z]\w*")
DECLARING = lazily(r"\.(d\.[cm]?ts|pyi|rbi|mli|fsi|(?P<header>h|hh|hpp|hxx))$")
"""Endings of files that declare and do not define; a header defines types, though."""
_TOOL = lazily(
    r"(?i)(?:^|/)(?:(?:scripts?|tools?|hack|ci|build|contrib|extras?|utils?|generators?|xtask|integration"
    r"|assets|static|public|[\w.]{0,40}-tests?)/|build\.rs$|generat(?:e|or)[^/]*$)"
)


_SOURCES = lazily(r"(?:/(?:src|source|main|bin))+$")
"""Folders with the code of a program that is named after the folder above them."""


class BackboneSettings(NamedTuple):
    """Numbers that shape the choice, each with its reason."""

    most: int = 40
    """Most definitions shown; a small budget has room for fewer."""
    few: int = 16
    """Most if the rest is hardly used: as many as a reader can hold in mind."""
    few_users: float = 1.5
    """Number of users, as they count, below which a definition is hardly used."""
    most_of_file: int = 3
    """Definitions of one file, so that one file of helpers does not take all."""
    of_function: float = 0.4
    """Weight of a user of a function, relative to one of a type: types show how a program is made."""
    of_file: float = 1.0
    """Weight of a type's file being named like the type."""
    described: float = 1.0
    """Weight of a type being named by a page on the design, relative to the most users."""
    places: int = 2
    """Most places that define a name, such as an interface and its implementation."""
    function_tokens: int = 400
    """Tokens of the longest function shown; a class counts as its head without its methods."""
    near: int = 2
    """Most folders above a page on the design whose names of types count."""
    type_tokens: int = 1200
    """The same for a type, whose fields are often the best description of a program."""
    starts: int = 2
    """Most starting functions of programs that are shown."""
    start_tokens: int = 1500
    """Tokens of the longest of these: the order of their calls is how the program works."""
    starts_tokens: int = 1_000
    """Tokens of all of them and of the functions they call, beside the types; the first is shown anyway."""
    start_depth: int = 3
    """Most folders above a file in Go that may start a program though its name does not say so."""
    opened: float = 0.33
    """Least share of the files of code in a language whose libraries are started so."""
    opener_depth: int = 1
    """Most folders above a file with a function that starts a library."""
    script_tokens: int = 600
    """Tokens of the first statements shown of a file that starts without such a function."""
    called: int = 8
    """Most functions shown that the starting functions call, directly or in turn."""
    called_tokens: int = 800
    """Tokens of the longest of these."""


SETTINGS = BackboneSettings()


def is_declaration(path: str) -> bool:
    """Return whether a file only declares what others define, even types."""
    found = DECLARING.search(path)
    return found is not None and found["header"] is None


def is_starting_file(path: str) -> bool:
    """Return whether a program starts in a file by its name."""
    return (
        _STARTS_A_FILE.search(path) is not None
        and place_of(path) is FilePlace.CODE
        and not _TOOL.search(path)
        and language_of(path) not in _SCRIPTS
        and not is_declaration(path)
    )


def score_backbone(
    items: WeighedItems, read: Callable[[ContextItem], str], project: str = ""
) -> tuple[Mapping[int, Mapping[int, float]], Mapping[int, Sequence[int]]]:
    """Return the scores of starting functions and of the most used public definitions, by item and part.

    With them come, by item, the functions called there that are too long to be shown.

    A definition's score is the number of files that use it, relative to the highest; being named by a page
    on the design counts, too. A function that starts a program has 1, and the functions that it calls have
    less, the later ones least.
    """
    code = find_code(items)
    users, places = _find_users(items, code, read)
    described = _find_names_in_design(items, read)
    most_users = max(users.values(), default=0) or 1
    found: list[tuple[float, int, int]] = []
    for name, every in places.items():
        where = [one for one in every if not is_declaration(items[one[0]][0].item.path)]
        for at, number in where if len(where) <= SETTINGS.places else ():
            part = items[at][1].parts[number]
            is_function = part.kind in CALLED
            most = SETTINGS.function_tokens if is_function else SETTINGS.type_tokens
            count = users[name, at] * (SETTINGS.of_function if is_function else 1.0)
            if not is_function:
                count += SETTINGS.of_file * _is_named_like_file(name, part.path)
                count += SETTINGS.described * most_users * (name in described)
            if count and part.tokens <= most:
                found.append((count, at, number))
    taken: Counter[int] = Counter()
    chosen: list[tuple[float, int, int]] = []
    sizes = [sum(part.tokens for part in split.parts) for _, split in items]
    for worth, at, number in sorted(found, key=lambda one: (-one[0], -sizes[one[1]], one[1:])):
        is_enough = SETTINGS.few if worth < SETTINGS.few_users else SETTINGS.most
        if taken[at] < SETTINGS.most_of_file and len(chosen) < is_enough:
            taken[at] += 1
            chosen.append((worth, at, number))
    scores: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for worth, at, number in chosen:
        scores[at][number] = worth / chosen[0][0]
    starts, long = find_starts(items, read, project)
    ends = accumulate(items[at][1].parts[number].tokens for at, number in starts)
    for ((at, number), share), end in zip(starts.items(), ends, strict=True):
        if share == 1 or end <= SETTINGS.starts_tokens:
            scores[at][number] = max(share, scores[at].get(number, 0.0))
    return scores, {at: [number for _, number in group] for at, group in groupby(sorted(long), itemgetter(0))}


def find_code(items: WeighedItems) -> list[int]:
    """Return the numbers of the items that are files of code and have parts."""
    return find_files(items, FilePlace.CODE)


def find_files(items: WeighedItems, place: FilePlace) -> list[int]:
    """Return the numbers of the items that are files in this place and have parts."""
    return [
        at
        for at, (one, split) in enumerate(items)
        if split.parts and one.item.kind == "file" and place_of(one.item.path) is place
    ]


def find_functions(items: WeighedItems, kinds: Collection[str] = CALLED) -> dict[str, list[PartPlace]]:
    """Return the first parts of the functions in code, by the last part of their names."""
    named: defaultdict[str, list[PartPlace]] = defaultdict(list)
    for at in find_code(items):
        begun = set[str]()
        for number, part in enumerate(items[at][1].parts):
            goes_on = part.name in begun and part.head == NO_LINES
            begun.add(part.name)
            if part.kind in kinds and part.name and not goes_on:
                named[part.name.rpartition(".")[2]].append((at, number))
    return dict(named)


def list_called(part: Part) -> list[str]:
    """Return the last parts of the names that a part refers to, each once, in their order."""
    return list(dict.fromkeys(ref.rpartition(".")[2] for ref in part.refs))


def find_used_names(parts: Iterable[Part]) -> set[str]:
    """Return the last parts of the names that some parts refer to."""
    return {name for part in parts for name in list_called(part)}


def find_types(items: WeighedItems, names: Collection[str]) -> dict[int, list[int]]:
    """Return the parts that define types of these names in code, by item."""
    found: dict[int, list[int]] = {}
    for at in find_code(items) if names else ():
        for number, part in enumerate(items[at][1].parts):
            if part.kind in TYPES and part.name.rpartition(".")[2] in names:
                found.setdefault(at, []).append(number)
    return found


def find_members(items: WeighedItems, backbone: Mapping[int, Iterable[int]]) -> Mapping[int, Sequence[int]]:
    """Return the parts that define the public methods of some types, by item."""
    members: dict[int, Sequence[int]] = {}
    for at, chosen in backbone.items():
        parts = items[at][1].parts
        types = tuple(f"{parts[number].name}." for number in chosen if parts[number].kind in TYPES)
        members[at] = [
            number
            for number, part in enumerate(parts)
            if part.kind in _METHODS
            and part.name.startswith(types)
            and not part.name.rpartition(".")[2].startswith("_")
        ]
    return members


def _find_users(
    items: WeighedItems, code: Sequence[int], read: Callable[[ContextItem], str]
) -> tuple[Counter[tuple[str, int]], Mapping[str, Sequence[tuple[int, int]]]]:
    """Return the number of files that use each name of an item, and the places that define each public name.

    A file that imports neither a name nor its module uses another definition of that name.
    """
    used: dict[int, set[str]] = {}
    places: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for at in code:
        parts = items[at][1].parts
        defined = {name for part in parts for name in _own_names(part)}
        used[at] = find_used_names(parts) - defined
        for number, part in enumerate(parts):
            for name in _own_names(part):
                if not name.startswith("_"):
                    places[name].append((at, number))
    modules = Counter(module_of(items[at][0].item.path) for at in code)
    users: Counter[tuple[str, int]] = Counter()
    for at, names in used.items():
        found = {
            (name, defining): items[defining][1].parts[number].name.partition(".")[0]
            for name in names & places.keys()
            for defining, number in places[name]
        }
        imported = _find_imported(items[at], read) if found else None
        folder = folder_of(items[at][0].item.path)
        for (name, defining), outer in found.items():
            path = items[defining][0].item.path
            module = module_of(path)
            if (
                imported is None
                or folder_of(path) == folder
                or outer in imported
                or (module in imported and (modules[module] == 1 or folder_of(path) in imported))
                or (language_of(path) == "go" and folder_of(path) in imported)
            ):
                users[name, defining] += 1
    return users, places


def _find_imported(item: tuple[Scored, SplitItem], read: Callable[[ContextItem], str]) -> set[str] | None:
    """Return the identifiers in a file's imports, None if it can use names without importing them."""
    (one, split) = item
    if language_of(one.item.path) not in _IMPORTING:
        return None
    lines = read(one.item).split("\n")
    ranges = [part.lines for part in split.parts if part.kind == "imports"]
    return {
        word for first, last in ranges for word in _IDENTIFIER.findall("\n".join(lines[first - 1 : last]))
    }


def module_of(path: str) -> str:
    """Return the name of a file without its endings."""
    return path.rpartition("/")[2].partition(".")[0]


def folder_of(path: str) -> str:
    """Return the name of the folder of a file, "" at the root."""
    return path.rpartition("/")[0].rpartition("/")[2]


def _find_names_in_design(items: WeighedItems, read: Callable[[ContextItem], str]) -> set[str]:
    """Return the names of types in documents about how the project is made."""
    documents = (one.item for one, _ in items if one.item.kind == "file")
    near = (item for item in documents if item.path.count("/") <= SETTINGS.near)  # others are about a part
    texts = (read(item) for item in near if DESCRIBING.search(item.path))
    return {word for text in texts for name in _NAMED.findall(text) for word in _WORD.findall(name)}


def _is_named_like_file(name: str, path: str) -> bool:
    return name.lower() == module_of(path).replace("_", "").replace("-", "").lower()


def _own_names(part: Part) -> Iterator[str]:
    """Yield the name of a type or of a function outside of types, or the types of a short module.

    In Lua, a module's public functions are in a table; those outside are private.
    """
    if _TESTS.fullmatch(part.name):
        return
    is_public = "." not in part.name if language_of(part.path) not in _IN_TABLES else "." in part.name
    if part.kind in TYPES or (part.kind in CALLED and is_public):
        yield part.name.rpartition(".")[2]
    if part.kind == "module":
        yield from (one.name.rpartition(".")[2] for one in part.symbols[1:] if one.kind in TYPES)


def _find_scripts(items: WeighedItems, read: Callable[[ContextItem], str]) -> list[PartPlace]:
    """Return the first statements of files that start programs without a `main`.

    In a library, these are of the file that its manifest loads first, with the function named after it.
    """
    entries = {
        path for one, _ in items if one.item.path == MANIFEST for path in _ENTRY.findall(read(one.item))
    }

    def begins_near(at: int) -> tuple[bool, int, bool, str]:
        path = items[at][0].item.path
        return path not in entries, path.count("/"), not _FIRST_NAMES.search(path), path

    starting = [
        at
        for at in find_code(items)
        if ((path := items[at][0].item.path) in entries or is_starting_file(path))
        and language_of(path) not in _COMPILED
    ]
    starting = [at for at in starting if items[at][0].item.path in entries] or starting
    nearest = sorted(starting, key=begins_near)
    first = {items[at][0].item.path.rpartition("/")[0]: at for at in reversed(nearest)}
    found: list[PartPlace] = []
    for at in sorted(first.values(), key=begins_near)[: SETTINGS.starts]:
        parts, statements = items[at][1].parts, _list_statements(items[at])
        ends = accumulate(parts[number].tokens for number in statements)
        for rank, (number, end) in enumerate(zip(statements, ends, strict=True)):
            if end <= (SETTINGS.script_tokens if rank else SETTINGS.start_tokens):
                found.append((at, number))
    return found


def _list_statements(item: tuple[Scored, SplitItem]) -> list[int]:
    """Return the parts of a file with statements outside of definitions, after the function of its name."""
    parts, module = item[1].parts, module_of(item[0].item.path)
    owners = {part.name for part in parts if part.kind in _NO_STATEMENTS and part.name}
    own = [number for number, part in enumerate(parts) if part.name == module and part.kind in CALLED]
    others = (
        number
        for number, part in enumerate(parts)
        if part.kind not in _NO_STATEMENTS
        and part.refs
        and not (part.kind == "block" and part.name in owners)
    )
    return [*own, *others]


def _find_language(path: str) -> str:
    """Return the language of a file, "javascript" for all that run as such."""
    language = language_of(path)
    return "javascript" if language in _SCRIPTED else language


def _find_openers(items: WeighedItems, named: Mapping[str, Sequence[PartPlace]]) -> list[PartPlace]:
    """Return the functions that start a library in a compiled language, the nearest to the root."""
    languages = Counter(_find_language(items[at][0].item.path) for at in find_code(items))
    compiled = {one: count for one, count in languages.items() if one in _COMPILED}
    language = max(compiled, key=lambda one: (compiled[one], one), default="")
    if not language or compiled[language] < SETTINGS.opened * languages.total():
        return []
    places = [
        (at, number)
        for name, every in named.items()
        if name.lower() in _OPENERS
        for at, number in every
        if (part := items[at][1].parts[number]).tokens <= SETTINGS.start_tokens
        and _find_language(part.path) == language
        and part.path.count("/") <= SETTINGS.opener_depth
    ]
    return sorted(places, key=lambda place: (items[place[0]][0].item.path.count("/"), place))[
        : SETTINGS.starts
    ]


def _find_mains(items: WeighedItems) -> list[PartPlace]:
    """Return the parts of code that define a function called `main`, such as a short class with one."""
    return [
        (at, number)
        for at in find_code(items)
        for number, part in enumerate(items[at][1].parts)
        if any(one.kind in CALLED and one.name.rpartition(".")[2] in _STARTS for one in part.symbols)
    ]


def _may_start(path: str) -> bool:
    """Return whether a `main` in a file with another name starts a program; deep in Go it is a tool's."""
    language = language_of(path)
    return language in _COMPILED and (language != "go" or path.count("/") <= SETTINGS.start_depth)


def _is_own(path: str, project: str) -> bool:
    """Return whether a file or its package's folder has the name of the project."""
    named = [module_of(path), _SOURCES.sub("", path.rpartition("/")[0]).rpartition("/")[2]]
    return bool(project) and project.lower() in map(str.lower, named)


def find_starts(
    items: WeighedItems, read: Callable[[ContextItem], str], project: str = ""
) -> tuple[dict[PartPlace, float], list[PartPlace]]:
    """Return the shares of the functions that start programs and of the functions that these call.

    With them come the called functions that are too long to be shown. A program in a file or folder with the
    name of the project is the project's own, and others are beside it. If there is no such function, the
    first statements of the files that start programs take its place.
    """

    def part_at(place: PartPlace) -> Part:
        return items[place[0]][1].parts[place[1]]

    def starts_early(place: PartPlace) -> tuple[bool, int, str]:
        path = part_at(place).path
        return not _STARTS_A_FILE.search(path), path.count("/"), path

    def can_be_called(place: PartPlace, places: Sequence[PartPlace]) -> bool:
        """Return whether a name means this function: not an inner one, nor a method of several types."""
        owner = part_at(place).name.rpartition(".")[0]
        kinds = {part.kind for part in items[place[0]][1].parts if part.name == owner} if owner else set()
        return not (owner and len(places) > 1) and kinds.isdisjoint(CALLED)

    def find_beside(place: PartPlace) -> set[PartPlace]:
        """Return the functions of the same file that a part names, such as a callback."""
        first, last = part_at(place).lines
        lines = read(items[place[0]][0].item).split("\n")[first - 1 : last]
        words = set(_IDENTIFIER.findall("\n".join(lines)))
        return {one for word in words for one in named.get(word, ()) if one[0] == place[0]}

    named = find_functions(items)
    starts = [
        place
        for place in _find_mains(items)
        if (part := part_at(place)).tokens <= SETTINGS.start_tokens
        and (_STARTS_A_FILE.search(part.path) or _may_start(part.path))
        and not _TOOL.search(part.path)
    ]
    starts = [place for place in starts if _is_own(part_at(place).path, project)] or starts
    starts.sort(key=starts_early)
    starts = [place for place in starts if starts_early(place)[1] <= starts_early(starts[0])[1] + 1]
    found = starts[: SETTINGS.starts] or _find_openers(items, named) or _find_scripts(items, read)
    long: list[PartPlace] = []
    seen, most = {*starts, *found}, len(found) + SETTINGS.called
    for caller in found:  # grows during the walk: first the functions called, then those that they call
        own = _find_language(part_at(caller).path)
        every = (named.get(name, ()) for name in list_called(part_at(caller)))
        alike = ([one for one in places if _find_language(part_at(one).path) == own] for places in every)
        meant = [places for places in alike if len(places) <= SETTINGS.places]
        called = {one for places in meant for one in places if can_be_called(one, places)}
        called = (called | find_beside(caller)) - seen
        seen.update(called)
        for one in sorted(called, key=lambda one: (-part_at(one).tokens, one)):  # the longest says most
            if part_at(one).tokens > SETTINGS.called_tokens:
                long.append(one)
            elif len(found) < most:
                found.append(one)
    return {place: 1 - n / len(found) for n, place in enumerate(found)}, long
