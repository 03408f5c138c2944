"""Leave out of a pack what would only be named, or shown by the head of a type: neither tells anything."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from satchel.packing.ladders import ItemLadder

ASIDE = frozenset({"blame", "commit", "dependency", "environment", "status", "tasks", "tree"})
"""Kinds of items that stand beside the files: a name of one tells nothing, and nobody opens it."""
_SHARE = 8
"""The part of the free tokens that one of them may take."""
_TYPES = frozenset(
    "class interface struct enum trait object protocol impl extension module namespace record type".split()  # noqa: SIM905
)
_MOST_LINES = 2
"""Lines of the head of a type that says no more than its name."""
_BEST = 3
"""Items that are shown first; they stay however little is shown of them."""

Kept = tuple[ItemLadder, int]
"""An item and the option of it that is shown."""


class Trimmed(NamedTuple):
    """What a pack keeps after all, and what it leaves out."""

    kept: tuple[Kept, ...]
    gone: tuple[ItemLadder, ...]
    tokens: int
    """Tokens that were added; below 0 where more was taken away."""


def trim(kept: Sequence[Kept], free: int, *, named: Collection[str] | None) -> Trimmed:
    """Show whole what stands beside the files and was only to be named, or leave it out where room is short.

    Files after the best ones of which only the head of one type is shown are left out too, but for those of
    `named` paths; None leaves them all.
    """
    settled: list[Kept] = []
    gone: list[ItemLadder] = []
    tokens = 0
    for at, (ladder, option) in enumerate(kept):
        cost, chosen = ladder.options[option].tokens, option
        if option == 0 and ladder.item.kind in ASIDE and not ladder.item.note:
            chosen = len(ladder.options) - 1
            if not chosen or _SHARE * (ladder.options[chosen].tokens - cost) > free - tokens:
                chosen = -1
        elif named is not None and at >= _BEST and ladder.item.path not in named:
            chosen = -1 if _is_bare_type(ladder, option) else option
        tokens += (ladder.options[chosen].tokens if chosen >= 0 else 0) - cost
        if chosen < 0:
            gone.append(ladder)
        else:
            settled.append((ladder, chosen))
    return Trimmed(tuple(settled), tuple(gone), tokens)


def _is_bare_type(ladder: ItemLadder, option: int) -> bool:
    """Tell whether an option shows nothing but the head of a class, a module or the like."""
    shown = ladder.parts_in(option) if option and ladder.item.kind == "file" else {}
    if len(shown) != 1 or len(ladder.split.parts) == 1:
        return False
    [(at, is_body)] = shown.items()
    part = ladder.split.parts[at]
    first, last = part.lines if is_body else part.head
    return part.kind in _TYPES and last - first < _MOST_LINES
