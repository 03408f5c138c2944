"""Cut one output to a budget: all that may be shown of it, else what small budgets take first."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from satchel.terminal.choosing import order, target
from satchel.terminal.choosing.entries import Entries
from satchel.terminal.choosing.layout import Layout
from satchel.terminal.choosing.marks import BARE, FULL, RANGED, STYLES, Gap, Marks
from satchel.terminal.choosing.names import names
from satchel.terminal.choosing.spending import Spending
from satchel.terminal.choosing.stepping import likely, stepped
from satchel.terminal.folding import Folded, Kept
from satchel.tokens.guessing import guess

Count = Callable[[str], int]
"""Counts the tokens of a text exactly."""
_FRAME, _MARK = 18, 3
"""Tokens of the line that ends what is cut, and of half the marks around a line."""
_CHEAP, _PER_DOUBLING, _DEAR = 12, 3.0, 9.0
"""A line of more tokens than this loses value for each doubling, up to so much."""
_AGAIN = 15.0
"""What a line loses that stands elsewhere word for word."""
_SURE, _SLACK = 2.5, 1.05
"""A guess this many times smaller than its limit needs no count; how far sums of counts can be wrong."""
_TOO_MUCH = 2.5
"""Times the budget, from which what is guessed is not counted."""
_MOST_GUESSED = 60_000
_SHORT_MARKS = 120
"""Budgets up to here are for lines; in larger ones lines give way to marks that tell which are missing."""


class Shown(NamedTuple):
    """What is shown of an output."""

    text: str
    tokens: int
    """Exact where they came near the budget, else a guess."""
    gaps: tuple[Gap, ...]
    pointer: str


class Cut:
    """One output, and what it costs to show more or less of it."""

    def __init__(
        self,
        folded: Folded,
        templates: Sequence[str],
        values: Sequence[float],
        *,
        tokens: int,
        count: Count,
    ) -> None:
        """Take the lines with their templates and values, a guess of the tokens of the whole output."""
        self._lines, self._count = folded.total, count
        named = names(folded, values)
        likelier = (
            likely(worth, line.family.judgement.rank)
            for worth, line in zip(values, folded.lines, strict=True)
        )
        self._values = [*likelier, *(name.worth for name in named)]
        self._entries = Entries(folded.lines, named, count, long=folded.long)
        self._layout = layout = Layout(folded, templates, self._entries)
        costs = [*(cost + _MARK for cost in layout.costs), *(name.cost for name in named)]
        worths = [
            0.0 if silent else _dear(worth, cost)
            for worth, cost, silent in zip(values, layout.costs, layout.silent, strict=True)
        ]
        _lower_repeated(folded.lines, worths)
        worths += [name.worth for name in named]
        texts = [line.text for line in folded.lines]
        self._best = order(worths, costs, aim=target(tokens), frame=_FRAME, texts=texts)

    def everything(self) -> str:
        """Return all that may be shown."""
        return self._layout.text(self._best)

    def has_gaps(self) -> bool:
        """Whether there is more than may be shown."""
        return self._layout.has_gaps(self._best)

    def within(self, budget: int, *, exit_code: int | None, hash_: str) -> Shown:
        """Return the most that fits; `hash_` is the archived output's, "" where there is none."""
        show = _Showing(self._layout, self._lines, self._count, budget, exit_code, hash_)
        chosen: Sequence[int] = self._best
        if self._layout.total(chosen) > _TOO_MUCH * budget or not show.fits(chosen, RANGED):
            chosen = self._ranged(show, self._first(budget))
        shown = (show(chosen, marks) for marks in STYLES)
        return next((one for one in shown if one.tokens <= budget), nothing(self._lines, hash_))

    def _ranged(self, show: _Showing, order: Sequence[int]) -> Sequence[int]:
        """Return what fits with marks that tell which lines are missing; at least what small budgets show."""
        most = self._fitting(show, order, BARE)
        if show.budget <= _SHORT_MARKS:
            return most
        ranged = self._fitting(show, most, RANGED)
        if len(ranged) == len(most):
            return most
        least = self._fitting(show._replace(budget=_SHORT_MARKS), self._first(_SHORT_MARKS), BARE)
        return max(ranged, least, key=len)

    def _fitting(self, show: _Showing, order: Sequence[int], marks: Marks) -> Sequence[int]:
        """Return as many of the first lines as fit."""
        while order and not show.fits(order, marks):
            order = order[:-1]
        return order

    def _first(self, budget: int) -> list[int]:
        """Return what is shown first, of about as many tokens as the budget has."""
        spending = Spending(self._layout, self._entries, frame=_FRAME)
        steps = stepped(self._best, self._values, self._entries, spending)
        fitting = itertools.takewhile(lambda step: step[1] <= budget * _SLACK + _MARK, steps)
        return [entry for entry, _ in fitting]


class _Showing(NamedTuple):
    """What stays the same while more or less of an output is shown."""

    layout: Layout
    lines: int
    tokens_of: Count
    budget: int
    exit_code: int | None
    hash_: str

    def __call__(self, chosen: Sequence[int], marks: Marks) -> Shown:
        """Return these lines and names with their marks, and what they cost."""
        text, gaps = self.layout.text(chosen, marks), tuple(self.layout.gaps(chosen))
        if any(gap.lines for gap in gaps):
            text += marks.last(self.exit_code, self.lines, self.hash_)
        return Shown(text, self._tokens(text), gaps, marks.pointer(self.hash_) if gaps else "")

    def fits(self, chosen: Sequence[int], marks: Marks) -> bool:
        """Whether these cost no more than the budget."""
        return self(chosen, marks).tokens <= self.budget

    def _tokens(self, text: str) -> int:
        guessed = guess(text) if len(text) < _MOST_GUESSED else len(text)
        return guessed if guessed * _SURE <= self.budget else self.tokens_of(text)


def nothing(lines: int, hash_: str) -> Shown:
    """Return what is left of so many lines where not even a mark fits: the way to the whole."""
    return Shown("", 0, (Gap(1, lines, lines),) if lines else (), FULL.pointer(hash_))


def _lower_repeated(lines: Sequence[Kept], worths: list[float]) -> None:
    """Lower lines that say word for word what a line worth more says."""
    told: set[str] = set()
    for place in sorted(range(len(worths)), key=lambda at: (-worths[at], at)):
        text = lines[place].text.strip()
        if text in told:
            worths[place] -= _AGAIN
        told.add(text)


def _dear(worth: float, cost: int) -> float:
    """Return what a line is worth beside others: for the same tokens two errors say more than a long one."""
    return worth - min(_DEAR, _PER_DOUBLING * math.log2(max(1.0, cost / _CHEAP)))
