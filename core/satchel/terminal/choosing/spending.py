"""What lines and names cost together, with the marks between them, as one after the other is added."""

from __future__ import annotations

import bisect

from satchel.terminal.choosing.entries import Entries
from satchel.terminal.choosing.layout import Layout

_NAMES = 3
"""Tokens around names."""


class Spending:
    """Knows what is placed so far and its tokens in all."""

    def __init__(self, layout: Layout, entries: Entries, *, frame: int) -> None:
        """Begin with what showing nothing costs: `frame` tokens and the mark of one gap."""
        self._layout, self._entries = layout, entries
        self._end = len(entries.lines)
        self._placed: list[int] = []
        self._is_named = False
        self.total = layout.cost(-1, self._end) + frame

    def more(self, entry: int) -> int:
        """Return what one more line or name costs; less than nothing where it closes a gap."""
        return self._entries.tokens(entry) + self._marks(entry)

    def rough(self, entry: int) -> int:
        """Guess the same, quickly."""
        return self._entries.rough(entry) + self._marks(entry)

    def add(self, entry: int) -> int:
        """Add a line or a name; return what all cost now."""
        self.total += self.more(entry)
        place = entry % self._entries.span
        if place >= self._end:
            self._is_named = True
            return self.total
        at = bisect.bisect_left(self._placed, place)
        if self._placed[at : at + 1] != [place]:
            self._placed.insert(at, place)
        return self.total

    def _marks(self, entry: int) -> int:
        """Return what the marks around an entry cost more than the one that it takes the place of."""
        place = entry % self._entries.span
        if place >= self._end:
            return 0 if self._is_named else _NAMES
        at = bisect.bisect_left(self._placed, place)
        after = self._placed[at] if at < len(self._placed) else self._end
        if after == place:
            return 0
        before = self._placed[at - 1] if at else -1
        cost = self._layout.cost
        return cost(before, place) + cost(place, after) - cost(before, after)
