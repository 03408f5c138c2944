"""Find the files about a project as a whole: its README, its starts, and pages on how it is made."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice

from satchel.items import ContextItem
from satchel.packing.scoring import Scored
from satchel.packing.weighing.backbone import DESCRIBING, MANIFEST, is_starting_file, module_of
from satchel.packing.weighing.chances import WeighedItems
from satchel.parts import Part, SplitItem, join_lines
from satchel.patterns import lazily
from satchel.questions.aims import FilePlace, is_readme, place_of
from satchel.questions.words import stem_all
from satchel.stems import stem
from satchel.workspace.files.kinds import PROSE, language_of

_STARTING_FILES = 6
"""Most files where programs may start that are read, in a repository with many programs."""
_DESCRIBING_PAGES = 6
"""Most pages on how the project is made that are read."""
_MUCH_USED = 80
"""Files of code that are read because others name them most."""
_NAMED_MODULES = 40
"""Most files that are read because the start of a program names them."""
_NAMESAKES = 2
"""Most files of one name, such as an interface and its implementation."""
OF_DESIGN = frozenset(
    stem_all(
        "architecture codebase design overview structure internals concepts introduction layout principles"
    )
)
"""Words of headings and paths of pages on a project as a whole; "main parts" and "project" say nothing."""
_OF_PROJECT = frozenset(
    stem_all(
        "project repository repo source code base system application app library framework module package"
        " crate component directory folder file tree main high level general technical software engine basic"
        " goal"
    )
)
"""Words that may be beside them, like its own name, in a heading on all of a project."""
OF_SCREENS = frozenset(stem_all("layout base basic main"))
"""Words that alone make a heading or a path about screens, not design: "The base layout"."""
_OF_ANYTHING = frozenset(stem_all("overview introduction concepts structure design layout principles"))
"""Words of design that fit any subject."""
_NEAR = 2
"""Folders above a page on all of a project whose title is such a word alone."""
_ORDERS = lazily(r"(?i)(?:^|/)design(?:ing)?[-_ ](?:an?|your)[-_ ][^/]*$")
"""A heading or a name of a page on how readers make something of their own: "Design a layout"."""
_OF_LOOKS = frozenset(stem_all("theme color colour style stylesheet css font palette icon logo brand screen"))
"""Words of the title of a page called `design` about looks."""
_FOR_SOMETHING = lazily(r"(?i)\bfor (?!(contributors|developers|maintainers|the|this|our|new)\b)")
OF_GRAMMAR = frozenset(stem_all("the of and or a an our this its to in for with how is are do does"))
_README_PARTS = 2
"""First parts of the README, which introduce a project, beside an overview of it."""
_FEW_WORDS, _MORE_WORDS = 4, 12
"""Least words, links and markup aside, of its first part that says something, and of those after it."""
_SKILL = "SKILL.md"
_OF_PACKAGE = 0.15
"""Weight of a package's README if a question is about all of a project: too little beside its own."""
_FEW_PAGES = 2
"""Most pages that may share a heading on all of a project."""
_FIRST_HEADINGS = 2
"""First headings of the README, with the project's name or its nature."""
_BESIDE = lazily(
    r"(?i)\b(sponsor|backer|supporter|donat|thanks|acknowledg|install|download|licen[cs]e|contribut|citation"
    r"|requirements?\b|demos?\b|screenshots?\b|badges?\b|(table of )?contents?$|toc$)"
)
"""Names of parts of a README that do not introduce the project; nor do the parts below them."""
_LINKS = lazily(r"!?\[[^\[\]\n]*\](?:\([^()\n]*\)|\[[^\[\]\n]*\])|<a\b[^<>]*>[^<>]*</a>|<[^<>]*>")
_ARCHITECTURE = stem("architecture")
_ON_WORKING = lazily(r"(?i)^how[-_ ]?it[-_ ]?works\b")
_HIDDEN = lazily(r"(^|/)\.\w")
_IDENTIFIER = lazily(r"\w+(?:-\w+)*")
PLAIN_WORD = lazily(r"[^\W\d_]{2,}")
"""A word of letters alone, as prose has them."""


def find_files_on_the_whole(paths: Collection[str], name: str) -> list[str]:
    """Return the READMEs at the root and in folders with the project's `name`, and where programs start.

    And the pages that by their names say how it is made. Of starts and pages, the nearest to the root.
    """
    places = ("", name.lower())
    split = ((path, *path.lower().rpartition("/")[::2]) for path in paths)
    readmes = [
        path for path, folder, file in split if folder.rpartition("/")[2] in places and is_readme(file)
    ]
    pages = (path for path in paths if DESCRIBING.search(path) and place_of(path) is FilePlace.DOCUMENT)
    return [
        *readmes,
        *{MANIFEST}.intersection(paths),
        *_take_nearest(filter(is_starting_file, paths), _STARTING_FILES),
        *_take_nearest(pages, _DESCRIBING_PAGES),
    ]


def find_modules(texts: Iterable[str], paths: Iterable[str]) -> list[str]:
    """Return the files of code that some texts mention, if few files have the name."""
    words = {word for text in texts for word in _IDENTIFIER.findall(text)}
    named = _group_by_name(paths)
    near = (path for word in sorted(words & named.keys()) for path in named[word])
    return list(islice((path for path in near if place_of(path) is FilePlace.CODE), _NAMED_MODULES))


def _group_by_name(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the files in languages of code by their names, if few files have the name."""
    named: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        if language_of(path) not in PROSE:
            named[module_of(path)].append(path)
    return {name: files for name, files in named.items() if name and len(files) <= _NAMESAKES}


def find_central_files(
    paths: Iterable[str], count: Callable[[Collection[str]], Mapping[str, int]]
) -> list[str]:
    """Return the files of code whose names are in most files: their definitions are used all over.

    `count` returns how many files hold each of some stems. A name that many files have says nothing.
    """
    telling: defaultdict[str, list[str]] = defaultdict(list)
    for name, files in _group_by_name(path for path in paths if place_of(path) is FilePlace.CODE).items():
        telling[stem(name.lower())] += files
    counts = count(telling) if len(telling) > _MUCH_USED else {}
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    return list(islice((path for name in ranked for path in telling[name]), _MUCH_USED))


def _take_nearest(paths: Iterable[str], most: int) -> list[str]:
    return sorted(paths, key=lambda path: (path.count("/"), path))[:most]


def find_readme(items: WeighedItems, project: str) -> list[int]:
    """Return the project's README: at its root, in a package with its name, or in the largest folder.

    The largest folder is the one with most of the items.
    """
    paths = [one.item.path for one, _ in items]
    readmes = [at for at, path in enumerate(paths) if is_readme(path.rpartition("/")[2])]
    pages = [at for at in readmes if place_of(paths[at]) not in (FilePlace.EXAMPLE, FilePlace.TEST)]
    beside = Counter(path.partition("/")[0] for path in paths)

    def rank(at: int) -> tuple[bool, bool, int, int]:
        first, folder = paths[at].partition("/")[0], paths[at].rpartition("/")[0]
        bears_name = folder.rpartition("/")[2].lower() == project.lower()
        return "/" in paths[at], not bears_name, paths[at].count("/"), -beside[first]

    return sorted(pages, key=rank)[:1]


def find_opening(item: tuple[Scored, SplitItem], read: Callable[[ContextItem], str]) -> list[int]:
    """Return the first parts of a README with more to say than badges, thanks and links."""
    lines, parts = read(item[0].item).split("\n"), item[1].parts
    found: list[int] = []
    title = next((number for number, part in enumerate(parts) if part.name), 0)
    beside = 0
    for number, part in enumerate(parts):
        if number > title and _BESIDE.search(part.name):
            beside = max(beside, part.lines[1], part.span[1])
        text = join_lines(lines, part)
        words = len(PLAIN_WORD.findall(_LINKS.sub(" ", _LINKS.sub(" ", text))))  # an image may be in a link
        says = part.kind != "decoration" and part.lines[0] > beside
        if says and words >= (_MORE_WORDS if found else _FEW_WORDS):
            found.append(number)
    return found[:_README_PARTS]


def choose_headings(names: Iterable[str], items: WeighedItems, readme: Sequence[int]) -> list[str]:
    """Return the names of parts whose words are mostly about all of a project: "Source code layout".

    So are words of the first headings of its `readme`: "Redis internals".
    """
    first = [part.name for at in readme for part in items[at][1].parts if part.name][:_FIRST_HEADINGS]
    about = OF_DESIGN | _OF_PROJECT | {*stem_all(" ".join(first))}
    words = {name: [one for one in stem_all(name) if one not in OF_GRAMMAR] for name in names}
    return [
        name
        for name, stems in words.items()
        if 2 * sum(one in about for one in stems) > len(stems)
        and not _ORDERS.search(name)
        and not OF_SCREENS.issuperset(about.intersection(stems))
    ]


def is_on_looks(path: str, parts: Sequence[Part]) -> bool:
    """Return whether a page is about designs by its readers, about looks, or about one thing.

    Such as "Internals for plugins".
    """
    title = next((part.name for part in parts if part.name), "")
    return (
        _ORDERS.search(path) is not None
        or _FOR_SOMETHING.search(title) is not None
        or not _OF_LOOKS.isdisjoint(stem_all(title))
    )


def count_headings(items: WeighedItems) -> Counter[str]:
    """Return the number of items with a part of each name, and of files with each name: `/overview.md`."""
    counts = Counter(name for _, split in items for name in {part.name for part in split.parts})
    folders = (one.item.path.rpartition("/")[1:] for one, _ in items)
    return counts + Counter(slash + name for slash, name in folders if slash)


def stem_page(path: str, counts: Mapping[str, int]) -> list[str]:
    """Return the stems of the words in a page's path, without words of design that are not about the whole.

    `data-structures.md` is about data; where many folders have an `overview.md`, each is about its folder.
    `how-it-works.md` describes the architecture. Pages in hidden folders are for contributors:
    `.github/internals/release.md`.
    """
    folder, slash, name = path.rpartition("/")
    if _HIDDEN.search(folder):
        return [one for one in stem_all(path.replace("/", " ")) if one not in OF_DESIGN]
    above = stem_all(folder.replace("/", " "))
    if _ON_WORKING.search(name):
        return [*above, _ARCHITECTURE]
    own = stem_all(name.partition(".")[0].replace("-", " ").replace("_", " "))
    if slash and (
        counts[f"/{name}"] > _FEW_PAGES or (_is_far(path) and {*own} <= _OF_ANYTHING | _OF_PROJECT)
    ):
        return above
    is_on_whole = 2 * sum(one in OF_DESIGN | _OF_PROJECT for one in own) > len(own)
    return [*above, *(one for one in own if is_on_whole or one not in _OF_ANYTHING)]


def _is_far(path: str) -> bool:
    """Return whether a page is in folders of folders."""
    return path.count("/") > _NEAR


def drop_common_headings(
    path: str, parts: Sequence[Part], in_names: Sequence[Sequence[str]], counts: Mapping[str, int]
) -> Sequence[Sequence[str]]:
    """Return the terms in the names of a page's parts, without headings that many pages have.

    Each page on a part of a project may have its own "Architecture". A page at the root, a README, a page on
    contributing, and one whose title is about all of the project keep theirs. An "Overview" of a page in
    folders of folders, or in hidden ones, has the subject of its folder.
    """
    if _is_far(path) or _HIDDEN.search(path):
        in_names = [() if _OF_ANYTHING.issuperset(terms) else terms for terms in in_names]
    title = next((at for at, part in enumerate(parts) if part.name), 0)
    is_readme_or_guide = is_readme(path.rpartition("/")[2]) or place_of(path) is FilePlace.CONTRIBUTING
    if "/" not in path or is_readme_or_guide or (parts and in_names[title]):
        return in_names
    return [
        () if counts[part.name] > _FEW_PAGES else terms for part, terms in zip(parts, in_names, strict=True)
    ]


def lower_packages(
    pages: Sequence[tuple[int, str]], scores: list[list[float]], readme: Sequence[int]
) -> None:
    """Lower the scores of READMEs of packages and of agents' skills, if there is a README of the project."""
    for at, path in pages if readme else ():
        name = path.rpartition("/")[2]
        if at not in readme and (is_readme(name) or name == _SKILL):
            scores[at] = [_OF_PACKAGE * score for score in scores[at]]
