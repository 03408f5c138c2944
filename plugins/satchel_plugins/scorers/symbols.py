"""Score parts by the task's words in the names that they define."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel.workspace.terms import split_words

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace

_MOST_NAMES = 12
"""Names of one part that are looked at."""
_MOST = 2.5
"""The most that a task's weight for a word counts."""


@attrs.frozen
class Symbols:
    """Give a part the rarity of the task's words in the names that it defines; 1 where one is written whole.

    Names are split into words, and each word counts once. The rest is divided by the best part's.
    """

    name: ClassVar[str] = "symbols"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "part"
    weight: float = 0.31
    owner: float = 0.2
    """What the words of `Server` count in `Server.run`, where those of `run` count 1."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        query, rarity = workspace.query(task), workspace.ranking(task).rarity
        known = {term: rarity[term] * min(weight, _MOST) for term, weight in query.items() if term in rarity}
        if not known:
            return [0.0] * len(parts)
        names = [_names(part) for part in parts]
        pieces = sorted({piece for name in set(chain.from_iterable(names)) for piece in name.split(".")})
        words = dict(zip(pieces, split_words(pieces), strict=True))
        raw = [self._score(mine, words, known) for mine in names]
        best = max(raw, default=0.0) or 1.0
        whole = _written(words, known) | {
            reference.name.rpartition(".")[2] for reference in task.references if reference.kind == "symbol"
        }
        return [
            1.0 if any(_last(name) in whole for name in mine) else value / best
            for mine, value in zip(names, raw, strict=True)
        ]

    def _score(
        self, names: Sequence[str], words: Mapping[str, Sequence[str]], known: Mapping[str, float]
    ) -> float:
        """Return the worth of the words of a part's own names, and a share of its owners' words."""
        own = {word for name in names for word in words[_last(name)]}
        owners = {word for name in names for piece in name.split(".")[:-1] for word in words[piece]} - own
        return sum(known.get(word, 0.0) for word in sorted(own)) + self.owner * sum(
            known.get(word, 0.0) for word in sorted(owners)
        )


def _names(part: Part) -> list[str]:
    names = [symbol.name for symbol in part.symbols[:_MOST_NAMES] if symbol.name]
    return [part.name, *names] if part.name and part.name not in names else names


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _written(words: Mapping[str, Sequence[str]], known: Mapping[str, float]) -> Set[str]:
    """Return the names of several words that the task writes as they stand."""
    return {piece for piece, split in words.items() if len(split) > 1 and split[-1] in known}
