"""Score parts by the references and imports that tie them to the files that fit the task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel import WorkspaceError
from satchel_plugins.scorers.imports import Modules
from satchel_plugins.scorers.ties import Places, Tie, Trust, find_ties

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace

_ROUNDS = 5
"""Steps of the walk: at half the weight a step, what comes later adds less than a thirtieth."""
_SEEDS = 20
"""Files that pass on what they have, the best: the others have too little to tell."""
_READ = 10
"""Seeds whose import lines are read."""
_MOST_FILES = 120
"""Files that take part, the best: so the cost stays the same under any budget."""


@attrs.frozen(eq=False, repr=False)
class Graph:
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
        best = sorted(favour, key=lambda item: (-favour[item], item))[:_MOST_FILES]
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
    ranking = workspace.ranking(task)
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
        return workspace.read(path)
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
