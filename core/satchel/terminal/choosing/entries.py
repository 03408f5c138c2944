"""What may be shown of an output, by number: lines, names, and the cores of lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from satchel.terminal.choosing.forms import core
from satchel.terminal.choosing.names import Name
from satchel.terminal.folding import Kept
from satchel.tokens.guessing import guess

_LESS = 2
"""Tokens that a core must save."""
_REST = 0.05
"""Of the chance that a line tells what is needed, what falls to the part that its core lacks."""


class Entries:
    """Lines have the numbers from 0 up, then names; the core of a line has its number plus `span`."""

    def __init__(
        self,
        lines: Sequence[Kept],
        names: Sequence[Name],
        count: Callable[[str], int],
        *,
        long: Collection[int] = (),
    ) -> None:
        """Take what may be shown, what counts tokens, and the numbers of the lines that are in pieces."""
        self.lines, self.names = lines, names
        self._long = long
        self.span = len(lines) + len(names)
        self._count = count
        self._cores: dict[int, str] = {}
        self._tokens: dict[int, int] = {}
        self._guesses: dict[int, int] = {}

    def text(self, entry: int) -> str:
        """Return what an entry shows."""
        if entry >= self.span:
            return self._core(entry - self.span)
        return self.lines[entry].text if self.is_line(entry) else self.names[entry - len(self.lines)].text

    def is_line(self, entry: int) -> bool:
        """Whether an entry is a line or the core of one."""
        return entry % self.span < len(self.lines)

    def shortest(self, entry: int) -> int:
        """Return the core of a line that has one, else the entry itself."""
        return entry + self.span if entry < len(self.lines) and self._core(entry) else entry

    def rest(self, entry: int) -> int | None:
        """Return the whole line of a core."""
        return entry - self.span if entry >= self.span else None

    def share(self, entry: int) -> float:
        """Return how much of a line's chance an entry has that is added to what is shown of it."""
        return _REST if self.shortest(entry) != entry else 1.0

    def is_piece(self, place: int) -> bool:
        """Whether a line is a piece of a very long one."""
        line = self.lines[place]
        return line.start > 0 or line.number in self._long

    def rough(self, entry: int) -> int:
        """Guess the tokens of an entry, of a whole line those that its core lacks."""
        known = self._guesses.get(entry)
        if known is None:
            known = self._guesses[entry] = self._added(entry, lambda one: guess(self.text(one)))
        return known

    def tokens(self, entry: int) -> int:
        """Return the same, counted."""
        return self._added(entry, self._counted)

    def _added(self, entry: int, count: Callable[[int], int]) -> int:
        below = self.shortest(entry)
        return max(1, count(entry) - (count(below) if below != entry and entry < self.span else 0))

    def _counted(self, entry: int) -> int:
        known = self._tokens.get(entry)
        if known is None:
            line = self.is_line(entry)
            known = self._count(f"{self.text(entry)}\n" if line else f" {self.text(entry)}")
            self._tokens[entry] = known
        return known

    def _core(self, place: int) -> str:
        known = self._cores.get(place)
        if known is None:
            text = self.lines[place].text
            short = "" if self.is_piece(place) else core(text)
            known = self._cores[place] = short if short and guess(short) + _LESS <= guess(text) else ""
        return known
