"""What options of different candidates share is worth something only once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from satchel.packing import part_worths, shared_parts
from satchel_plugins.packers.ladders import Ladder

ROUNDING = 1e-12
"""A gain below this share of an option's worth is what rounding left of none."""

Change = tuple[str, float]
"""A shared part that a rung shows and the rung below does not, with its worth.

The worth is negative where the rung below shows it and this one does not.
"""


@attrs.define(eq=False, repr=False)
class Sharing:
    """Which shared parts are shown, and by which ladders."""

    changes: Mapping[int, Sequence[Sequence[Change]]]
    """For each ladder with shared parts, by rank: the changes at each rung."""
    shown: dict[str, dict[int, float]]

    def show(self, rank: int, below: int, at: int) -> None:
        """Note that the ladder went from the rung `below` to the rung `at`."""
        for changes in self.changes.get(rank, ())[below + 1 : at + 1]:
            for part, worth in changes:
                self._turn(part, rank, worth)

    def renews(self, rank: int, ladder: Ladder) -> bool:
        """Value the ladder's rungs anew, beside what the others show; say whether it shares anything."""
        if rank not in self.changes:
            return False
        before, worths = 0.0, [0.0]
        for option, changes in zip(ladder.candidate.options, self.changes[rank][1:], strict=True):
            gain = option.worth - before - sum(self._again(rank, change) for change in changes)
            worths.append(worths[-1] + (gain if abs(gain) > ROUNDING * option.worth else 0.0))
            before = option.worth
        ladder.value(worths, factor=ladder.factor)
        return True

    def _turn(self, part: str, rank: int, worth: float) -> None:
        if worth < 0:
            self.shown[part].pop(rank, None)
        else:
            self.shown[part][rank] = worth

    def _again(self, rank: int, change: Change) -> float:
        """Return how much of a part's worth the others show already."""
        part, worth = change
        others = max((w for holder, w in self.shown[part].items() if holder != rank), default=0.0)
        return min(worth, others) if worth >= 0 else -min(-worth, others)


def sharing(ladders: Sequence[Ladder]) -> Sharing:
    """Return what the ladders share; empty, at little cost, where they share nothing."""
    shared = shared_parts(ladder.candidate for ladder in ladders)
    if not shared:
        return Sharing({}, {})
    changes = {
        rank: _changes(ladder, shared)
        for rank, ladder in enumerate(ladders)
        if any(not shared.isdisjoint(option.covers) for option in ladder.candidate.options)
    }
    result = Sharing(changes, {part: {} for part in sorted(shared)})
    for rank in changes:
        result.show(rank, 0, ladders[rank].at)
    return result


def _changes(ladder: Ladder, shared: frozenset[str]) -> list[list[Change]]:
    worths = part_worths(ladder.candidate)
    below: frozenset[str] = frozenset()
    rungs: list[list[Change]] = [[]]
    for option in ladder.candidate.options:
        covers = option.covers & shared & worths.keys()
        lost = [(part, -worths[part]) for part in sorted(below - covers)]
        rungs.append(lost + [(part, worths[part]) for part in sorted(covers - below)])
        below = covers
    return rungs
