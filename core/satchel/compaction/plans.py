"""Choose what of a conversation stands in the window: promises first, the newest whole, then by worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import attrs

from satchel.compaction.choosing.answering import answering
from satchel.compaction.choosing.dialogue import KIND, Dialogue
from satchel.compaction.choosing.facts import Library
from satchel.compaction.choosing.framing import Frame
from satchel.compaction.choosing.ladders import Rungs, Unit, View, ladders
from satchel.compaction.choosing.views import Seen, Sight, asked_refs, mentions, paths_of, repeated
from satchel.compaction.choosing.views import views as views_of
from satchel.compaction.choosing.weights import Mentions, weights
from satchel.compaction.cutting.shortening import Form, shortened
from satchel.compaction.rules import called, rules_of
from satchel.compaction.setups import Setup, saliences
from satchel.items import Candidate, Level
from satchel.messages import Exchange, Message
from satchel.packing import select
from satchel.uncollected import uncollected

FILLED = 0.975
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
    first: int = 0
    """The exchanges before this one stand as they were sent, or are left out for good."""


@uncollected()
def plan(setup: Setup, frame: Frame, *, task: str, form: Form) -> Plan:
    """Let the packer choose among the ladders of the exchanges that are left."""
    library = setup.library
    library.read_all(frame.exchanges)
    held = mentions(frame.exchanges, library)
    dialogue = Dialogue(frame.exchanges, library, held)
    salience, scores = saliences(setup, dialogue, task)
    levels = frozenset(getattr(setup.compressor, "levels", (Level.FULL,)))
    near = frozenset(paths_of([one for at, one in enumerate(frame.exchanges) if at in frame.whole], library))
    sight = Sight(setup, form, levels, near, _answering(frame.exchanges, dialogue, task))
    again = repeated(frame.exchanges)
    seen = [Seen(at, frame.costs[at], salience[at], at in again) for at in frame.open]
    views = views_of(frame.exchanges, seen, sight)
    covered = _covered(frame, held, library)
    asked = asked_refs(task, setup.library)
    worth = weights(held, asked, fits=frame.room / max(1, sum(view.tokens for view in views)))
    rungs = ladders(views, worth, covered - asked, limit=int(max(0, frame.room) * LOOK))
    _choose(setup, frame, views, rungs, scores=scores, form=form)
    return Plan(frame.shown, frozenset(frame.whole), frame.first)


def _covered(frame: Frame, held: Sequence[Mentions], library: Library) -> set[str]:
    """Return the references that stand in the window before anything is chosen."""
    standing = {at: shown for at, shown in enumerate(frame.shown) if shown is not None}
    cut = [at for at in standing if at < frame.first and at not in frame.whole]
    shortened = [attrs.evolve(frame.exchanges[at], messages=standing[at]) for at in cut]
    library.read_all(shortened)
    told = [*mentions(shortened, library), *(held[at] for at in standing.keys() - set(cut))]
    return {ref for one in told for ref in one.own | one.seen}


def _answering(exchanges: Sequence[Exchange], dialogue: Dialogue, task: str) -> Sequence[float]:
    """Return how much likelier each exchange answers the task, () where tools are called."""
    if any(message.calls for one in exchanges for message in one.messages):
        return ()
    return answering(dialogue.parts, [dialogue.text(part) for part in dialogue.parts], task)


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
        chosen = [
            (one.position, _shown(frame.exchanges[one.position], steps, selection.choices[one.id], form))
            for one, steps in zip(views, rungs, strict=True)
            if one.id in selection.choices
        ]
        frame.show(chosen)
        spent = sum(setup.counts.messages([message for _, shown in chosen for message in shown]))
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
