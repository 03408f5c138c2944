"""Show whole, or leave out of a pack, what stands beside the files and would only be named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from satchel.packing.ladders import ItemLadder

ASIDE = frozenset({"blame", "commit", "dependency", "environment", "status", "tasks", "tree"})
"""Kinds of items that stand beside the files: a name of one tells nothing, and nobody opens it."""
_SHARE = 8
"""The part of the free tokens that one of them may take."""

Kept = tuple[ItemLadder, int]
"""An item and the option of it that is shown."""


class Trimmed(NamedTuple):
    """What a pack keeps after all, and what it leaves out."""

    kept: tuple[Kept, ...]
    gone: tuple[ItemLadder, ...]
    tokens: int
    """Tokens that were added; below 0 where more was taken away."""


def trim(kept: Sequence[Kept], free: int) -> Trimmed:
    """Show whole what stands beside the files and was only to be named, or leave it out for want of room."""
    settled: list[Kept] = []
    gone: list[ItemLadder] = []
    tokens = 0
    for ladder, option in kept:
        cost, chosen = ladder.options[option].tokens, option
        if option == 0 and ladder.item.kind in ASIDE and not ladder.item.note:
            chosen = len(ladder.options) - 1
            if not chosen or _SHARE * (ladder.options[chosen].tokens - cost) > free - tokens:
                chosen = -1
        tokens += (ladder.options[chosen].tokens if chosen >= 0 else 0) - cost
        if chosen < 0:
            gone.append(ladder)
        else:
            settled.append((ladder, chosen))
    return Trimmed(tuple(settled), tuple(gone), tokens)
