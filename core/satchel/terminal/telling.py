"""The lines of an output that squeezing would show, by number, for who shows them in another form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from satchel.terminal.choosing import WHOLE_TOKENS, order, target
from satchel.terminal.folding import Folder, Kept
from satchel.terminal.judging import Rank
from satchel.terminal.squeezing import whole_lines
from satchel.terminal.valuing import value
from satchel.tokens.guessing import guess


class Told(NamedTuple):
    """A line that matters."""

    number: int
    """From 1."""
    rank: Rank
    worth: float
    """0 to 80 or so, higher is shown first."""
    spent: int
    """Tokens of the lines that are shown before this one, and its own."""


def telling(text: str, *, tokens: int) -> list[Told]:
    """Return the lines of an output that matter most, in their order, of about so many tokens in all.

    Nothing is hidden, archived or marked here, and no plugin is asked: the text must be free of secrets.
    """
    folder = Folder()
    for piece in whole_lines([text.encode("utf-8", "replace")]):
        folder.feed(piece.removesuffix("\n").split("\n"))
    folded = folder.folded()
    values = value(folded, folded.templates())
    costs = [guess(line.text) for line in folded.lines]
    best = order(values, costs, aim=target(max(sum(costs), WHOLE_TOKENS + 1)), frame=0)
    spent = dict(_within(best, costs, tokens))
    return list(_once((folded.lines[at], values[at], spent[at]) for at in sorted(spent)))


def _within(best: Sequence[int], costs: Sequence[int], tokens: int) -> Iterator[tuple[int, int]]:
    """Yield the places of the best lines, each with what all up to it cost."""
    spent = 0
    for place in best:
        spent += costs[place]
        if spent > tokens:
            return
        yield place, spent


def _once(lines: Iterator[tuple[Kept, float, int]]) -> Iterator[Told]:
    """Yield each line once, though several pieces of a very long one matter."""
    last = 0
    for line, worth, spent in lines:
        if line.number != last:
            yield Told(line.number, line.family.judgement.rank, worth, spent)
        last = line.number
