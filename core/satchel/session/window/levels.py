"""The level of each thing of a session: soft shares for each kind, and nothing flaps.

A short budget takes from the kind that is furthest above its share, the lowest standing first, one
level at a time; regained room goes to the highest standing, but only if 5 % stay free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

SHARES: Mapping[str, float] = MappingProxyType(
    {"files": 0.60, "terminal": 0.20, "diffs": 0.15, "tasks": 0.05}
)
"""Shares of CONTEXT; unused tokens of one kind go to others."""
HYSTERESIS = 0.05
"""A kind gives way only if it is this far above its share; a level rises only if this much stays free."""


class Shown(NamedTuple):
    """One thing that a window may show, at one of several levels."""

    id: str
    kind: str
    """A key of `SHARES`."""
    texts: tuple[str, ...]
    """From most to least; below the last, nothing is shown."""
    tokens: tuple[int, ...]
    standing: float
    """0..1: its importance beside the others."""
    floor: int = 0
    """Its highest level: for an output, that of its age."""
    path: str = ""
    """The file whose changes it shows."""

    def cost(self, level: int) -> int:
        """Return the tokens of a level, 0 below the last."""
        return self.tokens[level] if level < len(self.tokens) else 0


def settle_levels(shown: Sequence[Shown], cap: int, before: Mapping[str, int]) -> dict[str, int]:
    """Return the level of each thing, by id; together they cost at most `cap` tokens.

    Args:
        shown: the things.
        cap: most tokens.
        before: the levels of the last window; new things begin at their highest.
    """
    levels = {one.id: min(max(before.get(one.id, 0), one.floor), len(one.texts)) for one in shown}
    _demote(shown, levels, cap)
    _promote(shown, levels, cap)
    return levels


def fill_levels(shown: Sequence[Shown], cap: int, levels: Mapping[str, int]) -> dict[str, int]:
    """Return levels raised above the limit of age, the highest standing first, as far as `cap` goes."""
    raised = dict(levels)
    left = int(cap * (1 - HYSTERESIS)) - sum(one.cost(raised[one.id]) for one in shown)
    for one in sorted(shown, key=lambda one: (-one.standing, one.id)):
        for level in range(raised[one.id]):
            gain = one.cost(level) - one.cost(raised[one.id])
            if gain <= left:
                raised[one.id], left = level, left - gain
                break
    return raised


def _spent(shown: Sequence[Shown], levels: Mapping[str, int]) -> dict[str, int]:
    spent: dict[str, int] = {}
    for one in shown:
        spent[one.kind] = spent.get(one.kind, 0) + one.cost(levels[one.id])
    return spent


def _divide(kinds: Mapping[str, int], cap: int) -> dict[str, float]:
    """Return the tokens of each kind: the shares of the present kinds, scaled to `cap`."""
    whole = sum(SHARES.get(kind, 0.0) for kind in kinds) or 1.0
    return {kind: cap * SHARES.get(kind, 0.0) / whole for kind in kinds}


def _demote(shown: Sequence[Shown], levels: dict[str, int], cap: int) -> None:
    """Take one level at a time until all fit."""
    spent = _spent(shown, levels)
    allowed = _divide(spent, cap)
    waiting = sorted(shown, key=lambda one: (one.standing, one.id))
    while sum(spent.values()) > cap:
        over = {kind: spent[kind] / max(1.0, allowed[kind] * (1 + HYSTERESIS)) for kind in spent}
        kind = max((kind for kind in over if spent[kind]), key=lambda kind: (over[kind], kind))
        one = _lowest(waiting, levels, kind)
        spent[kind] -= one.cost(levels[one.id]) - one.cost(levels[one.id] + 1)
        levels[one.id] += 1


def _lowest(waiting: Sequence[Shown], levels: Mapping[str, int], kind: str) -> Shown:
    """Return the thing whose level goes down: the one that costs most for its standing."""
    mine = [one for one in waiting if one.kind == kind and one.cost(levels[one.id])]
    return min(mine, key=lambda one: (-one.cost(levels[one.id]) * (1.0 - one.standing), one.standing, one.id))


def _promote(shown: Sequence[Shown], levels: dict[str, int], cap: int) -> None:
    """Raise levels again, the highest standing first, as far as 5 % stay free."""
    spent = _spent(shown, levels)
    total, room = sum(spent.values()), cap * (1 - HYSTERESIS)
    for one in sorted(shown, key=lambda one: (-one.standing, one.id)):
        while levels[one.id] > one.floor:
            gain = one.cost(levels[one.id] - 1) - one.cost(levels[one.id])
            if total + gain > room:
                break
            levels[one.id] -= 1
            total += gain
