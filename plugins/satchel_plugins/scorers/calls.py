"""Score parts by names that tie them to parts which fit the task: what these call, and what calls them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import ClassVar, NamedTuple

import attrs

from satchel.plugin_api import Part, Task, Workspace
from satchel_plugins.providers.files import role_of
from satchel_plugins.scorers.mentions import names_of
from satchel_plugins.scorers.wording import title_of

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


class _CalledNames(NamedTuple):
    """Where names are defined, in all items, and how often they are used."""

    definers: Mapping[str, Sequence[int]]
    uses: Mapping[str, int]

    def strength(self, name: str, scarce: float) -> float:
        """Return how much a use of a name says."""
        return 1 / (scarce * math.sqrt(1 + 0.1 * self.uses[name]))


_Tie = tuple[Sequence[int], Sequence[int], float, bool]
"""The parts that use a name, those that define it, what that says, and whether all stand in one file.

Parts are told by their places in the list of all parts of code.
"""


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
        items = workspace.terms.of_items(parts, ties_of)
        starts = accumulate((item.size for item in items), initial=0)
        code = [
            (start, item) for start, item in zip(starts, items, strict=False) if item.used or item.defined
        ]
        tied = [item for _, item in code]
        places = [at for start, item in code for at in range(start, start + item.size)]
        # Items without code come and go within a pack: those with code are tied once.
        ties = workspace.memo.again(
            "calls", (self.most_inside, self.most_across, tied), partial(self._tie, tied)
        )
        raw = [0.0] * len(parts)
        for at, value in self._hand_on(ties, [fitness[place] for place in places]).items():
            raw[places[at]] = value
        largest = max(raw, default=0.0) or 1.0
        return [value / largest for value in raw]

    def _hand_on(self, ties: Sequence[_Tie], fitness: Sequence[float]) -> dict[int, float]:
        """Return what the best that uses each part hands on to it, and the best that it uses."""
        to_used: tuple[dict[int, float], dict[int, float]] = ({}, {})
        to_users: tuple[dict[int, float], dict[int, float]] = ({}, {})
        for users, ends, strength, is_inside in ties:
            hand_best(users, fitness, strength, ends, to_used[is_inside])
            hand_best(ends, fitness, strength, users, to_users[is_inside])
        raw: dict[int, float] = {}
        for across, inside in (to_used, to_users):
            for factor, best in ((1.0, across), (self.inside, inside)):
                for at, value in best.items():
                    raw[at] = raw.get(at, 0.0) + value * factor
        return raw

    def _tie(self, items: Sequence[Ties]) -> list[_Tie]:
        """Tie the parts that use a name to those that define it, in the same item or else elsewhere."""
        starts = list(accumulate((item.size for item in items), initial=0))
        names = _names(items, starts)
        ties: list[_Tie] = []
        for start, item in zip(starts, items, strict=False):
            for name in item.used.keys() & names.definers.keys():
                is_inside = name in item.defined
                ends = [start + at for at in item.defined[name]] if is_inside else names.definers[name]
                if len(ends) <= (self.most_inside if is_inside else self.most_across):
                    users = [start + at for at in item.used[name]]
                    strength = names.strength(name, math.sqrt(len(ends)) if is_inside else len(ends))
                    ties.append((users, ends, strength, is_inside))
        return ties

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Tell the best part that uses what it defines, or that defines what it uses."""
        defined = {name for own in names_of([part]) for name in own[1]}
        fitness = _fitness(parts, task, workspace)
        named = {ref.name.rpartition(".")[2] for ref in task.references if ref.kind == "symbol"}
        found: list[tuple[float, str]] = []
        for other, fit in zip(parts, fitness, strict=True):
            if fit <= 0 or (other.item == part.item and other.lines == part.lines) or not other.name:
                continue
            last = other.name.rpartition(".")[2]
            why = "the task names" if last in named else "fits the task"
            which = f"{title_of(other)}, which {why}"
            if last in part.refs:
                found.append((fit + (last in named), f"uses {which}"))
            elif defined and not defined.isdisjoint(other.refs):
                found.append((fit + (last in named), f"is used by {which}"))
        return max(found, default=(0.0, ""))[1]


def hand_best(
    sources: Sequence[int],
    fitness: Sequence[float],
    strength: float,
    reached: Sequence[int],
    best: dict[int, float],
) -> None:
    """Hand on what the best of some parts is worth, to none from itself; `best` keeps what is most."""
    first = second = 0.0
    at_first = -1
    for at in sources:
        value = fitness[at]
        if value > first:
            first, second, at_first = value, first, at
        elif value > second and at != at_first:
            second = value
    if not first:  # as most parts of a pack
        return
    for at in reached:
        value = strength * (second if at == at_first else first)
        if value > best.get(at, 0.0):
            best[at] = value


def _names(items: Sequence[Ties], starts: Sequence[int]) -> _CalledNames:
    """Look up who defines names, and how often those that somebody defines are used."""
    definers: dict[str, list[int]] = {}
    for start, item in zip(starts, items, strict=False):
        for name, places in item.defined.items():
            definers.setdefault(name, []).extend([start + at for at in places])
    uses = dict.fromkeys(definers, 0)
    for item in items:
        for name in item.used.keys() & uses.keys():
            uses[name] += len(item.used[name])
    return _CalledNames(definers, uses)


def ties_of(parts: Sequence[Part]) -> Ties:
    """Return what the parts of an item define and use; nothing where it is not a file of code."""
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
    ranking = workspace.ranking.files(task)
    files = {
        path: ranking.body.get(path, 0.0)
        + 0.4 * ranking.path.get(path, 0.0)
        + 0.4 * ranking.name.get(path, 0.0)
        for path in {part.path for part in parts}
    }
    best = max(files.values(), default=0.0) or 1.0
    passages = workspace.ranking.parts(task, parts)
    return [score * (_WORDS + files[part.path] / best) for part, score in zip(parts, passages, strict=True)]
