"""Choose the content of the window: promises first, the newest exchanges whole, then by worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.compaction.dialogue import KIND, Dialogue
from satchel.compaction.exchanges import (
    SeenReferences,
    Sight,
    count_last_names,
    find_repeats,
    find_task_refs,
    mentions,
    paths_of,
)
from satchel.compaction.exchanges import views as views_of
from satchel.compaction.ladders import Caps, Rungs, Unit, View, ladders
from satchel.compaction.pieces import ESCAPED, Library
from satchel.compaction.prefix import StandingPrefix
from satchel.compaction.promises import (
    LEAST_NEWEST,
    PEOPLE,
    RULES,
    SAID,
    VERBATIM,
    Promised,
    is_told_last,
    iter_replies,
    name_exchange,
)
from satchel.compaction.setup import Setup, saliences
from satchel.compaction.shares import Division, allocate
from satchel.compaction.shortening import Form, cut_inside, shorten
from satchel.compaction.windows import category
from satchel.compaction.worth import ReferenceMentions, answering, names_of_calls, rules_of, weights
from satchel.errors import BudgetError
from satchel.interfaces import MOST_SHARE
from satchel.items import Candidate, Level
from satchel.messages import Exchange, Message
from satchel.selecting import select

if TYPE_CHECKING:
    from satchel.compaction.setup import Setup
    from satchel.interfaces import Compressor


class Asked(NamedTuple):
    """The budget of a choice."""

    room: int
    """Tokens of the messages."""
    budget: int
    """Tokens of the window; promises are shares of it."""
    spare: int
    """Tokens of the room for the note on missing text."""
    allowed: int = 0
    """Tokens that are allowed, of which people's messages have a share; more than `budget` at low water."""


@attrs.define
class Frame:
    """Exchanges under a budget: the promised ones, and the room that is left."""

    exchanges: Sequence[Exchange]
    costs: list[int]
    room: int
    """Tokens that are left."""
    shown: list[tuple[Message, ...] | None]
    whole: set[int]
    closed: set[int] = attrs.field(factory=set)
    """Exchanges that have had their share: they do not compete with messages."""
    first: int = 0
    """The exchanges before this one stay as they were sent."""
    budget: int = 0
    """Tokens of the window."""
    results: Sequence[int] = ()
    """Tokens of each exchange's results, if their share is set."""
    results_left: int = 0

    @property
    def open(self) -> list[int]:
        """Return the exchanges to choose from; if there is room for all others, the closed ones too."""
        free = [at for at in range(self.first, len(self.shown)) if self.shown[at] is None]
        others = [at for at in free if at not in self.closed]
        return free if sum(self.costs[at] for at in others) < self.room else others

    def show(self, chosen: Iterable[tuple[int, tuple[Message, ...]]]) -> None:
        """Show exchanges as they were chosen; leave out those without messages."""
        for at, messages in chosen:
            self.shown[at] = messages or None

    def put(self, at: int) -> None:
        """Show an exchange whole, unless it is whole already."""
        if at in self.whole:
            return
        self.results_left -= self.results[at] if self.results else 0
        self.room -= self.costs[at]
        self.shown[at] = tuple(self.exchanges[at].messages)
        self.whole.add(at)

    def stand(self, stands: StandingPrefix, tokens: int) -> None:
        """Show the kept part of the last window; it costs `tokens`."""
        self.room -= tokens
        self.first = stands.end
        for at, messages in stands.shown.items():
            self.shown[at] = messages
            if messages == tuple(self.exchanges[at].messages):
                self.whole.add(at)


def make_frame(
    setup: Setup,
    exchanges: Sequence[Exchange],
    keeping: Promised,
    asked: Asked,
    form: Form,
    *,
    stands: StandingPrefix,
) -> Frame:
    """Put the promised and the newest exchanges in place.

    Raises:
        BudgetError: the promises alone cost more.
    """
    costs = _count_costs(setup, exchanges)
    frame = Frame(exchanges, costs, asked.room, [None] * len(exchanges), set(), budget=asked.budget)
    if setup.division.is_kept:
        _keep_share_of_results(setup, frame)
    frame.stand(stands, sum(setup.counts.messages(stands.messages)))
    for at in sorted(keeping.fixed):
        frame.put(at)
    _show_opening(setup, frame, keeping, asked.spare, form)
    _show_newest(setup, frame, keeping, asked, form)
    people = choose_people(keeping, costs, max(asked.allowed, asked.budget))
    _show_last_told(frame, people)
    at = _show_tail(frame, int(asked.budget * VERBATIM))
    frame.room -= min(asked.spare, frame.room)
    _show_said(setup, frame, keeping, people, asked, form)
    _show_contexts(setup, frame, asked, form)
    if at == len(exchanges) - 1 and frame.shown[at] is None:
        room = frame.room * 2 // 3
        if frame.results:
            room = min(room, max(LEAST_NEWEST, frame.results_left))
        _shorten_to_fit(setup, frame, at, room=room, form=form)
    elif at >= 0:
        _keep_protected_tools(frame, rules_of(setup.compressor).never_prune)
    return frame


def _keep_share_of_results(setup: Setup, frame: Frame) -> None:
    """Set the tokens that results cost, and the tokens they may cost."""
    said = [message for one in frame.exchanges for message in one.messages]
    tokens = setup.counts.messages(said)
    caps = _find_caps(list(map(category, said)), tokens, frame.budget, setup.division)
    costs = iter(zip(said, tokens, strict=True))
    frame.results_left = caps["results"]
    frame.results = [
        sum(cost for message, cost in islice(costs, len(one.messages)) if category(message) == "results")
        for one in frame.exchanges
    ]


_OPENING = (0.3, 0.5)
"""Least and most share of the room for a first user message that is too long for the window."""
_STUB, _STUBS = 64, 0.1
"""Tokens of the rest of a person's message that must give way, and the share of all such rests."""


def _show_said(
    setup: Setup, frame: Frame, keeping: Promised, people: Sequence[int], asked: Asked, form: Form
) -> None:
    """Show people's messages, the plan and the answers to people whole, newest first, in their shares."""
    intent = keeping.intent
    for at in people:
        if frame.shown[at] is None and at >= frame.first and frame.costs[at] <= frame.room:
            frame.put(at)
    for at in (*intent.replies, *intent.plan):
        if frame.shown[at] is None and at >= frame.first:
            _show_call(setup, frame, at, form, is_plan=at in intent.plan)
    left = int(asked.budget * SAID) - sum(frame.costs[at] for at in {*people, *intent.plan} & frame.whole)
    for at in () if keeping.talk else intent.answers:
        if at in frame.whole:
            left -= frame.costs[at]
        elif frame.shown[at] is None and at >= frame.first and frame.costs[at] <= min(left, frame.room):
            left -= frame.costs[at]
            frame.put(at)
    _show_what_gives_way(setup, frame, keeping, asked, form)


def choose_people(keeping: Promised, costs: Sequence[int], budget: int) -> list[int]:
    """Return the messages of people to show whole, in their share of the budget.

    Messages with instructions come first, then the newest. Those that are shown anyway take nothing from the
    share, so that one long text that was pasted last leaves room for the short ones. In a chat without tools
    either all of them are shown, or those with instructions and those that are shown anyway.
    """
    people = {*keeping.intent.people}
    found = sorted(people & keeping.all, reverse=True)
    left = int(budget * PEOPLE)
    rest = sorted(people - keeping.all, reverse=True)
    rules = _take_fitting([at for at in rest if at in keeping.intent.rules], costs, int(budget * RULES))
    found += rules
    if keeping.talk and sum(costs[at] for at in people) > left:
        return found
    left -= sum(costs[at] for at in rules)
    return found + _take_fitting([at for at in rest if at not in rules], costs, left)


def _take_fitting(order: Iterable[int], costs: Sequence[int], room: int) -> list[int]:
    """Return the exchanges that fit in the room; earlier ones have priority."""
    found = []
    for at in order:
        if costs[at] <= room:
            room -= costs[at]
            found.append(at)
    return found


def _show_call(setup: Setup, frame: Frame, at: int, form: Form, *, is_plan: bool) -> None:
    """Show a person's reply to a call, or a plan: the whole exchange, if a plan costs at most double."""
    exchange = frame.exchanges[at]
    said = {id(block) for block in iter_replies(exchange)}
    units: list[Unit] = []
    for place, text in form.library.places(exchange):
        block = exchange.messages[place.message].blocks[place.block]
        if id(block) in said or (is_plan and place.path is not None):
            units += [Unit(place, number, 0, ()) for number, _ in enumerate(form.library.of(text).pieces)]
    short = shorten(exchange, units, form)
    cost = sum(setup.counts.messages(short))
    if frame.costs[at] <= min(2 * cost if is_plan else cost, frame.room):
        frame.put(at)
    elif cost <= frame.room:
        frame.shown[at] = short
        frame.room -= cost


def _show_what_gives_way(setup: Setup, frame: Frame, keeping: Promised, asked: Asked, form: Form) -> None:
    """Show beginning and end of people's messages that don't fit, with the address of the whole."""
    left = int(asked.budget * _STUBS)
    rules, people = keeping.intent.rules, keeping.intent.people
    for at in rules if keeping.talk else dict.fromkeys([*rules, *people]):
        if frame.shown[at] is not None or at < frame.first:
            continue
        before = frame.room
        _shorten_to_fit(setup, frame, at, room=min(_STUB, left, frame.room), form=form)
        left -= before - frame.room


def _count_costs(setup: Setup, exchanges: Sequence[Exchange]) -> list[int]:
    messages = [message for one in exchanges for message in one.messages]
    tokens = iter(setup.counts.messages(messages))
    return [sum(islice(tokens, len(one.messages))) for one in exchanges]


def _show_contexts(setup: Setup, frame: Frame, asked: Asked, form: Form) -> None:
    """Show context packed from a workspace, the newest first, in CONTEXT's share of the budget.

    Context that is too large for the rest of the share is cut inside, and older context is left out: however
    much of it there is, it takes nothing from messages.
    """
    kinds = [category(one.messages[0]) for one in frame.exchanges]
    places = [at for at in range(frame.first, len(kinds)) if kinds[at] == "context" and not frame.shown[at]]
    if not places:
        return
    left = min(frame.room, _find_caps(kinds, frame.costs, asked.budget, setup.division)["context"])
    frame.closed.update(places)
    for at in reversed(places):
        before = frame.room
        if frame.costs[at] <= left:
            frame.put(at)
        elif left >= LEAST_NEWEST:
            _shorten_to_fit(setup, frame, at, room=left, form=form)
        left -= before - frame.room


def _find_caps(
    kinds: Sequence[str], costs: Sequence[int], budget: int, division: Division
) -> Mapping[str, int]:
    """Return the cap of each category, where each asks for the tokens of all its messages."""
    needs: dict[str, int] = {}
    for kind, cost in zip(kinds, costs, strict=True):
        needs[kind] = needs.get(kind, 0) + cost
    return allocate(budget, needs, division=division).caps


def _keep_protected_tools(frame: Frame, tools: frozenset[str]) -> None:
    """Show exchanges that call one of these tools whole, the newest first, as far as there is room."""
    for at in range(len(frame.exchanges) - 1, frame.first - 1, -1) if tools else ():
        if (
            frame.shown[at] is None
            and frame.costs[at] <= frame.room
            and tools & names_of_calls(frame.exchanges[at])
        ):
            frame.put(at)


def _show_tail(frame: Frame, tokens: int) -> int:
    """Show the newest exchanges whole, as many as fit in `tokens`; return the first that does not, or -1."""
    for at in range(len(frame.exchanges) - 1, frame.first - 1, -1):
        if at in frame.whole:
            continue
        too_dear = bool(frame.results) and frame.results[at] > frame.results_left
        if too_dear or frame.costs[at] > min(tokens, frame.room) or frame.shown[at] is not None:
            return at
        tokens -= frame.costs[at]
        frame.put(at)
    return -1


def _show_opening(setup: Setup, frame: Frame, keeping: Promised, spare: int, form: Form) -> None:
    """Show the first user message cut inside if it is too long, so that later messages have room."""
    at = keeping.opening
    if at >= frame.first and frame.shown[at] is None:
        others = sum(frame.costs[one] for one, shown in enumerate(frame.shown) if shown is None and one != at)
        least, most = (int(frame.room * share) for share in _OPENING)
        room = max(LEAST_NEWEST, least, min(most, frame.room - spare - others))
        _shorten_to_fit(setup, frame, at, room=room, form=form)


def _show_newest(setup: Setup, frame: Frame, keeping: Promised, asked: Asked, form: Form) -> None:
    at = keeping.newest
    least = min(frame.costs[at], LEAST_NEWEST) if at >= frame.first else 0
    if frame.room < least:
        must = [(name_exchange(frame.exchanges[one]), frame.costs[one]) for one in sorted(keeping.fixed)]
        raise BudgetError(
            asked.budget, [*must, (name_exchange(frame.exchanges[at]), least)] if at >= 0 else must
        )
    if at < frame.first:
        return
    if frame.costs[at] <= frame.room:
        frame.put(at)
        return
    _show_tail(frame, min(int(asked.budget * VERBATIM), frame.room - LEAST_NEWEST))
    _shorten_to_fit(setup, frame, at, room=_room_inside(frame, asked.spare), form=form)
    if frame.shown[at] is None:
        must = [(name_exchange(frame.exchanges[one]), frame.costs[one]) for one in sorted(keeping.all)]
        raise BudgetError(asked.budget, must)


def _show_last_told(frame: Frame, people: Sequence[int]) -> None:
    """Show a program's text in the last message whole, if people's messages have room beside it."""
    at = len(frame.exchanges) - 1
    if at < frame.first or frame.shown[at] is not None or not is_told_last(frame.exchanges):
        return
    if frame.costs[at] <= frame.room - sum(frame.costs[one] for one in people if frame.shown[one] is None):
        frame.put(at)


def _room_inside(frame: Frame, spare: int) -> int:
    """Return the tokens for a newest user message that is cut: half where the last exchange is open too."""
    last = frame.shown[-1] is None and frame.exchanges[-1].role != "user"
    room = frame.room // 2 if last else frame.room - spare
    return min(frame.room, max(LEAST_NEWEST, room))


def _shorten_to_fit(setup: Setup, frame: Frame, at: int, *, room: int, form: Form) -> None:
    """Show an exchange cut inside its longest messages, or with short calls, where that makes it fit."""
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
            form.mark(messages[place]),
        )
        if cut is not None:
            messages[place], costs[place] = cut, setup.counts.messages([cut])[0]
    if sum(costs) > room:
        messages = _take_beginnings(setup, frame.exchanges[at], room, form)
        costs = setup.counts.messages(messages)
    if messages and sum(costs) <= room:
        frame.shown[at] = tuple(messages)
        frame.room -= sum(costs)


def _take_beginnings(setup: Setup, exchange: Exchange, room: int, form: Form) -> list[Message]:
    """Return an exchange with the first lines of each of its texts; at worst, calls with short arguments."""
    bare = list(shorten(exchange, (), form))
    left = room - sum(setup.counts.messages(bare))
    units: list[Unit] = []
    for place, text in form.library.places(exchange) if bare else ():
        for number, piece in enumerate(form.library.of(text).pieces):
            cost = int(piece.tokens * ESCAPED) + piece.gap + 1
            if cost > left:
                break
            left -= cost
            units.append(Unit(place, number, cost, piece.refs))
    begun = list(shorten(exchange, units, form))
    return begun if sum(setup.counts.messages(begun)) <= room else bare


GONE_SHARE = 0.24
"""Share of the window for lines of files that were edited or read again since."""
FILLED = 0.975
"""Share of the room that a choice should fill, or it is made once more with the difference."""
LOOK = 1.3
"""Factor on the room for pieces: they are put in order up to this many tokens."""


class Plan(NamedTuple):
    """The shown messages of each exchange; None for one that is left out."""

    shown: list[tuple[Message, ...] | None]
    whole: frozenset[int]
    """Exchanges that must be shown unchanged."""
    first: int = 0
    """The exchanges before this one stay as they were sent, or are left out for good."""


def plan(setup: Setup, frame: Frame, *, task: str, form: Form, people: Sequence[int] = ()) -> Plan:
    """Let the packer choose among the ladders of the remaining exchanges.

    In a chat without tools, people's messages are cut inside to fill the room that is left: whole messages
    alone may all be too long for it.
    """
    library = setup.library
    library.read_all(frame.exchanges)
    held = mentions(frame.exchanges, library)
    dialogue = Dialogue(frame.exchanges, library, held)
    salience, scores = saliences(setup, dialogue, task)
    levels = frozenset(setup.compressor.levels)
    near = frozenset(paths_of([one for at, one in enumerate(frame.exchanges) if at in frame.whole], library))
    named = count_last_names(frame.exchanges, held, library)
    sight = Sight(setup, form, levels, near, named, _rate_answers(frame.exchanges, dialogue, task))
    again = find_repeats(frame.exchanges)
    free = [at for at in frame.open if at not in form.results.old_lists]
    seen = [SeenReferences(at, frame.costs[at], salience[at], at in again) for at in free]
    views = views_of(frame.exchanges, seen, sight)
    covered = _list_window_references(frame, held, library)
    asked = find_task_refs(task, setup.library)
    worth = weights(held, asked, fits=frame.room / max(1, sum(view.tokens for view in views)))
    caps = _find_limits(setup, frame, form)
    if sight.chat:
        frame.room = int(min(frame.room, caps.dialog))
    rungs = ladders(views, worth, covered - asked, limit=int(max(0, frame.room) * LOOK), caps=caps)
    _choose(setup, frame, views, rungs, scores=scores, form=form)
    if sight.chat:
        _fill_with_cut_messages(setup, frame, people, form)
    return Plan(frame.shown, frozenset(frame.whole), frame.first)


def _fill_with_cut_messages(setup: Setup, frame: Frame, people: Sequence[int], form: Form) -> None:
    """Show people's left-out messages, the newest first, cut inside to even parts of the room."""
    missing = [at for at in people if frame.shown[at] is None and at >= frame.first]
    room = frame.room - int(max(0, frame.room) * share_of(setup.compressor))
    for number, at in enumerate(missing):
        part = max(LEAST_NEWEST, room // (len(missing) - number))
        if part > room:
            break
        before = frame.room
        _shorten_to_fit(setup, frame, at, room=part, form=form)
        room -= before - frame.room


def _find_limits(setup: Setup, frame: Frame, form: Form) -> Caps:
    """Return the caps of kinds of pieces; those of results and dialogue only if their shares are set."""
    gone = _room_for_gone(setup, frame, form)
    if not setup.division.is_kept:
        return Caps(gone)
    said = [message for one in frame.exchanges for message in one.messages]
    caps = dict(
        _find_caps(list(map(category, said)), setup.counts.messages(said), frame.budget, setup.division)
    )
    shown = [message for messages in frame.shown for message in messages or ()]
    for message, tokens in zip(shown, setup.counts.messages(shown), strict=True):
        caps[category(message)] -= tokens
    return Caps(gone, max(0, caps["results"]), max(0, caps["dialog"]))


def _room_for_gone(setup: Setup, frame: Frame, form: Form) -> int:
    """Return the room for lines of files that were edited or read again since."""
    left = int(frame.budget * GONE_SHARE)
    for at, gone in form.results.gone.items():
        shown = [message for message in frame.shown[at] or () if message.role == "tool"]
        if any(block.id in gone for message in shown for block in message.results):
            left -= sum(setup.counts.messages(shown))
    return left


def _list_window_references(frame: Frame, held: Sequence[ReferenceMentions], library: Library) -> set[str]:
    """Return the references in the window before anything is chosen."""
    standing = {at: shown for at, shown in enumerate(frame.shown) if shown is not None}
    cut = [at for at in standing if at < frame.first and at not in frame.whole]
    shortened = [attrs.evolve(frame.exchanges[at], messages=standing[at]) for at in cut]
    library.read_all(shortened)
    told = [*mentions(shortened, library), *(held[at] for at in standing.keys() - set(cut))]
    return {ref for one in told for ref in one.own | one.seen}


def _rate_answers(exchanges: Sequence[Exchange], dialogue: Dialogue, task: str) -> Sequence[float]:
    """Return how much likelier each exchange answers the task, () if tools are called."""
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
    best: tuple[int, list[tuple[int, tuple[Message, ...]]]] = (left + 1, [])
    for attempt in range(4):
        selection = setup.host.calls.call_or_raise(
            setup.packing, select, setup.packer, candidates, max(0, room), stage="pack"
        )
        chosen = [
            (
                one.position,
                _show_option(frame.exchanges[one.position], steps, selection.choices[one.id], form),
            )
            for one, steps in zip(views, rungs, strict=True)
            if one.id in selection.choices
        ]
        spent = sum(setup.counts.messages([message for _, shown in chosen for message in shown]))
        fits = spent <= left
        if best[0] > left or (fits and spent >= best[0]):
            best = spent, chosen
        if fits and (spent >= left * FILLED or attempt):
            break
        room += left - spent - 8 if not fits else (left - spent) * 3 // 4
    frame.shown[:] = before
    frame.show(best[1])
    frame.room = left + reserve - best[0]


def _side_effects(
    views: Sequence[View], rungs: Sequence[Rungs], frame: Frame, tools: frozenset[str]
) -> set[int]:
    """Return the exchanges with side effects whose calls stay, the newest first, in half of the room."""
    left, found = frame.room // 2, set()
    for one, steps in zip(reversed(views), reversed(rungs), strict=True) if tools else ():
        if steps.options and tools & names_of_calls(frame.exchanges[one.position]):
            left -= steps.options[0].tokens
            if left < 0:
                break
            found.add(one.position)
    return found


def share_of(compressor: Compressor) -> float:
    """Return the share of the room that is kept for a compressor's messages."""
    return min(MOST_SHARE, max(0.0, compressor.share))


def _show_option(exchange: Exchange, steps: Rungs, option: int, form: Form) -> tuple[Message, ...]:
    if steps.options[option].level is Level.FULL:
        return tuple(exchange.messages)
    units: Sequence[Unit] = steps.units[option]
    return shorten(exchange, units, form)
