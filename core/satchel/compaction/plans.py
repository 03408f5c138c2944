"""Choose what of a conversation stands in the window: promises first, the newest whole, then by worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import attrs

from satchel.compaction.choosing.dialogue import KIND, Dialogue
from satchel.compaction.choosing.ladders import Rungs, Unit, View, ladders
from satchel.compaction.choosing.views import Sight, asked_refs, mentions, view
from satchel.compaction.choosing.weights import weights
from satchel.compaction.cutting.keeping import Kept
from satchel.compaction.cutting.shortening import Form, cut_inside, shortened
from satchel.compaction.promises import LEAST_NEWEST, VERBATIM, Promised, named
from satchel.compaction.setups import Setup, saliences
from satchel.errors import BudgetError
from satchel.items import Candidate, Level
from satchel.messages import Exchange, Message
from satchel.packing import select

TAIL = 0.45
"""Share of what the promises leave that the newest exchanges fill, whole."""
FILLED = 0.985
"""Share of the room that a choice should fill, or it is made once more with the difference."""
LOOK = 1.3
"""Pieces are put into order for this many times the tokens that there are for them."""


class Plan(NamedTuple):
    """What is shown of each exchange; what is None is left out."""

    shown: list[tuple[Message, ...] | None]
    whole: frozenset[int]
    """Exchanges that must stand as they came."""
    saliences: Sequence[float]


@attrs.define
class Frame:
    """An exchange list under a budget: what is promised, what is left."""

    exchanges: Sequence[Exchange]
    costs: list[int]
    room: int
    """Tokens that are left."""
    shown: list[tuple[Message, ...] | None]
    whole: set[int]

    def put(self, at: int) -> None:
        """Show an exchange whole."""
        self.room -= self.costs[at]
        self.shown[at] = tuple(self.exchanges[at].messages)
        self.whole.add(at)


def framed(
    setup: Setup, exchanges: Sequence[Exchange], keeping: Promised, *, room: int, kept: Kept, budget: int
) -> Frame:
    """Put what is promised and the newest exchanges in place.

    Raises:
        BudgetError: the promises alone cost more.
    """
    costs = [sum(setup.counts.messages(one.messages)) for one in exchanges]
    frame = Frame(exchanges, costs, room, [None] * len(exchanges), set())
    for at in sorted(keeping.fixed):
        frame.put(at)
    _newest(setup, frame, keeping, kept=kept, budget=budget)
    tail = max(int(budget * VERBATIM), int(frame.room * TAIL))
    for at in range(len(exchanges) - 1, -1, -1):
        if frame.shown[at] is not None:
            continue
        if costs[at] > min(tail, frame.room):
            if at == len(exchanges) - 1:
                _last(setup, frame, at, room=max(tail, frame.room * 2 // 3), kept=kept)
            break
        tail -= costs[at]
        frame.put(at)
    return frame


def _newest(setup: Setup, frame: Frame, keeping: Promised, *, kept: Kept, budget: int) -> None:
    at = keeping.newest
    least = min(frame.costs[at], LEAST_NEWEST) if at >= 0 else 0
    if frame.room < least:
        must = [(named(frame.exchanges[one]), frame.costs[one]) for one in sorted(keeping.fixed)]
        raise BudgetError(budget, [*must, (named(frame.exchanges[at]), least)] if at >= 0 else must)
    if at < 0:
        return
    if frame.costs[at] <= frame.room:
        frame.put(at)
    else:
        _inside(setup, frame, at, room=frame.room, kept=kept)
        if frame.shown[at] is None:
            must = [(named(frame.exchanges[one]), frame.costs[one]) for one in sorted(keeping.all)]
            raise BudgetError(budget, must)


def _inside(setup: Setup, frame: Frame, at: int, *, room: int, kept: Kept) -> None:
    """Show an exchange with its longest message cut inside, where that makes it fit."""
    messages = list(frame.exchanges[at].messages)
    costs = setup.counts.messages(messages)
    for place in sorted(range(len(messages)), key=lambda place: -costs[place]):
        over = sum(costs) - room
        if over <= 0:
            break
        cut = cut_inside(
            messages[place],
            max(LEAST_NEWEST // 4, costs[place] - over),
            lambda message: setup.counts.messages([message])[0],
            kept.mark(messages[place]),
        )
        if cut is not None:
            messages[place], costs[place] = cut, setup.counts.messages([cut])[0]
    if sum(costs) <= room:
        frame.shown[at] = tuple(messages)
        frame.room -= sum(costs)


def _last(setup: Setup, frame: Frame, at: int, *, room: int, kept: Kept) -> None:
    """Show the last exchange, which is too long to be whole, cut inside."""
    _inside(setup, frame, at, room=min(room, frame.room), kept=kept)


def plan(setup: Setup, frame: Frame, *, task: str, form: Form) -> Plan:
    """Let the packer choose among the ladders of the exchanges that are left."""
    dialogue = Dialogue(frame.exchanges, setup.library)
    salience, scores = saliences(setup, dialogue, task)
    levels = frozenset(getattr(setup.compressor, "levels", (Level.FULL,)))
    sight = Sight(setup, form, levels, chat=not any(m.calls for one in frame.exchanges for m in one.messages))
    open_ = [at for at, shown in enumerate(frame.shown) if shown is None]
    held = mentions(frame.exchanges, setup.library)
    views = [
        view(frame.exchanges[at], at, sight, tokens=frame.costs[at], salience=salience[at]) for at in open_
    ]
    covered = {
        ref for at in range(len(held)) if frame.shown[at] is not None for ref in held[at].own | held[at].seen
    }
    worth = weights(held, asked_refs(task, setup.library))
    rungs = ladders(views, worth, covered, limit=int(max(0, frame.room) * LOOK))
    _choose(setup, frame, views, rungs, scores=scores, form=form)
    return Plan(frame.shown, frozenset(frame.whole), salience)


def _choose(
    setup: Setup,
    frame: Frame,
    views: Sequence[View],
    rungs: Sequence[Rungs],
    *,
    scores: Sequence[Mapping[str, float]],
    form: Form,
) -> None:
    candidates = [
        Candidate(one.id, one.position, KIND, steps.options, scores[one.position])
        for one, steps in zip(views, rungs, strict=True)
        if steps.options
    ]
    before = list(frame.shown)
    room, left = frame.room, frame.room
    for attempt in range(4):
        frame.shown[:] = before
        selection = setup.host.calls.chosen(
            setup.packing, select, setup.packer, candidates, max(0, room), stage="pack"
        )
        spent = 0
        for one, steps in zip(views, rungs, strict=True):
            option = selection.choices.get(one.id)
            if option is None:
                continue
            shown = _shown(frame.exchanges[one.position], steps, option, form)
            frame.shown[one.position] = shown or None
            spent += sum(setup.counts.messages(shown))
        if spent <= left and (spent >= left * FILLED or attempt):
            break
        room += left - spent - 8 if spent > left else (left - spent) * 3 // 4
    frame.room = left - spent


def _shown(exchange: Exchange, steps: Rungs, option: int, form: Form) -> tuple[Message, ...]:
    if steps.options[option].level is Level.FULL:
        return tuple(exchange.messages)
    units: Sequence[Unit] = steps.units[option]
    return shortened(exchange, units, form)
