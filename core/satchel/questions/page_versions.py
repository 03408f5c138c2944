"""Tell the versions of one page by their paths: `docs/v1.7/manual.yml`, `docs/dev/manual.yml`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable

from satchel.patterns import lazily
from satchel.workspace.files.kinds import DOCUMENT_ENDINGS

_NEWEST = ("next", "dev", "devel", "main", "master", "unreleased", "latest", "current", "stable")
"""Names of folders for the newest version of a page, the newest first."""
_PAGE = lazily(rf"(?i)\.({DOCUMENT_ENDINGS}|html?|ipynb|ya?ml)$")
_DOCS = lazily(r"(?i)(^|/)(docs?|documentation|manual|website|site|versioned_docs|content|man)/")
_VERSION = lazily(
    rf"(?i)(?<=/)(?:version[-_]?)?(?:v?(\d+(?:\.(?:\d+|x))+)|v(\d+)|({'|'.join(_NEWEST)}))(?=/)"
)
_OLD = lazily(r"(^|/)versioned_docs/")
Age = tuple[int, tuple[int, ...]]
"""Smaller is newer: the place of a name among those of the newest, or the numbers of a version, negated."""


def find_older_pages(paths: Iterable[str], versions: Collection[str] = ()) -> set[str]:
    """Return the pages of documentation of which a newer version is among the paths.

    A page in a folder without a version is the newest; one below `versioned_docs` is old where others are
    not, since there the newest stand outside. Of the pages in a folder of one of `versions`, which a
    question names, none is old; all others are then.
    """
    pages: defaultdict[str, list[tuple[Age, str]]] = defaultdict(list)
    for path in paths:
        if _PAGE.search(path) and _DOCS.search(path):
            found = _VERSION.search(f"/{path}")
            key = _VERSION.sub("", f"/{path}", count=1).replace("//", "/") if found else f"/{path}"
            pages[key.replace("/versioned_docs/", "/docs/")].append((_age_of(found, versions), path))
    older: set[str] = set()
    every = [one for group in pages.values() for one in group]
    has_newest = any(age <= (0, ()) for age, _ in every)
    for group in pages.values():
        newest = min(age for age, _ in group)
        older.update(
            path
            for age, path in group
            if age > newest or (has_newest and age > (0, ()) and _OLD.search(path))
        )
    return older


def _age_of(found: re.Match[str] | None, versions: Collection[str]) -> Age:
    if found is None:
        return (0, ())
    number = found[1] or found[2]
    if number is None:
        return (1 + _NEWEST.index(found[3].lower()), ())
    known = number.removesuffix(".x")
    if any(one in (number, known) or one.startswith(f"{known}.") for one in versions):
        return (-1, ())
    return (len(_NEWEST) + 1, tuple(-int(one) if one.isdecimal() else -10_000 for one in number.split(".")))
