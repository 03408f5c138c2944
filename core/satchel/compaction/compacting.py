"""Compact a conversation: archive, choose, shorten, and verify every promise."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from satchel.archive import Archive
from satchel.compaction.cutting.keeping import Kept, keep
from satchel.compaction.cutting.shortening import Form
from satchel.compaction.digesting import digested
from satchel.compaction.notes import note
from satchel.compaction.plans import Plan, framed, plan
from satchel.compaction.promises import broken, is_said, promised
from satchel.compaction.reporting import Result, report
from satchel.compaction.setups import Setup, set_up
from satchel.compaction.states import Digests, State
from satchel.compaction.windows import Cut, Window
from satchel.conversation import Tally, calibration, exchanges_of, read, repair, write
from satchel.errors import PluginError, Problem, UsageError
from satchel.messages import BlockKind, Conversation, Exchange, Format, Message

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host

_NOTE_ROOM, _SHORT_NOTE_ROOM = 68, 40
_GROWN = 1.3
"""A conversation that is at most so many times what is allowed has just outgrown it."""


def compact(
    messages: Any,
    *,
    budget: int,
    task: str = "",
    state: State | None = None,
    strategy: str = "hybrid",
    compressor: str = "hybrid",
    format: str = "auto",  # noqa: A002 (the name that the command has)
    pins: Iterable[int | str] = (),
    store: str | Path | None = None,
    model: str = "",
    host: Host | None = None,
    config: Config | None = None,
) -> Window:
    """Return the conversation in at most `budget` tokens.

    Args:
        messages: a list of messages, or the request that holds them, as its provider takes it.
        budget: most tokens of the window, `tools` of a request included.
        task: what is being done; the newest user message by default.
        state: what was sent before, so that the beginning stays as it was; it is changed.
        strategy: name of a packer.
        compressor: name of a compressor.
        format: openai, responses, anthropic or ollama; `auto` looks.
        pins: messages that must stay whole, by index or by a text in them.
        store: folder of the archive; the user's state folder by default.
        model: the model's name, where its vocabulary or its images count differently.
        host: the plugins; all installed ones by default.
        config: the settings of plugins; the defaults where it is not given.

    Raises:
        BudgetError: what must stay costs more than the budget.
        ConversationError: the messages can't be read.
        UsageError: a number or a pin makes no sense.
        UnknownNameError: no plugin has such a name.
        PluginError: the chosen packer broke its contract.
    """
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise UsageError(f"budget must be a whole number of tokens from 1 up, not {budget!r}")
    given = read(messages, format)
    setup = _setup(state, strategy, compressor, form=given.format, model=model, host=host, config=config)
    run = _Run(setup, budget, task, tuple(pins), Archive.usual(store), state)
    return run.window(messages, given)


def _setup(
    state: State | None,
    strategy: str,
    compressor: str,
    *,
    form: Format,
    model: str,
    host: Host | None,
    config: Config | None,
) -> Setup:
    known = state.setup if state is not None else None
    if isinstance(known, Setup) and known.named == (strategy, compressor, model, str(form)):
        return known
    setup = set_up(strategy, compressor, form=form, model=model, host=host, config=config)
    if state is not None:
        state.setup = setup
    return setup


@attrs.define
class _Run:
    """One compaction."""

    setup: Setup
    budget: int
    task: str
    pins: tuple[int | str, ...]
    archive: Archive
    state: State | None
    problems: list[Problem] = attrs.field(factory=list)
    digests: Digests = attrs.field(factory=Digests)

    def window(self, document: Any, given: Conversation) -> Window:
        """Return the window: what was sent with what came since, all there is, or a compaction."""
        if self.state is not None:
            standing = self._standing(document, given)
            if standing is not None:
                return standing
        repaired = repair(given)
        self.problems += [flaw.problem for flaw in repaired.flaws]
        conversation = repaired.conversation
        tally = self.setup.counts.total(conversation)
        allowed = self._allowed(conversation, tally)
        if tally.total <= self._high(allowed) and tally.total <= allowed:
            return self._done(document, conversation, Result(conversation, tally))
        return self._compacted(document, conversation, tally, allowed)

    def _allowed(self, conversation: Conversation, tally: Tally) -> int:
        """Return the counted tokens that stay within the budget of the provider's."""
        factor = max(1.0, calibration(conversation, tally))
        return max(1, int(self.budget / factor))

    def _high(self, allowed: int) -> int:
        return self.state.water.high_of(allowed) if self.state is not None else allowed

    def _standing(self, document: Any, given: Conversation) -> Window | None:
        """Return what was sent with what came since, None where that is too much or another conversation."""
        state = self.state
        if state is None or not state.source:
            return None
        items = listed(document)
        known = len(state.source)
        if not isinstance(items, list) or self.digests.of(items[:known]) != state.source:
            state.forget()
            return None
        appended = _with_items(document, [*state.window, *items[known:]], state.outside)
        whole = repair(read(appended, str(given.format)))
        tally = self.setup.counts.total(whole.conversation)
        if whole.flaws or tally.total > self._high(self._allowed(given, self.setup.counts.total(given))):
            return None
        return self._done(document, whole.conversation, Result(whole.conversation, tally), written=appended)

    def _compacted(self, document: Any, conversation: Conversation, tally: Tally, allowed: int) -> Window:
        """Return a window that is cut: to the low water mark where this has happened before."""
        target = self._target(tally.total, allowed)
        exchanges = exchanges_of(conversation)
        keeping = promised(exchanges, self.pins)
        kept = keep(self.archive, conversation.messages)
        self.problems += kept.problems
        least = tally.tools + 3
        fixed = sum(tally.messages[at] for at in _places(exchanges, keeping.fixed))
        target = max(target, min(allowed, least + 2 * fixed))
        made = self._made(conversation, exchanges, kept, target=target, least=least)
        if self.state is not None:
            self.state.compactions += 1
        return self._done(document, made.conversation, made)

    def _target(self, total: int, allowed: int) -> int:
        """Return the tokens to cut to: low water, but all that is allowed for a long history that is new.

        A conversation that has just outgrown its window goes on growing; one that came in much longer may
        never be asked for again.
        """
        state = self.state
        if state is None:
            return allowed
        grown = state.compactions > 0 or total <= allowed * _GROWN
        return state.water.low_of(allowed) if grown or state.water.high < 1 else allowed

    def _made(
        self,
        conversation: Conversation,
        exchanges: Sequence[Exchange],
        kept: Kept,
        *,
        target: int,
        least: int,
    ) -> Result:
        """Choose and shorten; where what comes of it breaks a promise, try again with less room."""
        keeping = promised(exchanges, self.pins)
        task = self.task or _newest_text(exchanges)
        calls = any(message.calls for message in conversation.messages)
        fault, spare = "", _NOTE_ROOM if calls else _SHORT_NOTE_ROOM
        for attempt in range(4):
            spare_now = spare if attempt < 3 else 0
            frame = _framed(self.setup, exchanges, keeping, kept, target=target, least=least, spare=spare_now)
            form = Form(self.setup.library, kept.mark, _keeps_thoughts(conversation))
            planned = plan(self.setup, frame, task=task, form=form)
            notes = digested(self.setup, exchanges, planned, room=frame.room, problems=self.problems)
            made = self._assembled(conversation, exchanges, planned, notes=notes, kept=kept, target=target)
            whole = [m for at in planned.whole for m in exchanges[at].messages]
            fault = broken(made, whole, counts=self.setup.counts, budget=target)
            if not fault:
                return self._result(made, conversation, exchanges, planned, kept)
            spare += max(16, self.setup.counts.total(made).total - target + 8)
        raise PluginError(self.setup.packing.name, self.setup.packing.distribution, fault)

    def _assembled(
        self,
        conversation: Conversation,
        exchanges: Sequence[Exchange],
        planned: Plan,
        *,
        notes: Mapping[int, Message],
        kept: Kept,
        target: int,
    ) -> Conversation:
        """Return the window's conversation, repaired; with the note on what is missing, where it fits."""
        said: list[Message] = []
        changed = [at for at in range(len(exchanges)) if planned.shown[at] != tuple(exchanges[at].messages)]
        first = changed[0] if changed else -1
        remark = note(conversation.messages, planned.shown, kept)
        place = 0
        for at, shown in enumerate(planned.shown):
            if at == first:
                place = len(said)
            said.extend([notes[at]] if at in notes else [])
            said.extend(shown or ())
        plain = repair(attrs.evolve(conversation, messages=tuple(said))).conversation
        if first < 0:
            return plain
        said.insert(place, remark)
        told = repair(attrs.evolve(conversation, messages=tuple(said))).conversation
        return told if self.setup.counts.total(told).total <= target else plain

    def _result(
        self,
        made: Conversation,
        source: Conversation,
        exchanges: Sequence[Exchange],
        planned: Plan,
        kept: Kept,
    ) -> Result:
        costs = dict(zip(map(id, source.messages), self.setup.counts.messages(source.messages), strict=True))
        cuts: list[Cut] = []
        for at, one in enumerate(exchanges):
            shown = planned.shown[at] or ()
            left = {message.index: message for message in shown}
            for message in one.messages:
                standing = left.get(message.index) if shown else None
                if standing is message or standing == message:
                    continue
                now = self.setup.counts.messages([standing])[0] if standing is not None else 0
                reason = (
                    "shortened: its other lines are worth less per token"
                    if standing
                    else "left out: worth less per token than what was kept"
                )
                cuts.append(
                    Cut(message.index, message.role, costs[id(message)], now, reason, kept.address(message))
                )
        return Result(made, self.setup.counts.total(made), tuple(cuts), kept.pointer)

    def _done(
        self, document: Any, conversation: Conversation, result: Result, *, written: Any = None
    ) -> Window:
        """Write the window, remember it, and report."""
        written = write(conversation) if written is None else written
        told = report(result, conversation, budget=self.budget, state=self.state, sent=self._sent(written))
        if self.state is not None:
            self._remember(document, written, told)
        return Window(
            written,
            result.tally.total,
            result.cuts,
            tuple(dict.fromkeys([*self.problems, *self.setup.host.problems])),
            told,
        )

    def _sent(self, written: Any) -> list[tuple[str, int]]:
        """Return digest and size of each message of the window; [] where nothing is remembered."""
        items = listed(written)
        if self.state is None or not isinstance(items, list):
            return []
        return list(zip(self.digests.of(items), map(_size, items), strict=True))

    def _remember(self, document: Any, written: Any, told: Mapping[str, Any]) -> None:
        state = self.state
        if state is None:
            return
        items, window = listed(document), listed(written)
        if isinstance(items, list) and isinstance(window, list):
            state.source, state.window = self.digests.of(items), list(window)
            state.outside = written.get("system") if isinstance(written, dict) else None
            state.sent = list(told["sent"])
            with contextlib.suppress(TypeError):
                state.save()


def _framed(
    setup: Setup,
    exchanges: Sequence[Exchange],
    keeping: Any,
    kept: Kept,
    *,
    target: int,
    least: int,
    spare: int,
) -> Any:
    room = target - least
    return framed(setup, exchanges, keeping, room=room, kept=kept, budget=target, spare=spare)


def _places(exchanges: Sequence[Exchange], chosen: Iterable[int]) -> list[int]:
    """Return the positions of the chosen exchanges' messages in the conversation."""
    starts, at = [], 0
    for one in exchanges:
        starts.append(at)
        at += len(one.messages)
    return [starts[one] + place for one in chosen for place in range(len(exchanges[one].messages))]


def _newest_text(exchanges: Sequence[Exchange]) -> str:
    return next((one.messages[0].text for one in reversed(exchanges) if is_said(one)), "")


def _keeps_thoughts(conversation: Conversation) -> bool:
    """Whether thoughts must stand beside what they led to: the items of Responses name each other."""
    return conversation.format is Format.RESPONSES and any(
        block.kind is BlockKind.THINKING for message in conversation.messages for block in message.blocks
    )


def listed(document: Any) -> Any:
    """Return the list of messages in a document."""
    if not isinstance(document, dict):
        return document
    return document["messages"] if "messages" in document else document.get("input")


def _with_items(document: Any, items: list[Any], outside: Any) -> Any:
    if not isinstance(document, dict):
        return items
    key = "messages" if "messages" in document else "input"
    written = {**document, key: items}
    if outside is not None and "system" in document:
        written["system"] = outside
    return written


def _size(item: Any) -> int:
    """Return about how large an item is: the characters of its texts."""
    content = item.get("content") if isinstance(item, dict) else item
    return 16 + len(content if isinstance(content, str) else str(item))
