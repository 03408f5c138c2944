"""Score parts whose names are made of the task's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel.workspace.terms import split_words

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen
class Symbols:
    """Give a part the share of its name's words, by rarity, that stand in the task; 1 where it is named.

    A part that defines several names counts by its best. Off unless it is given a weight: on 120 real
    fixes it gained nothing over the words of the parts.
    """

    name: ClassVar[str] = "symbols"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "part"
    weight: float = 0.0
    doubt: float = 3.0
    """Rarity that a name's words are held against: one common word in the task is no proof."""
    owner: float = 0.5
    """What the words of `Server` count in `Server.run`, where those of `run` count 1."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        query, rarity = workspace.query(task), workspace.ranking(task).rarity
        known = {term: rarity[term] for term in query if term in rarity}
        if not known:
            return [0.0] * len(parts)
        names = [_names(part) for part in parts]
        references = {reference.name for reference in task.references if reference.kind == "symbol"}
        whole = {name.rpartition(".")[2] for name in references}
        scores = self._by_name(set(chain.from_iterable(names)), known, whole)
        return [max((scores[name] for name in mine), default=0.0) for mine in names]

    def _by_name(self, names: Set[str], known: Mapping[str, float], whole: Set[str]) -> dict[str, float]:
        """Score each qualified name; a word that the task lacks is as rare as its own are on average."""
        pieces = sorted({piece for name in names for piece in name.split(".")})
        words = dict(zip(pieces, split_words(pieces), strict=True))
        unknown = sum(known.values()) / len(known)
        held = {piece: _held(split, known, unknown) for piece, split in words.items()}
        written = {piece for piece, split in words.items() if len(split) > 1 and split[-1] in known}
        named = whole | written
        return {name: self._score(name, held, named) for name in names}

    def _score(self, name: str, held: Mapping[str, tuple[float, float]], whole: Set[str]) -> float:
        owner, _, last = name.rpartition(".")
        if last in whole:
            return 1.0
        found, total = held.get(last, (0.0, 0.0))
        if not found:
            return 0.0
        for piece in owner.split(".") if owner else ():
            found += self.owner * held[piece][0]
            total += self.owner * held[piece][1]
        return found / (total + self.doubt)


def _names(part: Part) -> list[str]:
    names = [symbol.name for symbol in part.symbols]
    return [part.name, *names] if part.name and part.name not in names else names


def _held(split: Sequence[str], known: Mapping[str, float], unknown: float) -> tuple[float, float]:
    """Return the rarity of the words that the task holds, and of all words of one name."""
    words = split[:-1] if len(split) > 1 else split
    return sum(known.get(word, 0.0) for word in words), sum(known.get(word, unknown) for word in words)
