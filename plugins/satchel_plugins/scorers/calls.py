"""Score parts by names that tie them to parts which fit the task: what these call, and what calls them."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, groupby

import attrs

from satchel.plugin_api import Part, Task, Workspace
from satchel_plugins.providers.files import role_of
from satchel_plugins.scorers.mentions import names_of
from satchel_plugins.scorers.wording import title_of

_WORDS = 0.3
"""What a part's own words count where its file's say nothing."""


@attrs.frozen(eq=False, repr=False)
class Calls:
    """Give a part the fitness of the best part that uses what it defines, and of the best that it uses.

    A name says less the more parts define or use it. Only code takes part.
    """

    name, kinds, grain = "calls", frozenset({"*"}), "part"
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
        to_used: tuple[dict[int, float], dict[int, float]] = ({}, {})
        to_users: tuple[dict[int, float], dict[int, float]] = ({}, {})
        for users, definers, strength, is_inside in self._tie(parts, fitness, workspace):
            hand_best(users, fitness, strength, definers, to_used[is_inside])
            hand_best(definers, fitness, strength, users, to_users[is_inside])
        raw = [0.0] * len(parts)
        for across, inside in (to_used, to_users):
            for factor, best in ((1.0, across), (self.inside, inside)):
                for at, value in best.items():
                    raw[at] += value * factor
        largest = max(raw, default=0.0) or 1.0
        return [value / largest for value in raw]

    def _tie(
        self, parts: Sequence[Part], fitness: Sequence[float], workspace: Workspace
    ) -> Iterator[tuple[Sequence[int], Sequence[int], float, bool]]:
        """Tie the parts that use a name to those that define it, in the same item or else elsewhere.

        Yields the places of both in the list of parts, what a use says, and whether all stand in one item.

        Only names that a part which fits the task uses or defines can hand anything on.
        """
        files = [places for places in _group(parts) if _is_code(parts[places[0]])]
        code = list(chain.from_iterable(files))
        named = list(chain.from_iterable(workspace.terms.of_items(parts, _names_of)))
        defined = {at: named[at] for at in code}
        names = {name for at in code if fitness[at] > 0 for name in (*defined[at], *parts[at].refs)}
        definers = _place(code, defined.__getitem__, names)
        used = [_place(places, lambda at: parts[at].refs, definers.keys()) for places in files]
        uses = dict.fromkeys(definers, 0)
        for name, users in chain.from_iterable(mine.items() for mine in used):
            uses[name] += len(users)
        for places, mine in zip(files, used, strict=True):
            for name, users in mine.items():
                every = definers[name]
                own = every[bisect_left(every, places[0]) : bisect_right(every, places[-1])]
                ends = own or every
                if len(ends) <= (self.most_inside if own else self.most_across):
                    scarce = math.sqrt(len(ends)) if own else len(ends)
                    yield users, ends, 1 / (scarce * math.sqrt(1 + 0.1 * uses[name])), bool(own)

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


def _group(parts: Sequence[Part]) -> list[list[int]]:
    """Return the places of the parts of each item, as they follow one another."""
    return [list(places) for _, places in groupby(range(len(parts)), key=lambda at: parts[at].item)]


def _is_code(part: Part) -> bool:
    return part.item == f"file:{part.path}" and role_of(part.path) == "code"


def _names_of(parts: Sequence[Part]) -> list[list[str]]:
    """Return the last names of what each part defines."""
    own = [{part.name, *[one.name for one in part.symbols]} - {""} for part in parts]
    return [[name.rpartition(".")[2] for name in names] for names in own]


def _place(
    places: Iterable[int], names_at: Callable[[int], Sequence[str]], wanted: Collection[str]
) -> dict[str, list[int]]:
    """Return for each wanted name the places where it stands."""
    found: dict[str, list[int]] = {}
    for at in places:
        for name in names_at(at):
            if name in wanted:
                found.setdefault(name, []).append(at)
    return found


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
