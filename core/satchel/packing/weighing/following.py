"""Follow calls: the functions between two places show the way from one to the other."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from satchel.packing.weighing.backbone import CALLED, find_functions, find_types, list_called
from satchel.packing.weighing.chances import PartPlace, WeighedItems, find_highest
from satchel.parts import Part, end_of_span

_FUNCTIONS = CALLED | {"constructor", "macro"}


class FollowSettings(NamedTuple):
    """Numbers that shape how far calls are followed, each with its reason."""

    starts: int = 6
    """Best answering functions, from which calls are followed beside the named ones."""
    places: int = 3
    """Most functions that may have a called name: with more, hardly each of them is meant."""
    callers: int = 8
    """Most callers of a function that is followed: with more, it is a helper and shows no way."""
    kept: float = 0.85
    """Share of its score that a function gives to the functions that it calls."""
    least: float = 0.4
    """Share of the best score below which nothing is followed."""
    most: int = 24
    """Most functions that get a score by calls."""
    tokens: int = 2_000
    """Tokens of the longest of them."""


SETTINGS = FollowSettings()


def follow_calls(
    items: WeighedItems,
    scores: list[list[float]],
    names: Collection[str],
    *,
    only_named: bool = False,
) -> None:
    """Raise the scores of functions called by others that answer well or have one of the names.

    The walk starts from the best answers; a function keeps its own score if that is higher.
    """
    named = find_functions(items, _FUNCTIONS)
    callers = _count_callers(items, named)
    best = find_highest(scores)
    meant = [_find_named(items, named, name) for name in drop_shadowed(items, names)]
    starts = {place for places in meant if len(places) <= SETTINGS.places for place in places}
    for at, part in starts:
        scores[at][part] = max(scores[at][part], best)
    every = [place for places in named.values() for place in places]
    if not only_named:
        starts.update(heapq.nlargest(SETTINGS.starts, every, key=lambda one: scores[one[0]][one[1]]))
    queue = [(-scores[at][part], at, part) for at, part in sorted(starts)]
    heapq.heapify(queue)
    left = SETTINGS.most
    while queue and left:
        score, at, part = heapq.heappop(queue)
        given = -score * SETTINGS.kept
        if given < SETTINGS.least * best:
            break
        for place in _find_called(items, (at, part), named, callers):
            if left and scores[place[0]][place[1]] < given:
                left -= 1
                scores[place[0]][place[1]] = given
                heapq.heappush(queue, (-given, *place))


def drop_shadowed(items: WeighedItems, names: Collection[str]) -> list[str]:
    """Return the names of functions, without short ones that a full one replaces, as code writes it.

    If a class `Server` has one, `server.route` means that and no other `route`. A short class is shown
    whole, with its methods.
    """
    dotted = [name for name in names if "." in name]
    named = find_functions(items) if dotted else {}
    owned = {name: _find_named(items, named, name) for name in dotted}
    for name in [name for name, places in owned.items() if not places]:
        types = find_types(items, [name.split(".")[-2]])
        places = [(at, one) for at, numbers in types.items() for one in numbers]
        owned[name] = [(at, one) for at, one in places if end_of_span(items[at][1].parts, one) == one + 1]
    shadowed = {name.rpartition(".")[2] for name, places in owned.items() if places}
    full = (items[at][1].parts[number].name for places in owned.values() for at, number in places)
    return [*dict.fromkeys(chain((name for name in names if name not in shadowed), full))]


def _find_named(
    items: WeighedItems, named: Mapping[str, Sequence[PartPlace]], name: str
) -> Sequence[PartPlace]:
    """Return the functions that a name means: `client.get` is the method of the class `Client`."""
    *owners, last = name.replace("::", ".").replace("#", ".").strip("().").split(".")
    places = named.get(last, ())
    if not owners:
        return places
    owner = owners[-1].lower()
    names = [(place, items[place[0]][1].parts[place[1]].name.lower().split(".")) for place in places]
    return [place for place, pieces in names if owner in pieces[:-1]]


def _count_callers(items: WeighedItems, named: Mapping[str, Sequence[PartPlace]]) -> Counter[str]:
    """Return how many functions call each name."""
    return Counter(
        name
        for places in named.values()
        for at, number in places
        for name in named.keys() & list_called(items[at][1].parts[number])
    )


def _find_called(
    items: WeighedItems,
    place: PartPlace,
    named: Mapping[str, Sequence[PartPlace]],
    callers: Mapping[str, int],
) -> Iterator[PartPlace]:
    """Yield the functions that a function calls, in order; of namesakes, the ones in its own file."""
    at, _ = place
    for name in dict.fromkeys(name for part in _list_body(items, place) for name in list_called(part)):
        places = named.get(name, ())
        near = [one for one in places if one[0] == at] or places
        if callers.get(name, 0) > SETTINGS.callers or len(near) > SETTINGS.places:
            continue
        yield from (one for one in near if items[one[0]][1].parts[one[1]].tokens <= SETTINGS.tokens)


def _list_body(items: WeighedItems, place: PartPlace) -> Sequence[Part]:
    """Return the parts of a function: a long one continues in blocks and inner functions."""
    parts = items[place[0]][1].parts
    return parts[place[1] : end_of_span(parts, place[1])]
