"""Score parts by names that tie them to parts which fit the task: what these call, and what calls them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import attrs

from satchel_plugins.providers.files import role_of

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace

_WORDS = 0.3
"""What a part's own words count where its file's say nothing."""


class Definers(NamedTuple):
    """Where each name is defined, in all files and in each."""

    everywhere: Mapping[str, Sequence[int]]
    inside: Mapping[str, Mapping[str, Sequence[int]]]
    """By item and name."""
    uses: Mapping[str, int]


class Edge(NamedTuple):
    """A use of a definition."""

    user: int
    definer: int
    strength: float
    inside: bool
    """Whether both stand in one file."""


@attrs.frozen
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
        roles = {part.path: role_of(part.path) for part in parts if part.item == f"file:{part.path}"}
        code = [at for at, part in enumerate(parts) if roles.get(part.path) == "code"]
        fitness = _fitness(parts, task, workspace)
        reached: dict[tuple[int, bool, bool], float] = {}
        for user, definer, strength, inside in self._edges(parts, code):
            for key, other in (((definer, False, inside), user), ((user, True, inside), definer)):
                value = fitness[other] * strength
                if value > reached.get(key, -1.0):
                    reached[key] = value
        raw = [0.0] * len(parts)
        for (at, _, inside), value in reached.items():
            raw[at] += value * (self.inside if inside else 1.0)
        best = max(raw, default=0.0) or 1.0
        return [value / best for value in raw]

    def _edges(self, parts: Sequence[Part], code: Sequence[int]) -> Iterator[Edge]:
        definers = _definers(parts, code)
        everywhere, nobody = definers.everywhere, dict[str, Sequence[int]]()
        for user in code:
            mine = definers.inside.get(parts[user].item, nobody)
            for name in parts[user].refs:
                here = mine.get(name, ())
                ends = here or everywhere.get(name, ())
                if not ends or len(ends) > (self.most_inside if here else self.most_across):
                    continue
                shared = math.sqrt(len(ends)) if here else len(ends)
                strength = 1 / (shared * math.sqrt(1 + 0.1 * definers.uses[name]))
                yield from (Edge(user, at, strength, bool(here)) for at in ends if at != user)


def _definers(parts: Sequence[Part], code: Sequence[int]) -> Definers:
    everywhere: dict[str, list[int]] = {}
    inside: dict[str, dict[str, list[int]]] = {}
    uses: Counter[str] = Counter()
    for at in code:
        uses.update(parts[at].refs)
        mine = inside.setdefault(parts[at].item, {})
        for name in sorted({symbol.name for symbol in parts[at].symbols} | {parts[at].name} - {""}):
            last = name.rpartition(".")[2]
            everywhere.setdefault(last, []).append(at)
            mine.setdefault(last, []).append(at)
    return Definers(everywhere, inside, uses)


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
