"""Score parts by names that tie them to parts which fit the task: what these call, and what calls them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain
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
    refs: tuple[str, ...]
    defined: Mapping[str, Sequence[int]]
    """Last name -> the parts that define it."""
    inside: Sequence[tuple[int, str]]
    """Uses of what the item itself defines: part and name."""
    outside: Mapping[str, Sequence[int]]
    """All other names -> the parts that use them."""


@attrs.frozen(eq=False, repr=False)
class Calls:
    """Give a part the fitness of the best part that uses what it defines, and of the best that it uses.

    A name says less the more parts define or use it. Only code takes part.
    """

    name: ClassVar[str] = "calls"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "part"
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
        reached: tuple[dict[int, float], ...] = ({}, {}, {}, {})
        for user, definer, strength, inside in self._edges(workspace.of_items(parts, ties_of), fitness):
            for at, other, best in ((definer, user, reached[inside]), (user, definer, reached[2 + inside])):
                value = fitness[other] * strength
                if value > best.get(at, 0.0):
                    best[at] = value
        raw = [0.0] * len(parts)
        for factor, best in zip((1.0, self.inside, 1.0, self.inside), reached, strict=True):
            for at, value in best.items():
                raw[at] += value * factor
        largest = max(raw, default=0.0) or 1.0
        return [value / largest for value in raw]

    def _edges(
        self, items: Sequence[Ties], fitness: Sequence[float]
    ) -> Iterator[tuple[int, int, float, bool]]:
        """Yield each use of a definition: user, definer, strength, whether both stand in one file.

        What ties parts that do not fit at all is left out.
        """
        uses = Counter(chain.from_iterable(item.refs for item in items))
        starts = list(accumulate((item.size for item in items), initial=0))
        for start, item in zip(starts, items, strict=False):
            if any(fitness[start : start + item.size]):
                for user, at, strength in self._inside(item, uses):
                    yield start + user, start + at, strength, True
        yield from self._across(items, starts, uses)

    def _inside(self, item: Ties, uses: Mapping[str, int]) -> Iterator[tuple[int, int, float]]:
        for user, name in item.inside:
            ends = item.defined[name]
            if len(ends) <= self.most_inside:
                strength = 1 / (math.sqrt(len(ends)) * math.sqrt(1 + 0.1 * uses[name]))
                for at in ends:
                    if at != user:
                        yield user, at, strength

    def _across(
        self, items: Sequence[Ties], starts: Sequence[int], uses: Mapping[str, int]
    ) -> Iterator[tuple[int, int, float, bool]]:
        everywhere: dict[str, list[int]] = {}
        for start, item in zip(starts, items, strict=False):
            for name, places in item.defined.items():
                everywhere.setdefault(name, []).extend([start + at for at in places])
        few = {name: ends for name, ends in everywhere.items() if len(ends) <= self.most_across}
        for start, item in zip(starts, items, strict=False):
            for name in item.outside.keys() & few.keys():
                strength = 1 / (len(few[name]) * math.sqrt(1 + 0.1 * uses[name]))
                for user in item.outside[name]:
                    for at in few[name]:
                        yield start + user, at, strength, False


def ties_of(parts: Sequence[Part]) -> Ties:
    """Return what the parts of an item define and use; nothing where it is no file of code."""
    first = parts[0]
    if first.item != f"file:{first.path}" or role_of(first.path) != "code":
        return Ties(len(parts), (), {}, (), {})
    defined: dict[str, list[int]] = {}
    for at, part in enumerate(parts):
        for name in {symbol.name for symbol in part.symbols} | {part.name} - {""}:
            defined.setdefault(name.rpartition(".")[2], []).append(at)
    refs = [(at, name) for at, part in enumerate(parts) for name in part.refs]
    outside: dict[str, list[int]] = {}
    for at, name in refs:
        if name not in defined:
            outside.setdefault(name, []).append(at)
    inside = [(at, name) for at, name in refs if name in defined]
    return Ties(len(parts), tuple(name for _, name in refs), defined, inside, outside)


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
