"""Find files that only declare what others define: type stubs, headers, declarations for another language."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.packing.weighing.backbone import TYPES, find_code
from satchel.packing.weighing.chances import WeighedItems
from satchel.patterns import lazily
from satchel.questions import Aim, Question

_BELOW = 0.7
"""What the best of a file that declares scores at most, relative to the best of that which defines."""
_LEAST = 0.5
"""Factor by which its scores are lowered at most: the one that defines may not answer at all."""
_DECLARING = lazily(r"\.(d\.[cm]?ts|pyi|rbi|mli|fsi|(?P<header>h|hh|hpp|hxx))$")
"""Endings of files that say what there is and not how it is done."""


def find_declaring(
    items: WeighedItems, scores: Sequence[Sequence[float]], question: Question
) -> dict[int, list[float]]:
    """Return factors for the parts of files that declare what others of their name define, by item.

    By them these come after what they declare, for who asks where something is or how it works. In a header,
    types are defined and not declared: their factor is 1.
    """
    if {Aim.WHERE, Aim.EXPLAIN}.isdisjoint(question.aims):
        return {}
    defined: dict[str, float] = {}
    declaring: dict[int, tuple[str, bool]] = {}
    for at in find_code(items):
        name = items[at][0].item.path.rpartition("/")[2]
        if found := _DECLARING.search(name):
            declaring[at] = name[: found.start()], found["header"] is not None
        else:
            own = name.rpartition(".")[0]
            defined[own] = max(defined.get(own, 0.0), *scores[at])
    factors = {}
    for at, (name, is_header) in declaring.items():
        highest = max(scores[at])
        if highest and defined.get(name):
            factor = min(1.0, max(_BELOW * defined[name] / highest, _LEAST))
            factors[at] = [1.0 if is_header and part.kind in TYPES else factor for part in items[at][1].parts]
    return factors
