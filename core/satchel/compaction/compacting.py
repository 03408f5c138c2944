"""Compact a conversation: append new messages to the window that was sent, or make a new window."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import attrs

from satchel.archive import Archive
from satchel.compaction.again import NOTHING_EARLIER, part_from_earlier
from satchel.compaction.cleaning import Prepared, drop_colours, drop_old_thoughts, iter_thoughtless, prepare
from satchel.compaction.cutting import ArchivedTexts, CompactionSource, Making, keep
from satchel.compaction.exchanges import find_repeats
from satchel.compaction.plans import choose_people
from satchel.compaction.prefix import (
    MOST,
    NEWEST,
    NOTHING,
    StandingPrefix,
    match_items,
    origins_of,
    restore_sent,
    standing,
    trace_items,
)
from satchel.compaction.promises import (
    LEAST_NEWEST,
    PEOPLE,
    Promised,
    check_pins,
    is_told_last,
    list_promises,
)
from satchel.compaction.setup import Setup, set_up
from satchel.compaction.shares import division_of
from satchel.compaction.state import Digests, State, Water
from satchel.compaction.windows import (
    Result,
    Window,
    compare_prefix,
    convert_cuts,
    count_people,
    list_events,
    report,
)
from satchel.config import Config
from satchel.conversation import Flaw, Tally, calibration, exchanges_of, repair, write
from satchel.conversation.cache_marks import list_cache_marks
from satchel.conversation.counting import START
from satchel.errors import BudgetError, PluginError, Problem, UsageError
from satchel.events import BudgetExceeded, Event
from satchel.host.calling import list_current
from satchel.host.observing import announce
from satchel.installed import find_formats, find_plugins
from satchel.messages import Conversation, Exchange
from satchel.shared_archive import open_archive
from satchel.spelling import refuse_unknown
from satchel.tokens.models import find_or_estimate

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.interfaces import MessageFormat
    from satchel.tokens.models import Model

_GROWN = 1.3
"""A conversation of at most this many times the allowed size has only just outgrown it."""
MOST_TOLD = 0.6
"""Largest target of a cut, as a share of the budget, that is raised to keep plans and answers whole."""


class CompactOptions(TypedDict, total=False):
    """Further options of `compact` and `acompact`: the plugins to use, and where cut text is stored."""

    strategy: str
    """Name of a packer; the configured one by default."""
    compressor: str
    """Name of a compressor; the configured one by default."""
    format: str
    """Name of a message format; `auto`, the default, looks."""
    store: str | Path | None
    """Folder of the archive; the user's state folder by default."""
    model: str | Model
    """The model, or its name: the budget and all reported numbers are in its tokens, estimated as by `count`.
    By default they are counted tokens, whatever model a request names.
    """
    host: Host | None
    """The plugins; all installed ones by default."""
    config: Config | None
    """The configuration; the defaults if it is not given."""


def compact(
    messages: Any,
    *,
    budget: int,
    task: str = "",
    state: State | None = None,
    pins: Iterable[int | str] = (),
    observe: Callable[[Event], None] | None = None,
    **options: Unpack[CompactOptions],
) -> Window:
    """Return the conversation in at most `budget` tokens.

    Args:
        messages: a list of messages, or the request that holds them, as its provider takes it.
        budget: most tokens of the window, `tools` of a request included; those of `model` where one is named.
        task: what is being done; the newest user message by default.
        state: what was sent before, so that the beginning stays as it was; it is changed.
        pins: messages that must stay whole, by index or by a text in them.
        observe: is called with each event, beside the observers that are plugins.
        options: `strategy`, `compressor`, `format`, `store`, `model`, `host`, `config`: see `CompactOptions`.

    Raises:
        BudgetError: what must stay costs more than the budget.
        ConversationError: the messages can't be read.
        UsageError: a number or a pin makes no sense.
        UnknownNameError: no plugin has such a name.
        PluginError: the chosen packer broke its contract.
    """
    refuse_unknown("compact", options, CompactOptions)
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise UsageError(f"budget must be a whole number of tokens from 1 up, not {budget!r}")
    archive = open_archive(options.get("store"), state.scanners if state is not None else None)
    if state is not None:
        state.scanners = archive.scanners
    config = options.get("config")
    known = state.setup if state is not None else None
    host = options.get("host") or (
        known.host if isinstance(known, Setup) else find_plugins(config or Config())
    )
    formats = find_formats(host, config)
    prepared = messages
    if not isinstance(prepared, Prepared):
        prepared = prepare(messages, archive.scanners, list_cache_marks(formats))
    given = formats.read(prepared.messages, options.get("format", "auto"))
    named = options.get("model", "")
    unit = find_or_estimate(named) if isinstance(named, str) and named else named or None
    setup = _setup(state, given.format, unit, host, options)
    run = _CompactionRun(setup, budget, task, tuple(pins), archive, state, prepared.digests, unit)
    try:
        made = run.window(prepared.messages, given)
    except BudgetError as error:
        exceeded = BudgetExceeded(error.budget, sum(cost for _, cost in error.costs))
        announce(setup.host, [exceeded], observe, config=config)
        raise
    announce(setup.host, list_events(made), observe, config=config)
    return prepared.finish(made)


def _setup(
    state: State | None, form: MessageFormat, unit: Model | None, host: Host, options: CompactOptions
) -> Setup:
    """Return the plugins to use: those of the conversation's last call if the same are requested."""
    config, model = options.get("config"), unit.name if unit is not None else ""
    chosen = config or Config()
    strategy, compressor = (
        options.get("strategy", chosen.strategy),
        options.get("compressor", chosen.compressor),
    )
    known = state.setup if state is not None else None
    names = (strategy, compressor, model, form.name)
    if isinstance(known, Setup) and (known.named, known.division) == (names, division_of(config)):
        return known
    setup = set_up(strategy, compressor, form=form, model=unit, host=host, config=config)
    if state is not None:
        state.setup = setup
    return setup


def _count_written(setup: Setup, written: Any, form: MessageFormat) -> int:
    """Return the tokens of a window when it is read again, where messages may be joined or split."""
    return setup.counts.total(setup.formats.read(written, form.name)).total


@attrs.define
class _CompactionRun:
    """One compaction."""

    setup: Setup
    budget: int
    task: str
    pins: tuple[int | str, ...]
    archive: Archive
    state: State | None
    digests: Digests
    unit: Model | None
    """The model whose tokens the budget and the report are in; None for counted tokens."""
    convert: Callable[[int], int] = attrs.field(init=False)
    """Converts counted tokens for the report."""
    water: Water | None = attrs.field(init=False)
    """The high and low water of the state, in counted tokens."""
    since: int = attrs.field(init=False)
    """Number of problems that the host had before."""
    problems: list[Problem] = attrs.field(factory=list)
    given: Conversation | None = None
    """The conversation as it came in."""

    def __attrs_post_init__(self) -> None:
        self.since = len(self.setup.host.problems)
        unit = self.unit
        self.convert = int if unit is None or unit.factor == 1 else unit.to_model_tokens
        self.water = self.state.water if self.state is not None else None
        if self.water is not None and unit is not None:
            self.water = self.water.convert(unit.countable)

    def window(self, document: Any, given: Conversation) -> Window:
        """Return the window: the sent one with new messages, the whole conversation, or a compaction."""
        self.given = given
        check_pins(given.messages, self.pins)
        self.setup.counts.forget()
        if self.state is not None:
            standing = self._append_to_window(document, given)
            if standing is not None:
                return standing
        repaired = repair(given)
        self.problems += [flaw.problem for flaw in repaired.flaws]
        conversation = repaired.conversation
        tally = self.setup.counts.total(conversation)
        allowed = self._allow_tokens(conversation)
        if tally.total <= min(_high_of(self.water, allowed), allowed):
            written = write(conversation)
            total = tally.total
            if repaired.flaws:  # messages may be joined now
                total = _count_written(self.setup, written, conversation.format)
            if total <= allowed:
                if self.state is not None:
                    self.state.origins = []  # they are those of a window that is cut
                result = Result(conversation, tally._replace(total=total))
                return self._report_window(document, conversation, result, written=written)
        return self._compact(document, conversation, tally, allowed)

    def _allow_tokens(self, conversation: Conversation) -> int:
        """Return the counted tokens that fit the budget in both the provider's and the model's tokens."""
        usable = self.setup.division.countable(self.budget)
        allowed = self.unit.countable(usable) if self.unit is not None else usable
        factor = max(1.0, calibration(conversation, self.setup.counts))
        return max(1, min(allowed, int(usable / factor)) if factor > 1 else allowed)

    def _append_to_window(self, document: Any, given: Conversation) -> Window | None:
        """Return the sent window with new messages; None if it is too long or the conversation differs."""
        state = self.state
        if state is None or not state.source:
            return None
        items = list_messages(document, given.list_key)
        known, find_places = len(state.source), self._trace_sent(given)
        if not isinstance(items, list) or self.digests.of(items[:known]) != state.source:
            state.forget()
            return None
        outside = state.outside
        if outside is not None and _outside_of(document, given.format) != outside["given"]:
            return None  # what was mended is another text now
        if len(state.sent) == len(state.window):
            self.digests.know(state.window, [digest for digest, _ in state.sent])
        appended: Any = [*state.window, *items[known:]]
        if isinstance(document, dict):
            appended = {**document, given.list_key: appended}
        if outside is not None and isinstance(appended, dict):
            appended[given.format.system_key] = outside["sent"]
        if appended == document:  # nothing was cut or mended yet: it is read
            appended, whole = document, repair(given)
        else:
            whole = repair(self.setup.formats.read(appended, given.format.name))
        tally = self.setup.counts.total(whole.conversation)
        if tally.total > _high_of(self.water, self._allow_tokens(given)):
            return None
        if whole.flaws:
            appended = write(whole.conversation)
            if not self._mends_only_new(given, whole.flaws, list_messages(appended, given.list_key)):
                return None
        return self._report_window(
            document,
            whole.conversation,
            Result(whole.conversation, tally),
            written=appended,
            find_places=find_places,
        )

    def _trace_sent(self, given: Conversation) -> Callable[[int], int]:
        """Return a function that maps an item of the extended window to its position in the conversation."""
        state = self.state
        if state is None:
            return int
        source, window, origins, sent = state.source, state.window, state.origins, state.sent

        @cache
        def trace() -> list[int]:
            if origins:
                read = self.setup.formats.read(window, given.format.name)
                return trace_items(read.messages, origins, len(window))
            return match_items([digest for digest, _ in sent], source)

        def find_place(item: int) -> int:
            return trace()[item] if item < len(trace()) else item + len(source) - len(window)

        return find_place

    def _mends_only_new(self, given: Conversation, flaws: Sequence[Flaw], written: Any) -> bool:
        """Return whether repairs leave sent messages unchanged, and match those of the whole conversation."""
        state = self.state
        if state is None or written[: len(state.window)] != state.window:
            return False
        moved = len(state.source) - len(state.window)
        told = {(flaw.index, flaw.rule) for flaw in repair(given).flaws if flaw.index >= len(state.source)}
        if told != {(flaw.index + moved, flaw.rule) for flaw in flaws}:
            return False
        self.problems += [flaw.problem for flaw in flaws]
        return True

    def _compact(self, document: Any, conversation: Conversation, tally: Tally, allowed: int) -> Window:
        """Return a window that is cut: to low water if the conversation was cut before."""
        made = self._make(conversation, tally, allowed)
        written = write(made.conversation)
        total = _count_written(self.setup, written, conversation.format)
        if total > allowed >= made.tally.total:
            with contextlib.suppress(BudgetError):
                made = self._make(conversation, tally, 2 * allowed - total)
                written = write(made.conversation)
                total = _count_written(self.setup, written, conversation.format)
        made = made._replace(tally=made.tally._replace(total=total))
        if self.state is not None:
            self.state.compactions += 1
            self.state.origins = origins_of(made.conversation.messages)
        return self._report_window(document, made.conversation, made, written=written)

    def _make(self, conversation: Conversation, tally: Tally, allowed: int) -> Result:
        """Compact a conversation; free the memory of this work before the result is reported."""
        target = self._choose_target(tally.total, allowed)
        conversation, earlier = part_from_earlier(conversation, self.archive)
        if earlier is not NOTHING_EARLIER:
            conversation = repair(conversation).conversation
        whole, conversation = conversation.messages, drop_colours(drop_old_thoughts(conversation))
        kept = keep(self.archive, whole, conversation.messages, earlier)
        self.problems += kept.problems
        tally = self.setup.counts.total(conversation)
        if tally.total <= target and earlier is NOTHING_EARLIER:
            made = Result(conversation, tally, (), kept.pointer)
        else:
            made = self._choose(conversation, tally, target, allowed, kept)
        cut = {one.index for one in made.cuts}
        lost = iter_thoughtless(whole, conversation.messages, self.setup.counts.messages, kept.address)
        cuts = [*made.cuts, *(one for one in lost if one.index not in cut)]
        return made._replace(cuts=tuple(sorted(cuts, key=lambda one: one.index)))

    def _choose(
        self, conversation: Conversation, tally: Tally, target: int, allowed: int, kept: ArchivedTexts
    ) -> Result:
        """Return the compacted form of a conversation that is too long."""
        exchanges = exchanges_of(conversation)
        keeping = list_promises(exchanges, self.pins)
        least = tally.tools + 3
        costs = _sum_tokens(tally, exchanges)
        keeping = _let_first_give_way(keeping, costs, allowed - least)
        fixed = sum(costs[at] for at in keeping.fixed)
        target = max(target, min(allowed, least + 2 * fixed))
        target = max(target, min(allowed, _need_of_said(exchanges, keeping, costs, allowed) + least))
        stands = self._find_standing_prefix(conversation.format, exchanges, keeping, target)
        source = CompactionSource(conversation, exchanges, keeping, kept, self.task, stands).sift(
            self.setup, target
        )
        making = Making(self.setup, source, target, target - least, self.problems, allowed)
        if source.standing.end:
            # the newest message may need all the room
            with contextlib.suppress(BudgetError, PluginError):
                made = making.result()
                if _last(made.conversation) == _last(conversation):
                    return made
            making = attrs.evolve(making, source=attrs.evolve(source, standing=NOTHING))
        if target < allowed:  # low water may be too low for what must stand
            with contextlib.suppress(BudgetError):
                return making.result()
            making = attrs.evolve(making, target=allowed, room=allowed - least)
        try:
            return making.result()
        except BudgetError as error:
            raise _name_all_costs(error, self.budget, tally, allowed, convert=self.convert) from None

    def _find_standing_prefix(
        self, form: MessageFormat, exchanges: Sequence[Exchange], keeping: Promised, target: int
    ) -> StandingPrefix:
        """Return the part of the last sent window that stays."""
        state = self.state
        if state is None or not state.origins or not state.window:
            return NOTHING
        counted = self.setup.counts.messages
        before = restore_sent(self.setup.formats.read(list(state.window), form.name).messages, state.origins)
        first, left = len(exchanges), int(target * NEWEST)
        while before and first > 0 and (cost := sum(counted(exchanges[first - 1].messages))) <= left:
            first, left = first - 1, left - cost
        # repeated results are kept once, in their newest form
        last = max(index for index, _ in state.origins)
        then = find_repeats([one for one in exchanges if one.messages[0].index <= last])
        first = min([first, *(find_repeats(exchanges) - then)])
        most = int(target * MOST)
        return standing(before, exchanges, counted(before), most=most, before=first, whole=keeping.all)

    def _choose_target(self, total: int, allowed: int) -> int:
        """Return the tokens to cut to: low water, but the whole allowance for a long history that is new.

        A conversation that has just outgrown its window goes on growing; one that came in much longer may
        never be asked for again.
        """
        state, water = self.state, self.water
        if state is None or water is None:
            return allowed
        grown = state.compactions > 0 or total <= allowed * _GROWN
        return water.low_of(allowed) if grown or water.high < 1 else allowed

    def _report_window(
        self,
        document: Any,
        conversation: Conversation,
        result: Result,
        *,
        written: Any = None,
        find_places: Callable[[int], int] = int,
    ) -> Window:
        """Write the window, remember it, and report; `find_places` maps its messages to their positions."""
        written = write(conversation) if written is None else written
        sent = self._digest_sent(written, conversation.list_key)
        compared = compare_prefix(self.state, sent) if self.state is not None else {}
        if self.state is not None:
            self._remember(document, written, sent, conversation)

        def make_report() -> Mapping[str, Any]:
            told = report(
                result, conversation, budget=self.budget, division=self.setup.division, convert=self.convert
            )
            return {**told, **compared, **self._report_given(document, written, conversation)}

        def find_origins() -> list[int]:
            items = list_messages(written, conversation.list_key)
            if not isinstance(items, list):
                return []
            read = self.setup.formats.read(written, conversation.format.name)
            traced = trace_items(read.messages, origins_of(conversation.messages), len(items))
            return [find_places(at) if at >= 0 else -1 for at in traced]

        return Window(
            written,
            self.convert(result.tally.total),
            convert_cuts(result.cuts, self.convert),
            tuple(dict.fromkeys([*self.problems, *list_current(self.setup.host.problems, self.since)])),
            make_report,
            conversation.list_key,
            result.pointer,
            find_origins,
        )

    def _report_given(self, document: Any, written: Any, made: Conversation) -> dict[str, Any]:
        """Return the size before, and how many of people's messages are whole; count messages as listed."""
        if self.given is None:
            return {}
        tokens = self.convert(self.setup.counts.total(self.given).total)
        before = {"tokens": tokens, "messages": _count_items(document, self.given)}
        return {
            "before": before,
            "messages": _count_items(written, made),
            "people": count_people(self.given, made),
        }

    def _digest_sent(self, written: Any, list_key: str) -> list[tuple[str, int]]:
        """Return the digest and size of each message of the window; [] if nothing is remembered."""
        items = list_messages(written, list_key)
        if self.state is None or not isinstance(items, list):
            return []
        return list(zip(self.digests.of(items), map(_measure_item, items), strict=True))

    def _remember(
        self, document: Any, written: Any, sent: Sequence[tuple[str, int]], conversation: Conversation
    ) -> None:
        state, list_key, form = self.state, conversation.list_key, conversation.format
        if state is None:
            return
        items, window = list_messages(document, list_key), list_messages(written, list_key)
        if isinstance(items, list) and isinstance(window, list):
            state.source, state.window = self.digests.of(items), list(window)
            outside, sent_outside = _outside_of(document, form), _outside_of(written, form)
            state.outside = None
            if sent_outside != outside:
                state.outside = {"given": outside, "sent": sent_outside}
            state.sent = list(sent)
            with contextlib.suppress(TypeError):
                state.save()


def _high_of(water: Water | None, allowed: int) -> int:
    """Return the tokens from which a conversation is cut."""
    return water.high_of(allowed) if water is not None else allowed


def _name_all_costs(
    error: BudgetError, budget: int, tally: Tally, allowed: int, *, convert: Callable[[int], int]
) -> BudgetError:
    """Return the error with every cost that counts, so that together they exceed the budget."""
    more = (("definitions of tools", tally.tools), ("the frame of the conversation", START))
    costs = [(what, convert(cost)) for what, cost in [*error.costs, *more] if cost > 0]
    rest = budget - convert(allowed)
    told = [("the margin, and what the provider counts more", rest)] if rest > 0 else []
    missing = budget + 1 - sum(cost for _, cost in [*costs, *told])
    notes = [("the note on what is cut, at least", missing)] if missing > 0 else []
    return BudgetError(budget, [*costs, *told, *notes])


def _last(conversation: Conversation) -> int:
    return conversation.messages[-1].index if conversation.messages else -1


def _let_first_give_way(keeping: Promised, costs: Sequence[int], room: int) -> Promised:
    """Return the promises; the first user message may be cut if it is too long for the room.

    That is so if it takes more than people's share of the room, or leaves nothing for the newest message.
    """
    if keeping.first < 0:
        return keeping
    fixed = sum(costs[at] for at in keeping.fixed)
    newest = min(sum(costs[at] for at in keeping.all - keeping.fixed), LEAST_NEWEST)
    too_long = costs[keeping.first] > room * PEOPLE or fixed + newest > room
    return keeping.give_way() if too_long else keeping


def _need_of_said(
    exchanges: Sequence[Exchange], keeping: Promised, costs: Sequence[int], allowed: int
) -> int:
    """Return the target that keeps people's messages whole, and half as many tokens of everything else.

    Plans and answers raise it to `MOST_TOLD` of the budget at most: beyond that the next cut would come at
    once.
    """
    people = {*keeping.all, *choose_people(keeping, costs, allowed)}
    if is_told_last(exchanges):
        people.add(len(exchanges) - 1)
    intent = keeping.intent
    told = () if keeping.talk else {*intent.plan, *intent.replies, *intent.answers} - people
    spent = sum(costs[at] for at in people)
    both = spent + sum(costs[at] for at in told)
    return max(spent * 3 // 2, min(both * 3 // 2, int(allowed * MOST_TOLD)))


def _sum_tokens(tally: Tally, exchanges: Sequence[Exchange]) -> list[int]:
    """Return the tokens of each exchange."""
    tokens = iter(tally.messages)
    return [sum(next(tokens) for _ in one.messages) for one in exchanges]


def list_messages(document: Any, list_key: str) -> Any:
    """Return the list of messages in a document: the document, or the value of that key of a request."""
    return document.get(list_key) if isinstance(document, dict) else document


def _count_items(document: Any, conversation: Conversation) -> int:
    """Return how many messages the list of a document has."""
    items = list_messages(document, conversation.list_key)
    return len(items) if isinstance(items, list) else len(conversation.messages)


def _outside_of(document: Any, form: MessageFormat) -> Any:
    """Return the system's text outside of the list, None if there is none."""
    return document.get(form.system_key) if isinstance(document, dict) and form.system_key else None


def _measure_item(item: Any) -> int:
    """Return the approximate size of an item: the characters of its texts."""
    content = item.get("content") if isinstance(item, dict) else item
    return 16 + len(content if isinstance(content, str) else str(item))
