"""Fit a session into a budget: the workspace's block, the dialogue, and the events beside them."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import attrs

from satchel.compaction.compacting import compact
from satchel.compaction.setup import Setup
from satchel.compaction.shares import allocate, contributor_shares, division_of
from satchel.compaction.state import State, Water
from satchel.compaction.windows import Cut, category
from satchel.conversation import repair
from satchel.errors import BudgetError, PluginError, Problem, SatchelError
from satchel.messages import Conversation, Message
from satchel.session.pins import Pin, pins_of, read_only_of
from satchel.session.window.blocks import BlockPacker, Changed, Kept, WantedBlock
from satchel.session.window.context import (
    MessageSource,
    WindowDraft,
    conversation_of,
    drop_open_calls,
    find_end,
    has_grown,
    source_of,
)
from satchel.session.window.events import CHANGED, Happened, list_shown, list_untold, render_events
from satchel.session.window.levels import SHARES, fill_levels, settle_levels
from satchel.session.window.memory import DialogueMemory, WindowMemory, WorkspaceBlock

_BESIDE = 1 - SHARES["files"]
"""Share of CONTEXT for events: terminal, edits, finished steps."""
_LENT = 0.5
"""Share of its unused part that files may take."""
_SPARE, _FILLED = 0.1, 0.7
"""Share of a budget that may stay empty, and share of the rest for outputs that were shortened."""
_ADDED = 0.5
"""Share of a window's free tokens for more of the workspace after the newest messages."""
_LEAST_WATER = Water(high=0.01, low=0.01)
_ROOMS = (1.0, 0.5, 0.2, 0.0)
"""Shares of CONTEXT to try if the promised dialogue is large."""


class Fitted(NamedTuple):
    """The content of a window, before it is written."""

    conversation: Conversation
    """The dialogue alone, in the format of its messages."""
    block: WorkspaceBlock | None
    beside: str
    """The events as a text; "" if there are none."""
    levels: Mapping[str, int]
    dialogue: DialogueMemory | None
    """The sent dialogue after a compaction: the last one, or a new one."""
    source: MessageSource
    compacted: tuple[int, int, str] | None = None
    """Tokens before and after, and the pointer, if this one was compacted."""
    cut: Sequence[Cut] = ()
    problems: tuple[Problem, ...] = ()
    added: tuple[WorkspaceBlock, ...] = ()
    """Blocks of the workspace after messages."""
    is_judged: bool = True
    """Whether the blocks were packed for the task, or found good enough for it."""


@attrs.define
class Fitting:
    """One attempt to fit a session into so many counted tokens."""

    draft: WindowDraft
    memory: WindowMemory
    wanted: WantedBlock
    happened: Happened
    budget: int
    problems: list[Problem] = attrs.field(factory=list)
    _setup: Setup | None = attrs.field(init=False, default=None)
    form: str = attrs.field(init=False, default="")
    """Name of the format that the messages came in."""

    def fit(self) -> Fitted:
        """Return the content: all messages, or a compaction of them.

        Raises:
            BudgetError: promised content costs more than the budget.
        """
        source = _read_source(self, whole=False)
        pinned: list[Pin] = []
        if not self.draft.options.reader or self.memory.dialogue is None:  # else the reader has them
            pinned = [pin for pin in pins_of(self.draft.session) if pin.message is not None]
        given = self._repair(source)
        spent = self._spent(given)
        all_in = all(pin.message in source.messages for pin in pinned)
        if all_in and not self.draft.options.promised_only:
            whole = None
            with contextlib.suppress(BudgetError):  # the pins need more room than the dialogue leaves
                whole = self._whole(given, source, spent)
            if whole is not None:
                return whole
        return self._compact(_read_source(self, whole=True), pinned)

    def _repair(self, source: MessageSource) -> Conversation:
        repaired = repair(conversation_of(self.draft, source.messages))
        if self._setup is None or self.form != repaired.conversation.format.name:
            self.form = repaired.conversation.format.name
            self._setup = self.draft.setup(repaired.conversation.format)
        self.problems += [flaw.problem for flaw in repaired.flaws]
        return repaired.conversation

    @property
    def setup(self) -> Setup:
        """Return plugins and counts for the format of the messages."""
        if self._setup is None:
            raise AssertionError("messages are read first")
        return self._setup

    def _spent(self, conversation: Conversation) -> dict[str, int]:
        """Return the tokens of each category."""
        tokens = self.setup.counts.messages(conversation.messages)
        spent = {"system": 3, "context": self.budget, "dialog": 0, "results": 0}
        for message, count in zip(conversation.messages, tokens, strict=True):
            kind = category(message)
            spent["dialog" if kind == "context" else kind] += count
        return spent

    def _make_packer(self, spent: Mapping[str, int]) -> BlockPacker:
        """Return the packer of the block; its shares depend on the length of the dialogue."""
        contributors = division_of(self.draft.config).contributors
        shares = contributor_shares(spent["dialog"] + spent["results"], self.budget, contributors)
        wanted = self.wanted._replace(shares=shares)
        return BlockPacker(self.draft, self.memory, wanted, self._cost, self.problems)

    def _whole(self, given: Conversation, source: MessageSource, spent: Mapping[str, int]) -> Fitted | None:
        """Return all messages with the block, None if they exceed high water."""
        said = spent["system"] + spent["dialog"] + spent["results"]
        high = self.draft.water.high_of(self.budget)
        left, cap = high - said, _cap_of(self, spent)
        if left < 0:
            return None
        kept = self._keep_blocks(source, spent, left=left, cap=cap)
        used = sum(self._cost(one.text) for one in kept.blocks) if kept else 0
        if kept is None or used > left:
            return None
        room = max(int(cap * _BESIDE), cap - used)
        beside, levels = self._beside(room, kept.changes)
        free = left - used - self._cost(beside)
        if free < 0:
            return None
        if beside and free > _SPARE * self.budget:
            room = self._cost(beside) + int(free * _FILLED)
            beside, levels = self._beside(room, kept.changes, fill=True)
        return Fitted(
            given,
            kept.block,
            beside,
            levels,
            self.memory.dialogue,
            source,
            added=kept.added,
            is_judged=kept.is_judged,
        )

    def _keep_blocks(
        self, source: MessageSource, spent: Mapping[str, int], *, left: int, cap: int
    ) -> Kept | None:
        """Return the workspace's part of the window, None if the sent blocks leave too little room.

        A block is packed if there is none yet, or the last one had other pins; else the sent blocks stay, and
        content that another task needs is added at the end.
        """
        packer = self._make_packer(spent)
        if self.draft.options.reader:
            kept: Kept | None = packer.choose_unseen(left, cap)
            kept = kept if kept and kept.block else None
        else:
            kept = packer.recall()
        if kept is None or self._loses_pins(kept, cap):
            beside, _ = self._beside(int(cap * _BESIDE), ())
            return Kept(packer.pack(self._of_files(cap, beside), left - self._cost(beside)))
        used = sum(self._cost(one.text) for one in kept.blocks)
        if self.draft.options.reader or used > left:
            return kept if used <= left else None
        beside, _ = self._beside(max(int(cap * _BESIDE), cap - used), kept.changes)
        free = left - used - self._cost(beside)
        room = min(int(free * _ADDED), self._of_files(cap, beside))
        return packer.extend(kept, room, free, lambda: find_end(self.draft, source, self.memory.dialogue))

    def _loses_pins(self, kept: Kept, cap: int) -> bool:
        """Return whether a pinned file changed since it was shown, without its changes being shown."""
        pins = [pin.partition(":")[0] for pin in self.wanted.pins]
        changed = {f"{CHANGED}{one.path}" for one in kept.changes if one.path in pins}
        if not changed:
            return False
        used = sum(self._cost(one.text) for one in kept.blocks)
        _, levels = self._beside(max(int(cap * _BESIDE), cap - used), kept.changes)
        return any(levels.get(id_, 0) for id_ in changed)

    def _of_files(self, cap: int, beside: str) -> int:
        """Return the tokens of CONTEXT for files: their share, and half of the others' unused part."""
        used = self._cost(beside)
        return cap - used - int(max(0, cap * _BESIDE - used) * _LENT)

    def _cost(self, text: str) -> int:
        """Return the cost of a text as a message, 0 for no text."""
        return self.setup.counts.messages([Message("user", text)])[0] if text else 0

    def _beside(
        self, room: int, changes: Sequence[Changed], *, fill: bool = False
    ) -> tuple[str, dict[str, int]]:
        """Return the events in at most `room` tokens, and the level of each.

        With `fill`, old ones rise above the level of their age if there is room.
        """
        shown = list_shown(
            self.draft.session, self.happened._replace(changed=changes), self.setup.counts.texts
        )
        if self.draft.options.reader:
            known = self.memory.levels.keys()
            shown = [one for one in shown if one.id not in known or one.id.startswith(CHANGED)]
        is_read = bool(self.draft.options.reader)
        mark = "" if is_read else _write_mark([one.path for one in changes if one.text])
        for slack in (40, 120, 400):
            for left in (room, room - self._cost(mark)):
                levels = settle_levels(shown, max(0, left - slack), self.memory.levels)
                levels = fill_levels(shown, max(0, left - slack), levels) if fill else levels
                untold = [] if is_read else list_untold(changes, shown, levels)
                text = _write_mark(untold) + render_events(shown, levels)
                if self._cost(text) <= room:
                    told = {one.id: levels[one.id] for one in shown if levels[one.id] < len(one.texts)}
                    return text, told if is_read else levels
        return mark, {}

    def _compact(self, source: MessageSource, pinned: Sequence[Pin]) -> Fitted:
        """Return a compaction; context gives way, step by step, to the promised dialogue."""
        source = _with_pins(source, pinned)
        given = self._repair(source)
        spent = self._spent(given)
        packer = self._make_packer(spent)
        said = spent["system"] + spent["dialog"] + spent["results"]
        spent = {**spent, "dialog": self.budget, "results": self.budget}
        failed: BudgetError | PluginError | None = None
        for share in _ROOMS[-1:] if self.draft.options.promised_only else _ROOMS:
            try:
                cap = int(_cap_of(self, spent) * share)
                return self._compact_beside(source, pinned, packer, cap=cap, said=said)
            except (BudgetError, PluginError) as error:  # a packer may miss by the tokens of a mark
                failed = error
        if isinstance(failed, PluginError):
            raise failed
        raise BudgetError(self.draft.room.budget, failed.costs if failed else ()) from failed

    def _compact_beside(
        self, source: MessageSource, pinned: Sequence[Pin], packer: BlockPacker, *, cap: int, said: int
    ) -> Fitted:
        kept = self._settle_block(packer, cap)
        block = kept.block
        room = max(int(cap * _BESIDE), cap - self._cost(block.text)) if block else int(cap * _BESIDE)
        beside, levels = self._beside(room, kept.changes) if cap else ("", {})
        if block is None and (cap or self.wanted.pins):
            block = packer.pack(self._of_files(cap, beside), self.budget - self._cost(beside))
        room = self.budget - self._cost(block.text if block else "") - self._cost(beside)
        state = _recall_sent(self, source)
        low = state.water.low_of(max(1, room))
        if state.water == self.draft.water and _has_overflown(self) and said > low:
            state.water = Water(low=1.0, low_tokens=low, high_tokens=low, least_gain=0.0)
        made = compact(
            list(source.messages),
            budget=max(1, room),
            task=self.wanted.task,
            state=state,
            strategy=self.draft.config.strategy,
            compressor=self.draft.compressor,
            format=self.form,
            pins=[source.messages.index(pin.message) for pin in pinned],
            store=self.draft.options.store,
            model=self.draft.counted_model or "",
            host=self.draft.host,
            config=self.draft.config,
            observe=self.draft.hear_attempt,
        )
        archive = [problem for problem in made.problems if problem.plugin == "archive"]
        if made.cut and archive:
            raise _refuse(archive[0])
        return self._of_compaction(made, state, source, block, beside=beside, levels=levels)

    def _settle_block(self, packer: BlockPacker, cap: int) -> Kept:
        """Return the block that a compaction keeps, and the changes in its files; no block for a new one."""
        if not cap:
            return Kept(None)
        if self.draft.options.reader:
            kept = packer.choose_unseen(int(cap * SHARES["files"]), cap)
        else:
            kept = packer.settle(packer.recall(), self._of_files(cap, ""), cap)
        return Kept(None) if kept.block and self._loses_pins(kept, cap) else kept

    def _of_compaction(
        self,
        made: Any,
        state: State,
        source: MessageSource,
        block: WorkspaceBlock | None,
        *,
        beside: str,
        levels: Mapping[str, int],
    ) -> Fitted:
        dialogue = DialogueMemory(
            tuple(made.messages),
            source.upto,
            self.form,
            source.compactions + 1,
            self.budget,
            tuple(state.origins) if source.is_whole else (),
        )
        given = conversation_of(self.draft, made.messages)
        before = made.tokens + sum(cut.tokens - cut.kept for cut in made.cut)
        return Fitted(
            given,
            block,
            beside,
            levels,
            dialogue,
            source,
            (before, made.tokens, made.pointer),
            made.cut,
            made.problems,
        )


def _read_source(fitting: Fitting, *, whole: bool) -> MessageSource:
    """Return the messages; a reader has the earlier ones, so no compaction needs them."""
    draft, is_read = fitting.draft, bool(fitting.draft.options.reader)
    source = source_of(draft.session, fitting.memory, budget=fitting.budget, whole=whole and not is_read)
    return drop_open_calls(draft, source) if is_read else source


def _cap_of(fitting: Fitting, spent: Mapping[str, int]) -> int:
    """Return the tokens of CONTEXT, including loans from others."""
    division = division_of(fitting.draft.config)
    return allocate(fitting.budget, spent, division=division).caps["context"]


def _has_overflown(fitting: Fitting) -> bool:
    """Return whether the last window was sent in the same room, and new messages came.

    The dialogue is then cut to low water even if a smaller block would leave room for all of it: else
    the next message would move everything again.
    """
    dialogue = fitting.memory.dialogue
    has_room = dialogue is not None and has_grown(fitting.budget, dialogue)
    return bool(fitting.memory.blocks) and not fitting.draft.options.reader and not has_room


def _recall_sent(fitting: Fitting, source: MessageSource) -> State:
    """Return the sent dialogue after the last compaction, so that its beginning may stay."""
    if fitting.draft.options.promised_only:
        return State(water=_LEAST_WATER, compactions=1, setup=fitting.setup)
    dialogue = fitting.memory.dialogue
    if dialogue is not None and source.is_whole and has_grown(fitting.budget, dialogue):
        return State(water=fitting.draft.water, setup=fitting.setup)  # there is room for the cut messages
    state = State(water=fitting.draft.water, compactions=source.compactions, setup=fitting.setup)
    if dialogue is not None and dialogue.form == fitting.form and source.is_whole:
        state.window, state.origins = list(dialogue.messages), list(dialogue.origins)
    return state


def _write_mark(paths: Sequence[str]) -> str:
    """Return the note that files changed since they were shown, "" for no files."""
    return f"Changed since shown above, read again: {', '.join(paths)}\n" if paths else ""


def _refuse(problem: Problem) -> Exception:
    return SatchelError(f"nothing was cut, because it can't be archived: {problem.error}")


def _with_pins(source: MessageSource, pinned: Sequence[Pin]) -> MessageSource:
    """Return the messages with the missing pinned ones inserted after the beginning."""
    missing = [pin.message for pin in pinned if pin.message not in source.messages]
    if not missing:
        return source
    at = next((at for at, one in enumerate(source.messages) if one.get("role") == "user"), 0) + 1
    return source._replace(messages=(*source.messages[:at], *missing, *source.messages[at:]))


def describe_wanted(draft: WindowDraft, task: str, usage: Mapping[str, float]) -> WantedBlock:
    """Return the purpose of a block."""
    pins = tuple(pin.ref for pin in pins_of(draft.session) if pin.message is None)
    files, size = tuple(read_only_of(draft.session)), draft.counted.bit_length()
    return WantedBlock(task, pins, files, usage, draft.config.model, size=size)
