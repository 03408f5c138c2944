"""Ladders: each item's chain of increments, from its address line to the whole text.

The first step opens the item, then heads and bodies of its parts follow in the order of worth per
token. Every prefix of the chain is an option with its exact tokens, so a packer only picks lengths.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from satchel.items import ContextItem, Level, Option
from satchel.parts import NO_LINES, Split

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
    """What is shown so far, and what one more step would add to it in tokens and worth."""

    def __init__(self, split: Split, frame: Frame, appraisal: Appraisal) -> None:
        self.parts = split.parts
        self.frame = frame
        self.appraisal = appraisal
        self.body = [False] * len(split.parts)
        self.head = [False] * len(split.parts)
        self.bodies_left = len(split.parts)
        self.heads_left = sum(part.head != NO_LINES for part in split.parts)

    def tokens(self, step: Step) -> int:
        """Return the exact tokens that a step adds; marks between neighbours fall away."""
        at, part = step.part, self.parts[step.part]
        if not step.body:
            return part.head_tokens
        follows = self.body[at - 1] if at else not self.frame.first_mark
        added = (part.joined_tokens if at else part.tokens) if follows else part.mark_tokens + part.tokens
        if self.head[at]:
            added -= part.head_tokens
        if at + 1 < len(self.parts) and self.body[at + 1]:
            after = self.parts[at + 1]
            added += after.joined_tokens - after.mark_tokens - after.tokens
        return added

    def worth(self, step: Step) -> float:
        """Return the worth that a step adds; a body shows its head too."""
        if not step.body:
            return self.appraisal.heads[step.part]
        shown = self.head[step.part]
        return self.appraisal.bodies[step.part] + (0.0 if shown else self.appraisal.heads[step.part])

    def density(self, step: Step) -> float:
        return self.worth(step) / max(self.tokens(step), 1)

    def is_open(self, step: Step) -> bool:
        """Whether a step still adds something."""
        return not self.body[step.part] and (step.body or not self.head[step.part])

    def show(self, step: Step) -> None:
        if step.body:
            self.body[step.part] = True
            self.bodies_left -= 1
        else:
            self.head[step.part] = True
            self.heads_left -= 1

    def level(self) -> Level:
        """Name what is shown so far."""
        if not self.bodies_left:
            return Level.FULL
        if self.bodies_left < len(self.parts):
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
        tokens += sheet.tokens(step)
        worth += sheet.worth(step)
        sheet.show(step)
        steps.append(step)
        options.append(Option(sheet.level(), tokens, worth))
    return Ladder(item, split, tuple(steps), tuple(options), floor=len(pinned))


def _ordered(sheet: _Sheet, pinned: Sequence[int]) -> Iterator[Step]:
    """Yield the steps in order of density as it is when each is taken (the caller shows each)."""
    yield from (Step(at, body=True) for at in pinned)
    steps = [Step(at, body) for at in range(len(sheet.parts)) for body in (True, False)]
    heap = [
        (-sheet.density(step), step) for step in steps if step.body or sheet.appraisal.heads[step.part] > 0
    ]
    heapq.heapify(heap)
    while heap:
        _, step = heapq.heappop(heap)
        if not sheet.is_open(step):
            continue
        density = sheet.density(step)
        if heap and -density > heap[0][0]:
            heapq.heappush(heap, (-density, step))
            continue
        yield step
