"""Score parts by the references and imports that tie them to the files that fit the task."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel.plugin_api import WorkspaceError, lazily
from satchel_plugins.scorers.ties import Places, Tie, Trust, find_ties

if TYPE_CHECKING:
    from satchel.plugin_api import Part, Task, Workspace


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
        for written in list(_read_imports(text[:LONGEST_IMPORTS], path))[:MOST_IMPORTS]:
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
            ((-_count_shared(one, here), len(one), one), at)
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


def _count_shared(name: Sequence[str], here: Sequence[str]) -> int:
    """Return how many steps both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(name, here, strict=False)))


def _read_imports(text: str, path: str) -> Iterator[tuple[str, ...]]:
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
        yield from _read_list(first, braced)


def _absolute(module: str, folder: str) -> tuple[str, ...]:
    """Return the steps of a Python module name; each leading dot after the first goes up a folder."""
    dots = len(module) - len(module.lstrip("."))
    inner = tuple(step for step in module.split(".") if step)
    if not dots:
        return inner
    above = folder.split("/") if folder else []
    return (*above[: max(0, len(above) - dots + 1)], *inner)


def _read_list(first: str, braced: str) -> Iterator[tuple[str, ...]]:
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


_ROUNDS = 5
"""Steps of the walk: at half the weight a step, what comes later adds less than a thirtieth."""
_SEEDS = 20
"""Files that pass on what they have, the best: the others have too little to tell."""
_READ = 10
"""Seeds whose import lines are read."""
_MOST_GRAPH_FILES = 120
"""Files that take part, the best: so the cost stays the same under any budget."""


@attrs.frozen(eq=False, repr=False)
class GraphScorer:
    """Walk from the files that fit the task to what they use and import, and to what uses them.

    This is PageRank with a restart at the files that the task's words and references favour. What
    flows to a part through the names that it defines or uses is its score.
    """

    name: ClassVar[str] = "graph"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "part"
    weight: float = 0.0
    damping: float = 0.5
    """Share of what a file has that it passes on in a step; the rest restarts."""
    backward: float = 0.5
    """Strength of a tie from a definition to its user, where that from a use to its definition has 1."""
    common_from: int = 5
    """A name that more files define than this says little."""
    common: float = 0.1
    """What such a name's ties have left of their strength."""
    imported: float = 3.0
    """Factor for a definition in a file that the user's file imports: that one is meant."""
    file_share: float = 0.1
    """Share of what an import brings to a file that each of its parts gets."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        places = _places(parts)
        favour = _favour({item: parts[mine[0]].path for item, mine in places.items()}, task, workspace)
        best = sorted(favour, key=lambda item: (-favour[item], item))[:_MOST_GRAPH_FILES]
        seeds = _seeds(best, favour)
        imports = _imports(parts, places, list(seeds)[:_READ], workspace)
        taking = {item: places[item] for item in best}
        trust = Trust(self.backward, self.common_from, self.common, self.imported)
        ties = find_ties(parts, taking, seeds, imports=imports, trust=trust)
        return self._scores(len(parts), places, _flows(_ranks(seeds, ties, self.damping), ties))

    def _scores(self, count: int, places: Places, flows: Iterable[tuple[Tie, float]]) -> list[float]:
        """Add up each part's best name that it defines, its best that it uses, its file's imports."""
        raw = [0.0] * count
        named: dict[tuple[int, bool], float] = {}
        for tie, flow in flows:
            for at in places[tie.item] if not tie.name else ():
                raw[at] += self.file_share * flow
            for at in tie.places:
                key = (at, tie.is_definition)
                named[key] = max(named.get(key, 0.0), flow)
        for (at, _), flow in named.items():
            raw[at] += flow
        largest = max(raw, default=0.0) or 1.0
        return [value / largest for value in raw]


def _places(parts: Sequence[Part]) -> dict[str, list[int]]:
    """Return where each item's parts stand; parts of one item mostly come in a row."""
    items = [part.item for part in parts]
    places: dict[str, list[int]] = {}
    for item, run in groupby(range(len(items)), key=items.__getitem__):
        places.setdefault(item, []).extend(run)
    return places


def _favour(paths: Mapping[str, str], task: Task, workspace: Workspace) -> dict[str, float]:
    """Return what the task's words and references say for each item, before any tie is followed."""
    ranking = workspace.ranking.files(task)
    named = {reference.path for reference in (*task.references, *task.open_files) if reference.path}
    return {
        item: ranking.body.get(path, 0.0)
        + 0.4 * ranking.path.get(path, 0.0)
        + 0.4 * ranking.name.get(path, 0.0)
        + (path in named)
        for item, path in paths.items()
    }


def _seeds(best: Sequence[str], favour: Mapping[str, float]) -> dict[str, float]:
    """Return where the walk starts and restarts, best first, adding up to 1."""
    squares = {item: favour[item] ** 2 for item in best[:_SEEDS] if favour[item] > 0}
    total = sum(squares.values())
    return {item: square / total for item, square in squares.items()}


def _imports(
    parts: Sequence[Part], places: Places, seeds: Sequence[str], workspace: Workspace
) -> dict[str, list[str]]:
    """Return which items each of these seeds imports, read from the lines of its import parts."""
    items = {parts[mine[0]].path: item for item, mine in places.items() if item.startswith("file:")}
    modules = Modules(items)
    imports = {}
    for seed in seeds:
        path = parts[places[seed][0]].path
        if path in items and any(parts[at].kind == "imports" for at in places[seed]):
            imports[seed] = [items[found] for found in modules.imported(path, _text(path, workspace))]
    return imports


def _text(path: str, workspace: Workspace) -> str:
    try:
        return workspace.texts.read(path)
    except WorkspaceError:  # gone or changed since it was split: the road has reported that
        return ""


def _ranks(seeds: Mapping[str, float], ties: Mapping[str, Sequence[Tie]], damping: float) -> dict[str, float]:
    """Return what each seed has after the walk; what leaves the seeds does not come back."""
    between = {
        seed: [(tie.item, tie.strength) for tie in leaving if tie.item in seeds]
        for seed, leaving in ties.items()
    }
    ranks = dict(seeds)
    for _ in range(_ROUNDS):
        step = {seed: (1 - damping) * share for seed, share in seeds.items()}
        for seed, leaving in between.items():
            for item, strength in leaving:
                step[item] += damping * ranks[seed] * strength
        ranks = step
    return ranks


def _flows(ranks: Mapping[str, float], ties: Mapping[str, Sequence[Tie]]) -> list[tuple[Tie, float]]:
    """Return what reaches each end through each name, from all seeds together."""
    flows: dict[tuple[str, str, bool], float] = {}
    ends: dict[tuple[str, str, bool], Tie] = {}
    for seed, leaving in ties.items():
        for tie in leaving:
            key = (tie.item, tie.name, tie.is_definition)
            flows[key] = flows.get(key, 0.0) + ranks[seed] * tie.strength
            ends[key] = tie
    return [(ends[key], flow) for key, flow in flows.items()]
