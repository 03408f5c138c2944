"""Find what tells about a project as a whole: its README, and the sections on how it is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from satchel.items import ContextItem
from satchel.packing.chances import WeighedItems
from satchel.packing.scoring import Scored
from satchel.parts import SplitItem
from satchel.patterns import lazily
from satchel.questions.reading import stem_all

_README = lazily(r"(?i)^readme\b[^/]*$")
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
        " the of and an our this its to in how is are works"
    )
)
"""Words that may stand beside them in a heading on all of a project, and its own name."""
_README_PARTS = 2
"""First parts of the README, which say what a project is, beside an overview of it."""
_FEW_WORDS, _MORE_WORDS = 4, 12
"""Words of its first part that says something, links and markup aside, and of the ones after it."""
_OF_PACKAGE = 0.15
"""What the README of a package counts where all of a project is asked for: too little beside its own."""
_THANKS = lazily(r"(?i)\b(sponsor|backer|supporter|donat|thanks|acknowledg)")
_LINKS = lazily(r"!?\[[^\[\]\n]*\](?:\([^()\n]*\)|\[[^\[\]\n]*\])|<a\b[^<>]*>[^<>]*</a>|<[^<>]*>")
_WORDS = lazily(r"[^\W\d_]{2,}")


def is_readme(path: str) -> bool:
    """Tell whether a path is that of the project's README."""
    return _README.match(path) is not None


def find_readme(items: WeighedItems) -> list[int]:
    """Return the project's README: where none is at its root, that of the folder with most of the items."""
    paths = [one.item.path for one, _ in items]
    pages = [at for at, path in enumerate(paths) if is_readme(path.rpartition("/")[2])]
    beside = Counter(path.partition("/")[0] for path in paths)
    return sorted(pages, key=lambda at: (paths[at].count("/"), -beside[paths[at].partition("/")[0]]))[:1]


def find_opening(item: tuple[Scored, SplitItem], read: Callable[[ContextItem], str]) -> list[int]:
    """Return the first parts of a README that say something: no badges and thanks, and more than links."""
    lines = read(item[0].item).split("\n")
    found: list[int] = []
    for number, part in enumerate(item[1].parts):
        text = "\n".join(lines[part.lines[0] - 1 : part.lines[1]])
        words = len(_WORDS.findall(_LINKS.sub(" ", _LINKS.sub(" ", text))))  # an image may be in a link
        says = part.kind != "decoration" and not _THANKS.search(part.name)
        if says and words >= (_MORE_WORDS if found else _FEW_WORDS):
            found.append(number)
    return found[:_README_PARTS]


def is_on_the_whole(heading: str) -> bool:
    """Tell whether at least half of a heading's words are about all of a project: "Source code layout"."""
    words = stem_all(heading)
    others = sum(word not in OF_DESIGN and word not in _OF_PROJECT for word in words)
    return 2 * others <= len(words)


def lower_packages(
    pages: Sequence[tuple[int, str]], scores: list[list[float]], readme: Sequence[int]
) -> None:
    """Lower the scores of READMEs of packages, where that of all of the project is asked for."""
    for at, path in pages if readme else ():
        if at not in readme and is_readme(path.rpartition("/")[2]):
            scores[at] = [_OF_PACKAGE * score for score in scores[at]]
