"""Score parts by names: the task's words in their definitions, and their ties to parts that fit."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, groupby
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.plugin_api import Part, Task, Workspace, split_words
from satchel_plugins.providers.files import role_of
from satchel_plugins.scorers.mentions import find_common, names_of
from satchel_plugins.scorers.wording import emphasize, spell, title_of

if TYPE_CHECKING:
    from satchel.plugin_api import Part, Task, Workspace

_MOST_NAMES = 12
"""Most names of one part that are read."""
_MOST = 2.5
"""The most that a task's weight for a word counts."""


@attrs.frozen(eq=False, repr=False)
class Symbols:
    """Give a part the rarity of the task's words in the names that it defines.

    The score is 1 if the task has a whole name that few files define. Names are split into words, and each
    word counts once. All other scores are divided by the best part's.
    """

    name, kinds, grain = "symbols", frozenset({"*"}), "part"
    weight: float = 0.31
    owner: float = 0.2
    """Weight of the words of `Server` in `Server.run`, relative to 1 for those of `run`."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        query, rarity = workspace.ranking.query(task), workspace.ranking.files(task).rarity
        known = {term: rarity[term] * min(weight, _MOST) for term, weight in query.items() if term in rarity}
        if not known:
            return [0.0] * len(parts)
        items = workspace.terms.of_items(parts, _list_defined)
        written = {ref.name.rpartition(".")[2] for ref in task.references if ref.kind == "symbol"}
        named = _choose_names(items, known, written)
        raw = [self._score(one, known) for one in named]
        best = max(raw, default=0.0) or 1.0
        whole = {name for one in named for name, last in one.written if last in known}
        whole |= written - find_common((part.item for part in parts), (one.lasts for one in named), written)
        return [
            1.0 if not whole.isdisjoint(one.lasts) else value / best
            for one, value in zip(named, raw, strict=True)
        ]

    def _score(self, names: SymbolNames, known: Mapping[str, float]) -> float:
        """Return the worth of the words of a part's own names, and a share of its owners' words."""
        if names.words.isdisjoint(known):
            return 0.0
        own = sum(known[word] for word in names.own if word in known)
        return own + self.owner * sum(known[word] for word in names.owners if word in known)

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Return the words of the task in its name."""
        rarity = workspace.ranking.files(task).rarity
        names = _names(part)
        own = set(_split_names(names, _split_pieces(_pieces(names))).own)
        known = sorted(
            (term for term in workspace.ranking.query(task) if term in own), key=lambda t: -rarity.get(t, 0)
        )
        spelled = spell(task)
        words = emphasize([spelled[term] for term in known if term in spelled])
        return f"has {words} in its name" if words else ""


class SymbolNames(NamedTuple):
    """The words of the names that a part defines."""

    lasts: frozenset[str]
    """The names themselves, unqualified."""
    own: tuple[str, ...]
    """Their words, in order."""
    owners: tuple[str, ...]
    """Words of their owners alone, in order."""
    words: frozenset[str]
    """All of these."""
    written: tuple[tuple[str, str], ...]
    """Pieces of several words, each with its term as a whole."""


_NO_NAMES = SymbolNames(frozenset(), (), (), frozenset(), ())


PartNames = tuple[Sequence[str], frozenset[str]]
"""The names that a part defines, and their pieces between dots."""


def _list_defined(parts: Sequence[Part]) -> list[PartNames]:
    """Return the names that each part of an item defines, with their pieces."""
    return [(names, _pieces(names)) for names in map(_names, parts)]


def _pieces(names: Iterable[str]) -> frozenset[str]:
    return frozenset([piece for name in names for piece in name.split(".")])


def _split_pieces(pieces: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the words of each piece."""
    listed = list(pieces)
    return dict(zip(listed, split_words(listed), strict=True))


def _choose_names(
    items: Iterable[Sequence[PartNames]], known: Mapping[str, float], written: Collection[str]
) -> list[SymbolNames]:
    """Return the words of each part's names, or no words for a part without a known word or name.

    Only pieces with the letters of a known word are split: a folded word differs in its last letter at most.
    """
    own = list(chain.from_iterable(items))
    may_hold = re.compile("|".join(re.escape(term[:-1] or term) for term in known)).search
    every = set[str]().union(*(pieces for _, pieces in own))
    likely = [piece for piece in every if not piece.isascii() or may_hold(piece.lower())]
    telling = {piece for piece, words in _split_pieces(likely).items() if not known.keys().isdisjoint(words)}
    telling.update(written)
    chosen = [not telling.isdisjoint(pieces) for _, pieces in own]
    words = _split_pieces(set[str]().union(*(one[1] for one in compress(own, chosen))))
    return [
        _split_names(names, words) if is_chosen else _NO_NAMES
        for (names, _), is_chosen in zip(own, chosen, strict=True)
    ]


def _split_names(names: Sequence[str], words: Mapping[str, Sequence[str]]) -> SymbolNames:
    lasts = frozenset(map(_last, names))
    pieces = {piece for name in names for piece in name.split(".")}
    own = {word for name in lasts for word in words[name]}
    every = {word for piece in pieces for word in words[piece]}
    written = tuple((piece, words[piece][-1]) for piece in pieces if len(words[piece]) > 1)
    return SymbolNames(lasts, tuple(sorted(own)), tuple(sorted(every - own)), frozenset(every), written)


def _names(part: Part) -> list[str]:
    names = [symbol.name for symbol in part.symbols[:_MOST_NAMES] if symbol.name]
    return [part.name, *names] if part.name and part.name not in names else names


def _last(name: str) -> str:
    return name.rpartition(".")[2]


_WORDS = 0.3
"""Weight of a part's own words if its file's say nothing."""


@attrs.frozen(eq=False, repr=False)
class Calls:
    """Give a part the fitness of the best part that uses its definitions, and of the best that it uses.

    The more parts define or use a name, the less it counts. Only code counts.
    """

    name, kinds, grain = "calls", frozenset({"*"}), "part"
    weight: float = 0.28
    most_inside: int = 4
    """A name that more parts of one file define is no tie in it."""
    most_across: int = 3
    """A name that more parts define is no tie across files."""
    inside: float = 0.5
    """Strength of a tie within a file, relative to 1 for one across files."""

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
        """Tie the parts that use a name to the parts that define it, in the same item or else elsewhere.

        Yields the places of both in the list of parts, the worth of a use, and whether all are in one item.

        Only names in parts that fit the task can hand anything on.
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
        """Return the best part that uses its definitions, or that defines the names it uses."""
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
    """Hand on the fitness of the best source to the reached parts, and the second best to that source."""
    first = second = 0.0
    at_first = -1
    for at in sources:
        value = fitness[at]
        if value > first:
            first, second, at_first = value, first, at
        elif value > second and at != at_first:
            second = value
    if not first:  # most parts of a pack
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
    """Return the last parts of the names that each part defines."""
    own = [{part.name, *[one.name for one in part.symbols]} - {""} for part in parts]
    return [[name.rpartition(".")[2] for name in names] for names in own]


def _place(
    places: Iterable[int], names_at: Callable[[int], Sequence[str]], wanted: Collection[str]
) -> dict[str, list[int]]:
    """Return for each wanted name the places that have it."""
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
