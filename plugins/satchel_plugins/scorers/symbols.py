"""Score parts by the task's words in the names that they define."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import attrs

from satchel.plugin_api import split_words
from satchel_plugins.scorers.wording import emphasize, spell

if TYPE_CHECKING:
    from satchel.plugin_api import Part, Task, Workspace

_MOST_NAMES = 12
"""Names of one part that are looked at."""
_MOST = 2.5
"""The most that a task's weight for a word counts."""


@attrs.frozen(eq=False, repr=False)
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
        query, rarity = workspace.ranking.query(task), workspace.ranking.files(task).rarity
        known = {term: rarity[term] * min(weight, _MOST) for term, weight in query.items() if term in rarity}
        if not known:
            return [0.0] * len(parts)
        items = workspace.terms.of_items(parts, names_of)
        written = {ref.name.rpartition(".")[2] for ref in task.references if ref.kind == "symbol"}
        named = [one for item in items for one in _choose_names(item, known, written)]
        raw = [self._score(one, known) for one in named]
        best = max(raw, default=0.0) or 1.0
        whole = {name for one in named for name, last in one.written if last in known} | written
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
        """Tell the words of the task in its name."""
        rarity = workspace.ranking.files(task).rarity
        item = names_of([part])
        own = set(_split_names(item.names[0], item.words).own)
        known = sorted(
            (term for term in workspace.ranking.query(task) if term in own), key=lambda t: -rarity.get(t, 0)
        )
        spelled = spell(task)
        words = emphasize([spelled[term] for term in known if term in spelled])
        return f"has {words} in its name" if words else ""


class SymbolNames(NamedTuple):
    """The words of the names that a part defines."""

    lasts: frozenset[str]
    """The names themselves, without what they stand in."""
    own: tuple[str, ...]
    """Their words, in order."""
    owners: tuple[str, ...]
    """Words of what they stand in alone, in order."""
    words: frozenset[str]
    """All of these."""
    written: tuple[tuple[str, str], ...]
    """Pieces of several words, each with the term that it is as a whole."""


_NO_NAMES = SymbolNames(frozenset(), (), (), frozenset(), ())


class ItemNames(NamedTuple):
    """The names that the parts of an item define, and the words of what they are made of."""

    names: Sequence[Sequence[str]]
    pieces: Sequence[frozenset[str]]
    """What stands between the dots of each part's names."""
    words: Mapping[str, Sequence[str]]
    """By piece."""


def names_of(parts: Sequence[Part]) -> ItemNames:
    """Return the names that each part of an item defines, with the words of their pieces."""
    names = [_names(part) for part in parts]
    pieces = [frozenset([piece for name in mine for piece in name.split(".")]) for mine in names]
    known = list(dict.fromkeys(chain.from_iterable(pieces)))
    return ItemNames(names, pieces, dict(zip(known, split_words(known), strict=True)))


def _choose_names(
    item: ItemNames, known: Mapping[str, float], written: Collection[str]
) -> Iterator[SymbolNames]:
    """Yield the words of each part's names, and none for a part that has neither a known word nor a name."""
    telling = {piece for piece, words in item.words.items() if not known.keys().isdisjoint(words)}
    telling.update(written)
    for names, pieces in zip(item.names, item.pieces, strict=True):
        yield _NO_NAMES if telling.isdisjoint(pieces) else _split_names(names, item.words)


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
