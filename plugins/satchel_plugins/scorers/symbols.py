"""Score parts by the task's words in the names that they define."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, compress
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.plugin_api import split_words
from satchel_plugins.scorers.mentions import find_common
from satchel_plugins.scorers.wording import emphasize, spell

if TYPE_CHECKING:
    from satchel.plugin_api import Part, Task, Workspace

_MOST_NAMES = 12
"""Names of one part that are looked at."""
_MOST = 2.5
"""The most that a task's weight for a word counts."""


@attrs.frozen(eq=False, repr=False)
class Symbols:
    """Give a part the rarity of the task's words in the names that it defines; 1 where one is written whole
    that few files define.

    Names are split into words, and each word counts once. The rest is divided by the best part's.
    """

    name, kinds, grain = "symbols", frozenset({"*"}), "part"
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
        """Tell the words of the task in its name."""
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


PartNames = tuple[Sequence[str], frozenset[str]]
"""The names that a part defines, and the pieces that stand between their dots."""


def names_of(parts: Sequence[Part]) -> list[PartNames]:
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
    """Return the words of each part's names, none for a part that has neither a known word nor a name.

    Only what has the letters of a known word is split: a folded word differs in its last letter at most.
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
