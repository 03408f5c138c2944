"""Which files of the workspace a file's import lines name: Python, JavaScript, Go, Rust, Java, C."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from satchel.patterns import lazily

LONGEST_IMPORTS = 16_000
"""Characters of a file that are searched for imports."""
MOST_IMPORTS = 200
_FROM = lazily(
    r"^[ \t]*from[ \t]+([\w.]{0,200})[ \t]+import[ \t]+(\([^)]{0,2000}|[^\n(]{0,400})", re.MULTILINE
)
_NAMED = lazily(
    r"^[ \t]*(?:pub(?:\([\w:]{1,40}\))?[ \t]+)?(?:import|use|mod|using|require)[ \t]+(?:static[ \t]+)?"
    r"([A-Za-z_][^;\n{]{0,300})(\{[^}]{0,2000})?",
    re.MULTILINE,
)
_QUOTED = lazily(
    r"""(?:^|[ \t(])["']([\w@./~+-]{1,200})["']|#include[ \t]*<([\w./+-]{1,200})>""", re.MULTILINE
)
_QUOTING = lazily(r"\.([cm]?[jt]sx?|vue|go|c|h|cc|cpp|hpp)$")
"""Files that import by quoted paths."""
_WORD = lazily(r"\w+")
_ROOTS = frozenset({"crate", "self", "super"})
_MOST_STEPS_OFF = 2
"""Steps at the end of an imported name that may be names inside the module."""
_SKIPPED = frozenset({"src", "lib", "main", "java"})
"""Folders that stand in paths and not in the names of modules."""
_PACKAGE = frozenset({"__init__", "index", "mod", "lib", "main"})
"""Files that stand for their folder."""
_SOURCE = lazily(r"\.(py|pyi|[cm]?[jt]sx?|vue|go|rs|java|kt|c|h|cc|cpp|hpp|rb|php|cs|swift|scala)$")
_MOST_FILES = 20
"""Files of a folder beyond which an import of the folder says nothing about them."""


class Modules:
    """The source files of a workspace by the names under which they can be imported."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_last: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._folders: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for path in sorted(paths):
            if _SOURCE.search(path):
                self._add(path)

    def _add(self, path: str) -> None:
        steps = posixpath.splitext(path)[0].split("/")
        if path.endswith(".go"):
            folder = tuple(steps[:-1])
            self._folders.setdefault(folder[-1] if folder else "", []).append((folder, path))
            return
        if steps[-1] in _PACKAGE and len(steps) > 1:
            steps = steps[:-1]
        name = tuple(step for step in steps if step not in _SKIPPED) or tuple(steps)
        self._by_last.setdefault(name[-1], []).append((name, path))

    def imported(self, path: str, text: str) -> list[str]:
        """Return the files that the import lines of `text`, the start of the file `path`, name."""
        found: dict[str, None] = {}
        for written in list(_written(text[:LONGEST_IMPORTS], path))[:MOST_IMPORTS]:
            found.update(dict.fromkeys(self._resolve(written, path)))
        return [one for one in found if one != path]

    def _resolve(self, written: Sequence[str], path: str) -> list[str]:
        """Find what a dotted name means: the module, else the module that holds the name."""
        if path.endswith(".go"):
            return self._package(written)
        name = tuple(step for step in written if step not in _SKIPPED)
        shorter = (name[:length] for length in range(len(name), max(0, len(name) - _MOST_STEPS_OFF - 1), -1))
        return next(filter(None, (self._module(one, path) for one in shorter)), [])

    def _module(self, name: tuple[str, ...], path: str) -> list[str]:
        """Return the files whose module name ends in `name`, the nearest to `path`: a header and its source.

        A name of one step is common, so nothing but the importer's folder may stand before it.
        """
        here = _plain(posixpath.dirname(path).split("/"))
        fitting = [
            ((-_shared(one, here), len(one), one), at)
            for one, at in self._by_last.get(name[-1], ())
            if one[-len(name) :] == name and (len(name) > 1 or one[:-1] in ((), here))
        ]
        nearest = min((rank for rank, _ in fitting), default=None)
        return [at for rank, at in fitting if rank == nearest]

    def _package(self, written: Sequence[str]) -> list[str]:
        """Return the files of the folder that a Go import path ends in, after the module's own name."""
        if not written:
            return []
        fitting = [
            (folder, path)
            for folder, path in self._folders.get(written[-1], ())
            if len(folder) < len(written) and tuple(written[-len(folder) :]) == folder
        ]
        longest = max((len(folder) for folder, _ in fitting), default=0)
        found = [path for folder, path in fitting if len(folder) == longest]
        return found if len(found) <= _MOST_FILES else []


def _plain(steps: Sequence[str]) -> tuple[str, ...]:
    return tuple(step for step in steps if step and step not in _SKIPPED)


def _shared(name: Sequence[str], here: Sequence[str]) -> int:
    """Return how many steps both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(name, here, strict=False)))


def _written(text: str, path: str) -> Iterator[tuple[str, ...]]:
    """Yield the steps of each imported name, those of relative ones from the root on."""
    folder = posixpath.dirname(path)
    if _QUOTING.search(path):
        for quoted, bracketed in _QUOTED.findall(text):
            yield _path_steps(quoted or bracketed, folder)
        return
    for module, names in _FROM.findall(text):
        base = _absolute(module, folder)
        listed = [name.split(" as ")[0].strip() for name in names.strip("(").split(",")]
        yield from ((*base, name) for name in listed if _WORD.fullmatch(name))
    for first, braced in _NAMED.findall(text):
        yield from _listed(first, braced)


def _absolute(module: str, folder: str) -> tuple[str, ...]:
    """Return the steps of a Python module name; each leading dot after the first goes up a folder."""
    dots = len(module) - len(module.lstrip("."))
    inner = tuple(step for step in module.split(".") if step)
    if not dots:
        return inner
    above = folder.split("/") if folder else []
    return (*above[: max(0, len(above) - dots + 1)], *inner)


def _listed(first: str, braced: str) -> Iterator[tuple[str, ...]]:
    """Yield the steps of `a.b, c.d as e` or of `a::b::{c, d}`."""
    names = braced.strip("{").split(",") if braced else first.split(",")
    base = _steps(first) if braced else ()
    yield from (steps for name in names if (steps := (*base, *_steps(name))))


def _steps(name: str) -> tuple[str, ...]:
    words = _WORD.findall(name.partition(" as ")[0])
    return tuple(word for word in words if word not in _ROOTS)


def _path_steps(quoted: str, folder: str) -> tuple[str, ...]:
    """Return the steps of an import that is a path, without its suffix."""
    relative = quoted.startswith(".")
    joined = posixpath.normpath(posixpath.join(folder, quoted)) if relative else quoted
    stem = _SOURCE.sub("", joined)
    return tuple(step for step in stem.split("/") if step not in ("", ".", "..", "@", "~"))
