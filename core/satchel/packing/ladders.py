"""Ladders: each item's chain of increments, from its address line to the whole text.

The first step opens the item, then heads and bodies of its parts follow in the order of worth per
token. Every prefix of the chain is an option with its exact tokens, so a packer only picks lengths.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from satchel.items import ContextItem, Level, Option
from satchel.packing.features import Chances
from satchel.packing.scoring import Scored
from satchel.parts import NO_LINES, Split

BEST_POWER = 0.45
"""Of the chance of the item's best part: one good part is worth more than the same in many small shares."""
COUNT_POWER = 0.6
"""Of the number of its parts, each of which has a chance that falls with that number."""
TOKENS_POWER = -0.4
"""Of its tokens: what is large shares words with every task."""
_LEAST_RELEVANCE = 0.02
"""Added to what its provider says it is: tests and documents are read after the code, but in an order."""


def precedences(
    scored: Sequence[Scored], saliences: Sequence[float], chances: Chances
) -> Mapping[str, float]:
    """Return by item id how early each item stands, the larger the earlier, up to a common factor.

    `saliences` are those of the items and `chances` those of their parts, both corrected.
    """
    return {
        one.item.id: _precedence(one, salience, mine)
        for one, salience, mine in zip(scored, saliences, chances, strict=True)
    }


def _precedence(one: Scored, salience: float, chances: Sequence[float]) -> float:
    if not one.parts:
        return 0.0
    tokens = 1 + sum(part.tokens for part in one.parts)
    return float(
        salience
        * max(chances) ** BEST_POWER
        * len(one.parts) ** COUNT_POWER
        * tokens**TOKENS_POWER
        * (one.item.relevance + _LEAST_RELEVANCE)
    )


_POINTER_SHARE = 0.02
"""Worth of an address line beside that of opening the item."""


class Step(NamedTuple):
    """Show a part's body, or only its head."""

    part: int
    body: bool


class Frame(NamedTuple):
    """What showing an item costs beside its parts, in tokens of the form it is rendered in."""

    pointer: int
    """The address line, shown alone."""
    around: int
    """The lines that open and close the item."""
    first_mark: bool = False
    """Whether the form gives a mark line even to a text that starts at line 1."""


class Appraisal(NamedTuple):
    """What an item's parts are worth: bodies, heads, and opening it at all."""

    bodies: Sequence[float]
    heads: Sequence[float]
    opening: float


class Ladder(NamedTuple):
    """An item's options: the first is its address line, option n shows the first n steps."""

    item: ContextItem
    split: Split
    steps: tuple[Step, ...]
    options: tuple[Option, ...]
    floor: int = 0
    """Where something is pinned, the first option that shows all of it."""

    def shown(self, option: int) -> dict[int, bool]:
        """Return the parts that an option shows, in order: part number -> whether its body."""
        shown: dict[int, bool] = {}
        for step in self.steps[:option]:
            shown[step.part] = step.body or shown.get(step.part, False)
        return dict(sorted(shown.items()))


class _Sheet:
    """What is shown so far, and what one more step would add to it in tokens and worth.

    Flat lists, each changed where a step changes it: a pack asks tens of thousands of times. A step is a
    number here, twice its part's and 1 for the body, so that of equals the first comes first.
    """

    def __init__(self, split: Split, frame: Frame, appraisal: Appraisal) -> None:
        parts = split.parts
        self.is_shown = [False] * len(parts)
        self.has_head = [False] * len(parts)
        self.bodies, self.heads = appraisal.bodies, appraisal.heads
        self.head_tokens = [part.head_tokens for part in parts]
        self.joins = [part.joined_tokens - part.mark_tokens - part.tokens for part in parts]
        """What a body costs more, or less, behind the one before it."""
        self.costs = [part.mark_tokens + part.tokens for part in parts]
        if parts and not frame.first_mark:
            self.costs[0] = parts[0].tokens
        self.gains = [body + head for body, head in zip(self.bodies, self.heads, strict=True)]
        self.bodies_left = len(parts)
        self.heads_left = sum([part.head != NO_LINES for part in parts])

    def density(self, step: int) -> float:
        """Return the worth that a step adds for each token."""
        at = step >> 1
        if step & 1:
            cost = self.costs[at]
            return self.gains[at] / (cost if cost > 1 else 1)
        return self.heads[at] / max(self.head_tokens[at], 1)

    def is_open(self, step: int) -> bool:
        """Whether a step still adds something."""
        return not self.is_shown[step >> 1]

    def show(self, step: int) -> tuple[int, float]:
        """Take a step; return the exact tokens and the worth that it adds, a body's head too."""
        at = step >> 1
        if not step & 1:
            self.has_head[at] = True
            self.heads_left -= 1
            self.costs[at] -= self.head_tokens[at]
            self.gains[at] = self.bodies[at]
            return self.head_tokens[at], self.heads[at]
        self.is_shown[at] = True
        self.bodies_left -= 1
        if at:  # marks between neighbours fall away
            self.costs[at - 1] += self.joins[at]
        if at + 1 < len(self.costs):
            self.costs[at + 1] += self.joins[at + 1]
        return self.costs[at], self.gains[at]

    def level(self) -> Level:
        """Name what is shown so far."""
        if not self.bodies_left:
            return Level.FULL
        if self.bodies_left < len(self.is_shown):
            return Level.EXCERPT
        return Level.SYMBOLS if not self.heads_left else Level.HEADERS


def build(
    item: ContextItem, split: Split, appraisal: Appraisal, *, frame: Frame, pinned: Collection[int] = ()
) -> Ladder:
    """Build the ladder of an item; the bodies of `pinned` parts come first."""
    sheet = _Sheet(split, frame, appraisal)
    pointer = Option(Level.POINTER, frame.pointer, _POINTER_SHARE * appraisal.opening)
    steps: list[Step] = []
    options = [pointer]
    tokens, worth = frame.around, appraisal.opening
    for step in _ordered(sheet, sorted(pinned)):
        more, gain = sheet.show(step)
        tokens += more
        worth += gain
        steps.append(Step(step >> 1, bool(step & 1)))
        options.append(Option(sheet.level(), tokens, worth))
    return Ladder(item, split, tuple(steps), tuple(options), floor=len(pinned))


def _ordered(sheet: _Sheet, pinned: Sequence[int]) -> Iterator[int]:
    """Yield the steps in order of density as it is when each is taken (the caller shows each)."""
    yield from (2 * at + 1 for at in pinned)
    density = sheet.density
    heads = [2 * at for at, head in enumerate(sheet.heads) if head > 0]
    heap = [(-density(step), step) for step in (*range(1, 2 * len(sheet.costs), 2), *heads)]
    heapq.heapify(heap)
    while heap:
        was, step = heapq.heappop(heap)
        if not sheet.is_open(step):
            continue
        now = -density(step)
        if now != was and heap and now > heap[0][0]:
            heapq.heappush(heap, (now, step))
            continue
        yield step
