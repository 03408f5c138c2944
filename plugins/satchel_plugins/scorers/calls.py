"""Score parts by names that tie them to parts which fit the task: what these call, and what calls them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import attrs

from satchel_plugins.providers.files import role_of

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace

_WORDS = 0.3
"""What a part's own words count where its file's say nothing."""


class Ties(NamedTuple):
    """What the parts of one item define and use, by their places in it."""

    size: int
    """Parts of the item."""
    defined: Mapping[str, Sequence[int]]
    """Last name -> the parts that define it."""
    used: Mapping[str, Sequence[int]]
    """Name -> the parts that use it."""


class _Names(NamedTuple):
    """Where names are defined, in all items, and how often they are used."""

    definers: Mapping[str, Sequence[int]]
    uses: Mapping[str, int]

    def strength(self, name: str, scarce: float) -> float:
        """Return how much a use of a name says."""
        return 1 / (scarce * math.sqrt(1 + 0.1 * self.uses[name]))


class _Knot(NamedTuple):
    """All uses of one name in one item, by places in the list of all parts."""

    users: Sequence[int]
    definers: Sequence[int]
    strength: float
    is_inside: bool
    """Whether they all stand in one file."""


@attrs.frozen(eq=False, repr=False)
class Calls:
    """Give a part the fitness of the best part that uses what it defines, and of the best that it uses.

    A name says less the more parts define or use it. Only code takes part.
    """

    name: ClassVar[str] = "calls"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "part"
    steady: ClassVar[bool] = True
    weight: float = 0.28
    most_inside: int = 4
    """A name that more parts of one file define ties nothing in it."""
    most_across: int = 3
    """A name that more parts define ties nothing across files."""
    inside: float = 0.5
    """Strength of a tie within a file, where one across files has 1."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        fitness = _fitness(parts, task, workspace)
        by_use: tuple[dict[int, float], dict[int, float]] = ({}, {})
        by_definition: tuple[dict[int, float], dict[int, float]] = ({}, {})
        for knot in self._knots(workspace.of_items(parts, ties_of)):
            _reach(by_use[knot.is_inside], knot.definers, knot.users, knot.strength, fitness=fitness)
            _reach(by_definition[knot.is_inside], knot.users, knot.definers, knot.strength, fitness=fitness)
        raw = [0.0] * len(parts)
        for factor, best in zip((1.0, self.inside) * 2, (*by_use, *by_definition), strict=True):
            for at, value in best.items():
                raw[at] += value * factor
        largest = max(raw, default=0.0) or 1.0
        return [value / largest for value in raw]

    def _knots(self, items: Sequence[Ties]) -> Iterator[_Knot]:
        """Yield the uses of each name in each item that has a definition, there or elsewhere."""
        starts = list(accumulate((item.size for item in items), initial=0))
        names = _names(items, starts)
        for start, item in zip(starts, items, strict=False):
            for name in item.used.keys() & names.definers.keys():
                users = [start + at for at in item.used[name]]
                if name in item.defined:
                    ends = [start + at for at in item.defined[name]]
                    if len(ends) <= self.most_inside:
                        yield _Knot(users, ends, names.strength(name, math.sqrt(len(ends))), is_inside=True)
                elif len(ends := names.definers[name]) <= self.most_across:
                    yield _Knot(users, ends, names.strength(name, len(ends)), is_inside=False)


def _names(items: Sequence[Ties], starts: Sequence[int]) -> _Names:
    """Look up who defines names, and how often those that somebody defines are used."""
    definers: dict[str, list[int]] = {}
    for start, item in zip(starts, items, strict=False):
        for name, places in item.defined.items():
            definers.setdefault(name, []).extend([start + at for at in places])
    uses = dict.fromkeys(definers, 0)
    for item in items:
        for name in item.used.keys() & uses.keys():
            uses[name] += len(item.used[name])
    return _Names(definers, uses)


def _reach(
    best: dict[int, float],
    reached: Sequence[int],
    sources: Sequence[int],
    strength: float,
    *,
    fitness: Sequence[float],
) -> None:
    """Hand on to some parts what the best of the sources has, each to others than itself."""
    fit = [at for at in sources if fitness[at]]
    for source in fit:
        value = fitness[source] * strength
        for at in reached:
            if at != source and value > best.get(at, 0.0):
                best[at] = value


def ties_of(parts: Sequence[Part]) -> Ties:
    """Return what the parts of an item define and use; nothing where it is no file of code."""
    first = parts[0]
    if first.item != f"file:{first.path}" or role_of(first.path) != "code":
        return Ties(len(parts), {}, {})
    defined: dict[str, list[int]] = {}
    used: dict[str, list[int]] = {}
    for at, part in enumerate(parts):
        for name in {symbol.name for symbol in part.symbols} | {part.name} - {""}:
            defined.setdefault(name.rpartition(".")[2], []).append(at)
        for name in part.refs:
            used.setdefault(name, []).append(at)
    return Ties(len(parts), defined, used)


def _fitness(parts: Sequence[Part], task: Task, workspace: Workspace) -> list[float]:
    ranking = workspace.ranking(task)
    files = {
        path: ranking.body.get(path, 0.0)
        + 0.4 * ranking.path.get(path, 0.0)
        + 0.4 * ranking.name.get(path, 0.0)
        for path in {part.path for part in parts}
    }
    best = max(files.values(), default=0.0) or 1.0
    passages = workspace.passages(task, parts)
    return [score * (_WORDS + files[part.path] / best) for part, score in zip(parts, passages, strict=True)]
