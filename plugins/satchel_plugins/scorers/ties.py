"""The edges of the reference graph: who defines what a file uses, who uses what it defines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from satchel.plugin_api import Part

Places = Mapping[str, Sequence[int]]
"""Item -> where its parts stand in the list of all parts."""

_MOST_DEFINERS = 20
"""Items beyond which a name that all of them define ties nothing: `new`, `get`, `__init__`."""
_MOST_USERS = 100
"""Parts beyond which a name that all of them use ties its definition to none of them."""


class Tie(NamedTuple):
    """An edge that ends at an item."""

    item: str
    name: str
    """What makes it; "" where the whole file is imported."""
    places: Sequence[int]
    """Where the parts at its end that define or use the name stand in the list of all parts."""
    strength: float
    is_definition: bool
    """Whether these parts define the name; else they use it."""


class Trust(NamedTuple):
    """How much ties of each sort say."""

    backward: float
    """Of a tie from a definition to its user, where that from a use to its definition has 1."""
    common_from: int
    common: float
    """Factor for a name that more items define than `common_from`."""
    imported: float
    """Factor for a definition in an imported file."""


class _Names(NamedTuple):
    """Where the names that concern the seeds are defined and used: name -> item -> places."""

    definers: Mapping[str, Places]
    users: Mapping[str, Places]
    trust: Trust
    parts: int

    def strength(self, name: str) -> float:
        """Return how much a name says: its rarity among the parts, shared by those who define it."""
        definers = len(self.definers[name])
        using = sum(map(len, self.users.get(name, {}).values()))
        factor = self.trust.common if definers > self.trust.common_from else 1.0
        return factor * math.log(1 + self.parts / (1 + using)) / definers


def find_ties(
    parts: Sequence[Part],
    taking: Places,
    seeds: Iterable[str],
    *,
    imports: Mapping[str, Sequence[str]],
    trust: Trust,
) -> dict[str, list[Tie]]:
    """Return the ties from each seed to the items that take part; their strengths add up to 1.

    Args:
        parts: of all items.
        taking: items that a tie can end at.
        seeds: items that ties leave, all of them in `taking`.
        imports: item -> items whose files it imports.
        trust: how much each sort says.
    """
    listed = list(seeds)
    used = {seed: Counter(name for at in taking[seed] for name in parts[at].refs) for seed in listed}
    defined = {
        seed: sorted({name for at in taking[seed] for name in _list_defined(parts[at])}) for seed in listed
    }
    names = _names(parts, taking, set(chain(*used.values(), *defined.values())), trust)
    return {
        seed: _shares(
            [
                *(
                    Tie(item, "", (), 1.0, is_definition=True)
                    for item in imports.get(seed, ())
                    if item in taking
                ),
                *_to_definitions(seed, used[seed], names, imports.get(seed, ())),
                *_to_users(seed, defined[seed], names),
            ]
        )
        for seed in listed
    }


def _names(parts: Sequence[Part], taking: Places, concerned: Set[str], trust: Trust) -> _Names:
    """Look up who defines and who uses the names that concern the seeds."""
    places = list(chain.from_iterable(taking.values()))
    definers = _by_name(parts, ((at, _list_defined(parts[at])) for at in places), concerned)
    telling = {name: ends for name, ends in definers.items() if len(ends) <= _MOST_DEFINERS}
    users = _by_name(parts, ((at, parts[at].refs) for at in places), telling.keys())
    return _Names(telling, users, trust, len(places))


def _by_name(
    parts: Sequence[Part], held: Iterable[tuple[int, Sequence[str]]], concerned: Set[str]
) -> dict[str, dict[str, list[int]]]:
    wanted, found = frozenset(concerned), dict[str, dict[str, list[int]]]()
    for at, names in held:
        for name in wanted.intersection(names):
            found.setdefault(name, {}).setdefault(parts[at].item, []).append(at)
    return found


def _shares(ties: Sequence[Tie]) -> list[Tie]:
    total = sum(tie.strength for tie in ties) or 1.0
    return [tie._replace(strength=tie.strength / total) for tie in ties]


def _to_definitions(
    seed: str, used: Mapping[str, int], names: _Names, imports: Sequence[str]
) -> Iterator[Tie]:
    for name, count in used.items():
        ends = names.definers.get(name, {})
        if not ends or seed in ends:
            continue
        strength = names.strength(name) * math.sqrt(count)
        for item, places in ends.items():
            factor = names.trust.imported if item in imports else 1.0
            yield Tie(item, name, places, strength * factor, is_definition=True)


def _to_users(seed: str, defined: Sequence[str], names: _Names) -> Iterator[Tie]:
    for name in defined:
        ends = names.users.get(name, {})
        if ends and sum(map(len, ends.values())) <= _MOST_USERS:
            strength = names.strength(name) * names.trust.backward
            yield from (
                Tie(item, name, places, strength, is_definition=False)
                for item, places in ends.items()
                if item != seed
            )


def _list_defined(part: Part) -> list[str]:
    """Return the last names that a part defines; its own stands first among its symbols."""
    if part.symbols:
        return [symbol[0].rpartition(".")[2] for symbol in part.symbols]
    return [part.name.rpartition(".")[2]] if part.name else []
