"""Find changelog fragments: files with one new entry each, until a release puts them together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection

from satchel.packing.weighing.chances import PartPlace, WeighedItems
from satchel.patterns import lazily
from satchel.questions import Question
from satchel.questions.aims import Aim

_FRAGMENT = lazily(
    r"(?i)^(?P<folder>(?:[^/]+/){0,6}(?:news|newsfragments|change(?:log)?s?(?:\.d)?|\.changes|\.changelog|unreleased))"
    r"/(?:(?P<inner>[a-z]{3,30})/)?(?P<name>[\w-]{0,40}\d{3}[\w-]{0,40}|\+[\w-]{1,40})"
    r"(?P<type>(?:\.[a-z]\w{1,20}){1,2}(?:\.\d{1,2})?)?\.(?:md|rst|txt|ya?ml)$"
    r"|^(?P<set>(?:[^/]+/){0,6}\.changesets?)/(?!readme)[\w-]{1,60}\.md$"
)
"""`changelog.d/1234.change.md`, `doc/changes/added/1234.md`, `.changeset/brave-cats-jump.md`."""
_TOLD = lazily(r"(?i)(?:^|/)(?:readme|_?template|agents)[^/]*$")
_EXAMPLES = 2
"""Number of fragments shown, and least number needed: a single one may be left over."""


def find_fragment_files(question: Question, paths: Collection[str]) -> list[str]:
    """Return the page on changelog fragments and the newest of these, if a question asks for entries."""
    folders: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for path in paths if Aim.ENTRIES in question.aims else ():
        found = _FRAGMENT.match(path)
        if found is not None and (found["set"] or found["type"] or found["inner"]):
            folders[found["folder"] or found["set"]].append((_read_number(found["name"] or ""), path))
    folder = max(folders, key=lambda one: (len(folders[one]), one), default="")
    newest = sorted(folders.get(folder, ()), reverse=True)[:_EXAMPLES]
    if len(newest) < _EXAMPLES:
        return []
    told = sorted(path for path in paths if path.rpartition("/")[0] == folder and _TOLD.search(path))
    return [*told[:1], *(path for _, path in newest)]


def find_fragments(items: WeighedItems, question: Question) -> list[PartPlace]:
    """Return the parts of the page on fragments and of the newest fragments."""
    places = {one.item.path: at for at, (one, _) in enumerate(items)}
    chosen = [places[path] for path in find_fragment_files(question, places)]
    return [(at, number) for at in chosen for number in range(len(items[at][1].parts))]


def _read_number(name: str) -> int:
    """Return the number in the name of a fragment; numbers of issues and proposals grow."""
    number = re.search(r"\d{1,12}", name)
    return int(number[0]) if number else 0
