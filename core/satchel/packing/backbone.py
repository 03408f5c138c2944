"""Find the backbone of a project's code: the definitions that most other files use."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from satchel.packing.chances import WeighedItems
from satchel.questions.aims import FilePlace, place_of

_FUNCTIONS = frozenset({"function", "method", "variable"})


class BackboneSettings(NamedTuple):
    """Numbers that shape the choice, each with its reason."""

    most: int = 16
    """Definitions that are shown: what a reader can hold in mind."""
    most_of_file: int = 3
    """Definitions of one file, so that one file of helpers does not take all."""
    of_function: float = 0.4
    """What a user of a function counts, relative to one of a type: types tell how a program is made."""
    places: int = 2
    """Places in which a name may be defined, such as an interface and what implements it."""
    function_tokens: int = 400
    """Tokens of the longest function that is shown; of a class that is its head without its methods."""
    type_tokens: int = 1200
    """The same for a type, whose fields are often the best description of a program."""


DEFAULT = BackboneSettings()


def score_backbone(
    items: WeighedItems, settings: BackboneSettings = DEFAULT
) -> Mapping[int, Mapping[int, float]]:
    """Return the public definitions that most other files of code use, by item and part.

    The number of each is that of the files that use it, relative to the one that is used most.
    """
    code = [
        at
        for at, (one, split) in enumerate(items)
        if split.parts and one.item.kind == "file" and place_of(one.item.path) is FilePlace.CODE
    ]
    users: Counter[str] = Counter()
    places: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for at in code:
        parts = items[at][1].parts
        defined = {part.name for part in parts if part.name and "." not in part.name}
        users.update({ref.rpartition(".")[2] for part in parts for ref in part.refs} - defined)
        for number, part in enumerate(parts):
            if part.name in defined and not part.name.startswith("_"):
                places[part.name].append((at, number))
    found: list[tuple[float, int, int]] = []
    for name, where in places.items():
        for at, number in where if len(where) <= settings.places else ():
            part = items[at][1].parts[number]
            is_function = part.kind in _FUNCTIONS
            most = settings.function_tokens if is_function else settings.type_tokens
            if users[name] and part.tokens <= most:
                found.append((users[name] * (settings.of_function if is_function else 1.0), at, number))
    taken: Counter[int] = Counter()
    chosen: list[tuple[float, int, int]] = []
    for worth, at, number in sorted(found, key=lambda one: (-one[0], one[1:])):
        if taken[at] < settings.most_of_file and len(chosen) < settings.most:
            taken[at] += 1
            chosen.append((worth, at, number))
    scores: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for worth, at, number in chosen:
        scores[at][number] = worth / chosen[0][0]
    return scores
