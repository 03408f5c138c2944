"""Choose what of a conversation stands in the window: promises first, the newest whole, then by worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import attrs

from satchel.compaction.choosing.dialogue import KIND, Dialogue
from satchel.compaction.choosing.facts import all_texts
from satchel.compaction.choosing.ladders import Rungs, Unit, View, ladders
from satchel.compaction.choosing.views import Sight, asked_refs, mentions, paths_of, repeated, view
from satchel.compaction.choosing.weights import weights
from satchel.compaction.cutting.keeping import Kept
from satchel.compaction.cutting.shortening import Form, cut_inside, shortened
from satchel.compaction.promises import LEAST_NEWEST, VERBATIM, Promised, named
from satchel.compaction.rules import called, rules_of
from satchel.compaction.setups import Setup, saliences
from satchel.errors import BudgetError
from satchel.items import Candidate, Level
from satchel.messages import Exchange, Message
from satchel.packing import select

TAIL = 0.25
"""Share of what the promises leave that the newest exchanges fill, whole."""
FILLED = 0.985
"""Share of the room that a choice should fill, or it is made once more with the difference."""
SUMMARIES = 0.15
"""Share of the room that is kept for what a compressor says, where it names no share of its own."""
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
    setup: Setup,
    exchanges: Sequence[Exchange],
    keeping: Promised,
    *,
    room: int,
    kept: Kept,
    budget: int,
    spare: int,
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
    before = frame.room
    at = _tail(frame, int(budget * VERBATIM))
    frame.room -= min(spare, frame.room)
    if at == len(exchanges) - 1 and frame.shown[at] is None:
        _inside(setup, frame, at, room=frame.room * 2 // 3, kept=kept)
    elif at >= 0:
        _never_pruned(frame, rules_of(setup.compressor).never_prune)
        _tail(frame, int(before * TAIL) - (before - frame.room))
    return frame


def _never_pruned(frame: Frame, tools: frozenset[str]) -> None:
    """Show exchanges whole that call one of these tools, the newest first, as far as there is room."""
    for at in range(len(frame.exchanges) - 1, -1, -1) if tools else ():
        if frame.shown[at] is None and frame.costs[at] <= frame.room and tools & called(frame.exchanges[at]):
            frame.put(at)


def _tail(frame: Frame, tokens: int) -> int:
    """Show the newest exchanges whole, as many as fit in `tokens`; return the first that does not, or -1."""
    for at in range(len(frame.exchanges) - 1, -1, -1):
        if at in frame.whole:
            continue
        if frame.costs[at] > min(tokens, frame.room) or frame.shown[at] is not None:
            return at
        tokens -= frame.costs[at]
        frame.put(at)
    return -1


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


def plan(setup: Setup, frame: Frame, *, task: str, form: Form) -> Plan:
    """Let the packer choose among the ladders of the exchanges that are left."""
    setup.library.read(all_texts(frame.exchanges))
    dialogue = Dialogue(frame.exchanges, setup.library)
    salience, scores = saliences(setup, dialogue, task)
    levels = frozenset(getattr(setup.compressor, "levels", (Level.FULL,)))
    near = frozenset(
        paths_of([one for at, one in enumerate(frame.exchanges) if at in frame.whole], setup.library)
    )
    sight = Sight(
        setup, form, levels, near, chat=not any(m.calls for one in frame.exchanges for m in one.messages)
    )
    open_ = [at for at, shown in enumerate(frame.shown) if shown is None]
    again = repeated(frame.exchanges)
    held = mentions(frame.exchanges, setup.library)
    views = [
        view(frame.exchanges[at], at, sight, tokens=frame.costs[at], salience=salience[at], stale=at in again)
        for at in open_
    ]
    covered = {
        ref for at in range(len(held)) if frame.shown[at] is not None for ref in held[at].own | held[at].seen
    }
    asked = asked_refs(task, setup.library)
    worth = weights(held, asked)
    rungs = ladders(views, worth, covered - asked, limit=int(max(0, frame.room) * LOOK))
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
    pinned = _side_effects(views, rungs, frame, rules_of(setup.compressor).side_effects)
    candidates = [
        Candidate(
            one.id, one.position, KIND, steps.options, scores[one.position], pinned=one.position in pinned
        )
        for one, steps in zip(views, rungs, strict=True)
        if steps.options
    ]
    before = list(frame.shown)
    reserve = int(max(0, frame.room) * share_of(setup.compressor))
    room = left = frame.room - reserve
    spent = 0
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
    frame.room = left + reserve - spent


def _side_effects(
    views: Sequence[View], rungs: Sequence[Rungs], frame: Frame, tools: frozenset[str]
) -> set[int]:
    """Return the exchanges with side effects whose calls stay, the newest first, in half of the room."""
    left, found = frame.room // 2, set()
    for one, steps in zip(reversed(views), reversed(rungs), strict=True) if tools else ():
        if steps.options and tools & called(frame.exchanges[one.position]):
            left -= steps.options[0].tokens
            if left < 0:
                break
            found.add(one.position)
    return found


def share_of(compressor: object) -> float:
    """Return the share of the room that is kept for a compressor's messages."""
    share = getattr(compressor, "share", SUMMARIES)
    return min(0.5, max(0.0, share)) if isinstance(share, int | float) else SUMMARIES


def _shown(exchange: Exchange, steps: Rungs, option: int, form: Form) -> tuple[Message, ...]:
    if steps.options[option].level is Level.FULL:
        return tuple(exchange.messages)
    units: Sequence[Unit] = steps.units[option]
    return shortened(exchange, units, form)
