"""Make a window of a conversation that is too long: choose, shorten, and verify every promise."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.archive import Archive, ArchiveError
from satchel.compaction.again import NOTHING_EARLIER, Earlier, mark_of
from satchel.compaction.cleaning import clean_texts
from satchel.compaction.pieces import plain_text
from satchel.compaction.plans import Asked, Plan, make_frame, plan, share_of
from satchel.compaction.prefix import NOTHING, StandingPrefix
from satchel.compaction.promises import Promised, check_promises, is_user_message, name_exchange
from satchel.compaction.results import know_results
from satchel.compaction.setup import Setup
from satchel.compaction.shortening import Form
from satchel.compaction.windows import Cut, Result
from satchel.compaction.worth import FEW, rules_of, sift_exchanges, terms_of
from satchel.conversation import find_spoken, repair
from satchel.errors import BudgetError, PluginError, Problem
from satchel.host import BrokenContractError, Loaded, choose_arguments
from satchel.host.answers import check_message
from satchel.items import Task
from satchel.messages import Block, BlockKind, Conversation, Exchange, Message, count_listed
from satchel.redaction.scanning import Scanners

if TYPE_CHECKING:
    from satchel.interfaces import Compressor, Tokenizer

MARK = "[satchel"
"""The beginning of every mark."""
UNKEPT = f"{MARK} not archived]"
_DIGITS = 12


class ArchivedTexts(NamedTuple):
    """Where the whole texts are: lines of one text in the archive."""

    pointer: str
    """`blob:HASH`, "" if it could not be archived."""
    lines: Mapping[int, tuple[int, int]]
    """First and last line of each message, by its `id()`."""
    problems: tuple[Problem, ...] = ()
    earlier: Earlier = NOTHING_EARLIER

    def mark(self, message: Message, block: Block | None = None, /) -> str:
        """Return the mark in place of the text that a message, or one of its blocks, lost."""
        lines = self.lines.get(id(message))
        if not self.pointer or not lines:
            return UNKEPT
        # a message that was cut earlier has fewer lines than its archived text
        blocks = message.blocks if block and not mark_of(message) else ()
        before = takewhile(lambda one: one is not block, blocks)
        above = sum(text.count("\n") + 1 for one in before for text in whole_block(one))
        return f"{MARK} {min(lines[0] + above, lines[1])}]"

    def address(self, message: Message) -> str:
        """Return the pointer that expands to a message's whole text, "" if it was not archived."""
        lines = self.lines.get(id(message))
        return f"{self.pointer}:{lines[0]}-{lines[1]}" if self.pointer and lines else ""


def join_messages(
    messages: Sequence[Message], scanners: Scanners, earlier: Earlier = NOTHING_EARLIER
) -> tuple[str, dict[int, tuple[int, int]]]:
    """Return one text of all messages without their secrets, and the lines of each message by its `id()`.

    Text that is already archived is reused.
    """
    told = ["\n".join(whole_text(message)) for message in messages]
    changed = clean_texts(told, scanners)
    said: list[str] = [earlier.text]
    places: dict[int, tuple[int, int]] = {}
    line = earlier.text.count("\n") + 1
    for message, text in zip(messages, [changed.get(text, text) for text in told], strict=True):
        known = earlier.place(message, text)
        if known is not None:
            places[id(message)] = known
            continue
        count = text.count("\n") + 1
        said += [f"--- {message.role} {message.index}\n", text, "\n"]
        places[id(message)] = (line + 1, line + count)
        line += count + 1
    return "".join(said), places


def keep(
    archive: Archive,
    messages: Sequence[Message],
    shown: Sequence[Message],
    earlier: Earlier = NOTHING_EARLIER,
) -> ArchivedTexts:
    """Put the whole text of messages into the archive, without their secrets, after an earlier text.

    Args:
        archive: the archive to write to.
        messages: all messages.
        shown: the same messages as the window may show them.
        earlier: the result of an earlier compaction.
    """
    text, places = join_messages(messages, archive.scanners, earlier)
    places |= {id(one): places[id(message)] for message, one in zip(messages, shown, strict=True)}
    try:
        hash_ = archive.put_clean(text)
    except ArchiveError as error:
        return ArchivedTexts("", {}, (Problem("archive", "compact", str(error)),), earlier)
    return ArchivedTexts(f"blob:{hash_[:_DIGITS]}", places, earlier=earlier)


def whole_text(message: Message) -> Iterator[str]:
    """Yield the full text of a message: texts, calls with their arguments, results, attachments."""
    for block in message.blocks:
        yield from whole_block(block)


def whole_block(block: Block) -> Iterator[str]:
    """Yield the full text of one block of a message."""
    if block.kind is BlockKind.CALL:
        yield f"{block.name} {block.text}" if block.name else block.text
    elif block.kind in (BlockKind.TEXT, BlockKind.THINKING):
        yield block.text
    elif block.kind is BlockKind.RESULT:
        yield from _of_result(block)
    else:
        yield _as_json(block)


def _of_result(block: Block) -> Iterator[str]:
    if not block.blocks:
        yield plain_text(block.text)
    for inner in block.blocks:
        yield inner.text if inner.kind is BlockKind.TEXT else _as_json(inner)


def _as_json(block: Block) -> str:
    if block.raw is None:
        return block.text
    try:
        return json.dumps(block.raw, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return block.text


def note(
    source: Sequence[Message], shown: Sequence[tuple[Message, ...] | None], kept: ArchivedTexts
) -> Message:
    """Return the note, as a message of the user's; messages are counted as their list has them."""
    standing = {id(message) for one in shown for message in one or ()}
    whole, new = _find_whole(source, kept)
    cut = {message.index for message in whole if id(message) not in standing} - {-1}
    missing, total = kept.earlier.missing + len(cut), kept.earlier.messages + new
    marked = any(MARK in block.text for one in shown for message in one or () for block in message.blocks)
    return _write_note(missing, total, kept, marked=marked)


def _find_whole(source: Sequence[Message], kept: ArchivedTexts) -> tuple[Sequence[Message], int]:
    """Return the messages that no earlier compaction shortened, and the number of new messages.

    New messages are those after the last archived one.
    """
    earlier = kept.earlier
    if not earlier.text:
        return source, count_listed(source)
    if not kept.lines:
        return [message for message in source if not mark_of(message)], 0
    end = earlier.text.count("\n") + 1
    known = [at for at, message in enumerate(source) if kept.lines.get(id(message), (end,))[0] < end]
    since = source[max(known, default=-1) + 1 :]
    whole = [source[at] for at in known if not mark_of(source[at])]
    return [*whole, *since], len({message.index for message in since} - {-1})


def longest(source: Sequence[Message], kept: ArchivedTexts, *, marked: bool) -> Message:
    """Return the longest note possible, to reserve room for it."""
    most = len(source) + kept.earlier.messages
    return _write_note(most, most, kept, marked=marked)


def _write_note(missing: int, of: int, kept: ArchivedTexts, *, marked: bool) -> Message:
    told = f"{missing} of {of} messages cut"
    if not kept.pointer:
        return Message("user", f"{MARK}: {told}; not archived]")
    if not marked:
        return Message("user", f"{MARK}: {told}; satchel expand {kept.pointer}]")
    how = f"[satchel N] is line N of {kept.pointer}; satchel expand {kept.pointer}:N-M prints it"
    return Message("user", f"{MARK}: {told}; {how}]")


_NOTED = 3
"""Attempts with room for the note on missing text; then one without it, and one with promises alone."""
_SHORTENED = "shortened: its other lines are worth less per token"
_LEFT_OUT = "left out: worth less per token than what was kept"


@attrs.frozen
class CompactionSource:
    """The material for a window."""

    conversation: Conversation
    exchanges: Sequence[Exchange]
    keeping: Promised
    kept: ArchivedTexts
    task: str
    """The task; "" for the newest user message."""
    standing: StandingPrefix = NOTHING
    """The part of the last sent window that stays."""
    unread: Sequence[Exchange] = ()
    """Exchanges left out of a history of many thousands without a look."""

    def sift(self, setup: Setup, budget: int) -> CompactionSource:
        """Return the same source, of a history of many thousands with the exchanges that deserve a look."""
        if len(self.exchanges) <= FEW:
            return self
        terms = terms_of(self.task or newest_text(self.exchanges), setup.library)
        good = sift_exchanges(self.exchanges, budget, terms=terms, rules=rules_of(setup.compressor))
        chosen = (set(good) | self.keeping.all | {self.keeping.opening}) - {-1}
        positions = sorted(chosen)
        return attrs.evolve(
            self,
            exchanges=[self.exchanges[at] for at in positions],
            keeping=self.keeping.among(positions),
            standing=NOTHING,
            unread=[one for at, one in enumerate(self.exchanges) if at not in chosen],
        )


@attrs.frozen
class Making:
    """One conversation to cut to `target` tokens, of which its messages may take `room`."""

    setup: Setup
    source: CompactionSource
    target: int
    room: int
    problems: list[Problem]
    allowed: int = 0
    """Tokens of the whole budget, if `target` is low water."""

    def result(self) -> Result:
        """Return the window; if a choice breaks a promise, try again with less room.

        Raises:
            BudgetError: the promises cost more.
            PluginError: the packer's choice breaks a promise at every attempt.
        """
        fault, over, spare = "", 0, self._note_tokens()
        for attempt in range(_NOTED + 2):
            planned, notes = self._plan(spare if attempt < _NOTED else (0, self.room)[attempt - _NOTED])
            made, over = self._assemble(planned, notes)
            if over > 0 and attempt < _NOTED:
                spare += over
                continue
            whole = [m for at in planned.whole for m in self.source.exchanges[at].messages]
            fault = check_promises(made, whole, counts=self.setup.counts, budget=self.target)
            if not fault:
                return self._result(made, planned)
            over = self.setup.counts.total(made).total - self.target
            spare += max(16, over + 8)
        if over > 0:
            raise self._too_dear(self.room + over)
        raise PluginError(self.setup.packing.name, self.setup.packing.distribution, fault)

    def _too_dear(self, tokens: int) -> BudgetError:
        exchanges = [self.source.exchanges[at] for at in sorted(self.source.keeping.all)]
        must = [(name_exchange(one), sum(self.setup.counts.messages(one.messages))) for one in exchanges]
        between = tokens - sum(cost for _, cost in must)
        return BudgetError(self.target, [*must, ("what is between them", max(0, between))])

    def _note_tokens(self) -> int:
        messages = self.source.conversation.messages
        calls = any(message.calls for message in messages)
        remark = longest(messages, self.source.kept, marked=calls)
        return self.setup.counts.messages([remark])[0] + 1

    def _plan(self, spare: int) -> tuple[Plan, Mapping[int, Message]]:
        """Return the plan, and the compressor's messages by the exchange that follows them."""
        source = self.source
        form = Form(
            self.setup.library,
            source.kept.mark,
            _keeps_thoughts(source.conversation),
            know_results(source.exchanges),
        )
        asked = Asked(self.room, self.target, spare, self.allowed)
        frame = make_frame(self.setup, source.exchanges, source.keeping, asked, form, stands=source.standing)
        task = source.task or newest_text(source.exchanges)
        people = source.keeping.intent.people
        planned = plan(self.setup, frame, task=task, form=form, people=people)
        notes = digest_runs(
            self.setup,
            source.exchanges,
            planned,
            room=frame.room,
            task=task,
            problems=self.problems,
        )
        return planned, notes

    def _lay_out(self, planned: Plan, notes: Mapping[int, Message]) -> tuple[list[Message], int]:
        """Return the messages of a window, and the place of the first change; -1 if nothing was changed.

        The kept part of the last window comes first, unchanged.
        """
        exchanges, first = self.source.exchanges, self.source.standing.end
        said: list[Message] = list(self.source.standing.messages)
        place = -1
        for at, shown in enumerate(planned.shown[first:], first):
            if place < 0 and shown != tuple(exchanges[at].messages):
                place = len(said)
            said.extend([notes[at]] if at in notes else [])
            said.extend(shown or ())
        return said, place

    def _assemble(self, planned: Plan, notes: Mapping[int, Message]) -> tuple[Conversation, int]:
        """Return the window's conversation, repaired, with the note on missing text if it fits.

        The number is how many tokens the note is too long, 0 if it fits: without a note, nobody finds the
        text that was cut.
        """
        given = self.source.conversation
        said, place = self._lay_out(planned, notes)
        plain = repair(attrs.evolve(given, messages=tuple(said))).conversation
        if place < 0 and (noted := self.source.kept.earlier.noted) >= 0:
            place = sum(message.index < noted for message in said)
        if place < 0:
            return plain, 0
        said.insert(place, note(given.messages, planned.shown, self.source.kept))
        told = repair(attrs.evolve(given, messages=tuple(said))).conversation
        over = self.setup.counts.total(told).total - self.target
        return (told, 0) if over <= 0 else (plain, over)

    def _result(self, made: Conversation, planned: Plan) -> Result:
        shown = zip(self.source.exchanges, planned.shown, strict=True)
        cuts = list(
            self._iter_cuts(
                [pair for one, messages in shown for pair in _iter_cut_messages(one, messages or ())]
            )
        )
        if self.source.unread:
            cuts = sorted([*cuts, *self._iter_cuts_of_unread()], key=lambda cut: cut.index)
        return Result(made, self.setup.counts.total(made), tuple(cuts), self.source.kept.pointer)

    def _iter_cuts_of_unread(self) -> Iterator[Cut]:
        messages = [message for one in self.source.unread for message in one.messages]
        address = self.source.kept.address
        for message, tokens in zip(messages, self.setup.counts.messages(messages), strict=True):
            yield Cut(message.index, message.role, tokens, 0, _LEFT_OUT, address(message))

    def _iter_cuts(self, changed: Sequence[tuple[Message, Message | None]]) -> Iterator[Cut]:
        """Yield a cut for each changed message, with the tokens that are left of it."""
        counts, address = self.setup.counts.messages, self.source.kept.address
        left = iter(counts([standing for _, standing in changed if standing is not None]))
        whole = counts([message for message, _ in changed])
        for (message, standing), tokens in zip(changed, whole, strict=True):
            kept, reason = (0, _LEFT_OUT) if standing is None else (next(left), _SHORTENED)
            yield Cut(message.index, message.role, tokens, kept, reason, address(message))


def _iter_cut_messages(one: Exchange, shown: Sequence[Message]) -> Iterator[tuple[Message, Message | None]]:
    """Yield the messages of an exchange that are not shown unchanged, with their shown form."""
    left = {message.index: message for message in shown}
    for message in one.messages:
        standing = left.get(message.index)
        if standing is not message and standing != message:
            yield message, standing


def newest_text(exchanges: Sequence[Exchange]) -> str:
    """Return the newest text of the user, "" if there is none."""
    said = [one.messages[0] for one in reversed(exchanges) if is_user_message(one)]
    return next((words for one in said if (words := find_spoken(one))), said[0].text if said else "")


def _keeps_thoughts(conversation: Conversation) -> bool:
    """Return whether thoughts must stay beside the items they led to: items of an answer name each other."""
    return conversation.format.rules.items and any(
        block.kind is BlockKind.THINKING for message in conversation.messages for block in message.blocks
    )


_LEAST = 24
"""Tokens below which a run is not offered: no summary is as short."""


def digest_runs(
    setup: Setup,
    exchanges: Sequence[Exchange],
    planned: Plan,
    *,
    room: int,
    task: str,
    problems: list[Problem],
) -> dict[int, Message]:
    """Offer each run of left-out exchanges to the compressor; return its messages by a run's first exchange.

    An answer that is not a message of the user or the model, is empty, or costs more than its target is
    reported in `problems`, and the compressor that needs no model is asked instead.
    """
    if share_of(setup.compressor) == 0:
        return {}
    runs = [(first, list(exchanges[first:end])) for first, end in _iter_runs(planned)]
    sizes = [sum(sum(setup.counts.messages(one.messages)) for one in run) for _, run in runs]
    total = sum(sizes)
    found: dict[int, Message] = {}
    for (first, run), size in zip(runs, sizes, strict=True):
        target = min(room * size // max(1, total), size - 1)
        if target < _LEAST:
            continue
        message = _ask_compressor(setup, (run, target, setup.tokenizer, Task(task)), problems)
        if message is not None:
            found[first] = message
    return found


def _iter_runs(planned: Plan) -> Iterator[tuple[int, int]]:
    start = -1
    for at, shown in enumerate([*planned.shown[planned.first :], ()], planned.first):
        if shown is None and start < 0:
            start = at
        elif shown is not None and start >= 0:
            yield start, at
            start = -1


def _ask_compressor(
    setup: Setup, args: tuple[Sequence[Exchange], int, Tokenizer, Task], problems: list[Problem]
) -> Message | None:
    """Return the compressor's message, None if it has none; if the compressor fails, ask the fallback."""
    asked: list[tuple[Loaded, Compressor]] = [(setup.compressing, setup.compressor)]
    for loaded, compressor in [*asked, setup.fallback] if setup.fallback else asked:
        known = choose_arguments(compressor.compress, args)
        answer = setup.host.calls.call(loaded, compressor.compress, *known, stage="compress")
        if answer is None:
            return None
        fault = "" if isinstance(answer, Problem) else _find_fault(setup, answer, args[1])
        if fault:
            problems.append(Problem(loaded.name, "compress", fault, loaded.distribution))
        elif not isinstance(answer, Problem):
            return answer
    return None


def _find_fault(setup: Setup, answer: object, target: int) -> str:
    try:
        message = check_message(answer)
    except BrokenContractError as error:
        return str(error)
    tokens = setup.counts.messages([message])[0] if message else 0
    return f"returned {tokens} tokens where {target} were asked for" if tokens > target + 4 else ""
