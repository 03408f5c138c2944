"""Build each item's ladder: a chain of steps from its address line to the full text.

The first step opens the item, then heads and bodies of its parts follow in order of worth per token.
Every prefix of the chain is an option with exact tokens, so a packer only chooses lengths.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from satchel.items import ContextItem, Level, Option
from satchel.packing.scoring import Scored
from satchel.packing.weighing.chances import Chances
from satchel.parts import NO_LINES, Part, SplitItem
from satchel.selecting import LazyGreedy

BEST_POWER = 0.45
"""Power of the best part's chance: one good part is worth more than many small shares."""
COUNT_POWER = 0.6
"""Power of the number of parts, since each part's chance falls with that number."""
TOKENS_POWER = -0.4
"""Power of its tokens: large files share words with every task."""
_LEAST_RELEVANCE = 0.02
"""Added to the provider's relevance, so that tests and documents after the code are ordered too."""


def precedences(
    scored: Sequence[Scored], saliences: Sequence[float], chances: Chances
) -> Mapping[str, float]:
    """Return each item's precedence by id, up to a common factor; larger values come earlier.

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


_LONGEST_BARE_HEAD = 12
"""Most lines of a head that is a part of its own; a longer part without a head has more than that."""
_MOST_LINES, _MOST_FIELDS = 2, 6
"""Most lines of an enclosing part that say no more than its name; the second is for a file to be changed."""
_POINTER_SHARE = 0.02
"""Worth of an address line relative to opening the item."""


class Step(NamedTuple):
    """Show a part's body, or only its head."""

    part: int
    body: bool


class ItemFrame(NamedTuple):
    """The cost of showing an item in addition to its parts, in tokens of the document's form."""

    pointer: int
    """The address line, shown alone."""
    around: int
    """The lines that open and close the item."""
    first_mark: bool = False
    """Whether the form puts a mark line even before line 1."""
    end_mark: int = 0
    """The line that says that the item goes on below its shown lines; not if its last part is shown."""


class Appraisal(NamedTuple):
    """The worths of an item's bodies and heads, and of opening it."""

    bodies: Sequence[float]
    heads: Sequence[float]
    opening: float
    contexts: Sequence[float] = ()
    """The worth that each body lacks while neither neighbour is shown; nothing by default."""


class ItemLadder(NamedTuple):
    """An item's options: first its address line, then option n shows the first n steps, the last one all."""

    item: ContextItem
    split: SplitItem
    steps: tuple[Step, ...]
    options: tuple[Option, ...]
    floor: int = 0
    """The first option that shows everything pinned, if there are pins."""

    def parts_in(self, option: int) -> dict[int, bool]:
        """Return the parts that an option shows, in order: part number -> whether its body."""
        shown: dict[int, bool] = {}
        for step in self.steps if option == len(self.options) - 1 else self.steps[:option]:
            shown[step.part] = step.body or shown.get(step.part, False)
        return dict(sorted(shown.items()))


class _LadderState:
    """The state of a ladder being built, and the tokens and worth that one more step adds.

    Uses flat lists that are updated in place, because a pack queries them tens of thousands of times. A step
    is encoded as twice its part's index, plus 1 for the body, so that ties go to the first.
    """

    def __init__(self, split: SplitItem, frame: ItemFrame, appraisal: Appraisal) -> None:
        parts = split.parts
        self.is_shown = [False] * len(parts)
        self.has_head = [False] * len(parts)
        self.bodies, self.heads = appraisal.bodies, appraisal.heads
        self.head_tokens = [part.head_tokens for part in parts]
        self.is_all_head = [
            part.span != NO_LINES
            and part.head == NO_LINES
            and part.lines[1] - part.lines[0] < _LONGEST_BARE_HEAD
            for part in parts
        ]
        """Whether a part that opens a definition is nothing but its head."""
        self.joins = [part.joined_tokens - part.mark_tokens - part.tokens for part in parts]
        """Extra (or saved) tokens of a body that follows the one before it."""
        self.costs = [part.mark_tokens + part.tokens for part in parts]
        if parts and not frame.first_mark:
            self.costs[0] = parts[0].tokens
        if parts:
            self.costs[-1] -= frame.end_mark
        self.gains = [body + head for body, head in zip(self.bodies, self.heads, strict=True)]
        self.sides = [context / 2 for context in appraisal.contexts] or [0.0] * len(parts)
        """The worth that a body gains with each neighbour that is shown."""
        self.has_sides = any(self.sides)
        for at in range(1, len(parts)):
            self.gains[at] -= self.sides[at]
            self.gains[at - 1] -= self.sides[at - 1]
        self.bodies_left = len(parts)
        self.heads_left = sum([worth > 0 for worth in self.heads])

    def density(self, step: int) -> float | None:
        """Return the worth per token that a step adds, None if it adds nothing any more."""
        at = step >> 1
        if self.is_shown[at]:
            return None
        if step & 1:
            cost = self.costs[at]
            return self.gains[at] / (cost if cost > 1 else 1)
        return None if self.has_head[at] else self.heads[at] / max(self.head_tokens[at], 1)

    def missing_heads(self, enclosing: Sequence[int], at: int) -> list[int]:
        """Return the steps that show the heads around a part that are not shown yet, the outermost first.

        `enclosing` leads from each part to its owner, or from a comment to its definition.
        """
        steps = []
        while (at := enclosing[at]) >= 0:
            if self.is_shown[at] or self.has_head[at]:
                continue
            if self.head_tokens[at] or self.is_all_head[at]:
                steps.append(2 * at + self.is_all_head[at])
        return steps[::-1]

    def show(self, step: int) -> tuple[int, float]:
        """Take a step; return the exact tokens and the worth that it adds; a body includes its head."""
        at = step >> 1
        if not step & 1:
            self.has_head[at] = True
            self.heads_left -= self.heads[at] > 0
            self.costs[at] -= self.head_tokens[at]
            self.gains[at] -= self.heads[at]
            return self.head_tokens[at], self.heads[at]
        self.is_shown[at] = True
        self.bodies_left -= 1
        if at:  # no mark lines between neighbours
            self.costs[at - 1] += self.joins[at]
            self.gains[at - 1] += self.sides[at - 1] + self.sides[at]
        if at + 1 < len(self.costs):
            self.costs[at + 1] += self.joins[at + 1]
            self.gains[at + 1] += self.sides[at + 1] + self.sides[at]
        return self.costs[at], self.gains[at]

    def list_gainers(self, step: int) -> list[int]:
        """Return the steps that are worth more after a step: bodies beside a shown body."""
        if not step & 1 or not self.has_sides:
            return []
        at = step >> 1
        beside = (near for near in (at - 1, at + 1) if 0 <= near < len(self.sides))
        return [
            2 * near + 1 for near in beside if not self.is_shown[near] and self.sides[near] + self.sides[at]
        ]

    def level(self) -> Level:
        """Return the level of the steps so far."""
        if not self.bodies_left:
            return Level.FULL
        if self.bodies_left < len(self.is_shown):
            return Level.EXCERPT
        return Level.SYMBOLS if not self.heads_left else Level.HEADERS


def build(
    item: ContextItem,
    split: SplitItem,
    appraisal: Appraisal,
    *,
    frame: ItemFrame,
    pinned: Collection[int] = (),
    whole: bool = False,
) -> ItemLadder:
    """Build the ladder of an item; the bodies of `pinned` parts come first.

    If `whole`, the last option is the full text, even if the rest of it is worth nothing.
    """
    pointer = Option(Level.POINTER, frame.pointer, _POINTER_SHARE * appraisal.opening)
    if not (pinned or whole or any(appraisal.bodies) or any(appraisal.heads)):  # most items of a question
        return ItemLadder(item, split, (), (pointer,))
    sheet = _LadderState(split, frame, appraisal)
    around, after = _find_enclosing(split.parts), _find_names_in_design(split.parts)
    steps: list[Step] = []
    options = [pointer]
    tokens, worth = frame.around + frame.end_mark, appraisal.opening
    held: float | None = appraisal.opening
    floor = 0
    is_changed = sheet.has_sides and any(part.name and part.kind != "comment" for part in split.parts)
    for count, wanted in enumerate(_order_steps(sheet, sorted(pinned)), start=1):
        described = sheet.missing_heads(after, wanted >> 1)
        for step in (*sheet.missing_heads(around, wanted >> 1), wanted, *described):
            more, gain = sheet.show(step)
            tokens += more
            worth += gain
            steps.append(Step(step >> 1, bool(step & 1)))
            if held is not None:
                part = split.parts[step >> 1]
                held = _hold_back(held, gain, part, is_body=bool(step & 1), is_changed=is_changed)
            held = held if sheet.bodies_left else None
            options.append(Option(sheet.level(), tokens, worth - (held or 0.0)))
        floor = len(steps) if count <= len(pinned) else floor
    if whole and sheet.bodies_left:
        rest = [Step(at, body=True) for at, is_shown in enumerate(sheet.is_shown) if not is_shown]
        tokens += sum(sheet.show(2 * step.part + 1)[0] for step in rest)
        steps += rest
        options.append(Option(Level.FULL, tokens, worth))
    return ItemLadder(item, split, tuple(steps), tuple(options), floor=floor)


def _find_names_in_design(parts: Sequence[Part]) -> list[int]:
    """Return for each part the definition that it is a comment on, -1 if there is none."""
    described = [-1] * len(parts)
    for at in range(len(parts) - 2, -1, -1):
        part, following = parts[at : at + 2]
        if part.kind == "comment" and part.name and part.name == following.name:
            described[at] = described[at + 1] if following.kind == "comment" else at + 1
    return described


def _hold_back(held: float, gain: float, part: Part, *, is_body: bool, is_changed: bool) -> float | None:
    """Return the worth held back after a step until a telling body follows, None if this is one.

    Held back are the worth of opening the item, heads of enclosing parts, which say no more than their names,
    and the namespace around a whole file. Other heads keep their worth; so do imports, except in a file to
    be changed that defines something of which nothing is shown yet.
    """
    is_long = part.lines[1] - part.lines[0] >= (_MOST_FIELDS if is_changed else _MOST_LINES)
    encloses = part.span[1] > part.lines[1] or (part.kind == "namespace" and part.span == NO_LINES)
    if (encloses and not (is_body and is_long)) or (is_changed and is_body and part.kind == "imports"):
        return held + gain
    return None if is_body and part.kind != "imports" else held


def _find_enclosing(parts: Sequence[Part]) -> list[int]:
    """Return for each part the part whose definition it belongs to, -1 if there is none.

    That is the part that opens the definition, or the first stretch of the same part.
    """
    enclosing: list[int] = []
    opened: list[int] = []
    for at, part in enumerate(parts):
        while opened and parts[opened[-1]].span[1] < part.lines[0]:
            opened.pop()
        if at and part.id and part.id == parts[at - 1].id:
            first = enclosing[at - 1]
            enclosing.append(first if parts[at - 1].head == NO_LINES else at - 1)
        else:
            enclosing.append(opened[-1] if opened else -1)
        if part.span != NO_LINES:
            opened.append(at)
    return enclosing


def _order_steps(sheet: _LadderState, pinned: Sequence[int]) -> Iterator[int]:
    """Yield the steps in order of their current density (the caller takes each one)."""
    yield from (2 * at + 1 for at in pinned)
    heads = [2 * at for at, head in enumerate(sheet.heads) if head > 0]
    bodies = [
        2 * at + 1 for at, gain in enumerate(sheet.gains) if gain > 0 and sheet.bodies[at] > 0
    ]  # a part with a worthless body stays out, even if its head has a worth
    queue = LazyGreedy(sheet.density, (*bodies, *heads))
    for step in queue:
        yield step
        for near in sheet.list_gainers(step):
            queue.enter(near)
