"""Assemble the next input of a model: the window of a session, or a brief for a helper."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from satchel.compaction.cleaning import clean_document
from satchel.compaction.compacting import list_messages
from satchel.compaction.shares import MAP, division_of
from satchel.compaction.windows import category
from satchel.conversation import Tally, dump, write
from satchel.errors import BudgetError, Problem, SatchelError, UsageError, WorkspaceError
from satchel.events import BudgetExceeded, Event, PluginFailed, PressureChanged
from satchel.guarding.gauges import CELLS, Limits, Reading, cells_level
from satchel.host.calling import list_current
from satchel.host.observing import announce
from satchel.messages import Conversation, Message
from satchel.paths import relative_path
from satchel.session.ledger import list_paths_used
from satchel.session.nodes import COMPACTION
from satchel.session.pins import pins_of
from satchel.session.pools import notes_of
from satchel.session.window.blocks import pack_block, refresh_files
from satchel.session.window.context import (
    MessageSource,
    SessionWindow,
    WindowDraft,
    WindowOptions,
    conversation_of,
    drop_open_calls,
    find_index,
    newest_request,
    source_of,
    start_draft,
)
from satchel.session.window.events import CHANGED, Happened, Tokens, list_shown, render_events
from satchel.session.window.fitting import Fitted, Fitting, describe_wanted
from satchel.session.window.levels import settle_levels
from satchel.session.window.memory import (
    WINDOW,
    WindowMemory,
    WorkspaceBlock,
    body_of,
    compare_prefix,
    kind_of,
    recall,
    recall_shown,
    touch,
    trim_usages,
    weigh_usages,
)
from satchel.session.window.rendering import as_text, convert, frame_context

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.session.session import Session
    from satchel.session.window.memory import WindowMemory, WorkspaceBlock

_SLACK = 16
"""Tokens left free, because a provider's frame may cost more."""
_ATTEMPTS = 5
_MOST_SAVED = 50_000
"""Messages up to which snapshots are automatic: writing a longer session takes seconds."""
_MOST_TASK = 4_000
"""Characters of a request that serve as the task."""


PARTS = ("system", "map", "context", "memory", "dialog", "results")
"""Names of the parts of a window's tokens."""
_MEMORY = "what happened in this session"


def is_memory(text: str) -> bool:
    """Return whether a message is the window's record of the session's events."""
    return text.partition(">")[0].endswith(f": {_MEMORY}")


class _Made:
    """A window that fits, before it is described."""

    def __init__(self, fitted: Fitted, conversation: Conversation, tally: Tally) -> None:
        self.fit, self.conversation, self.tally = fitted, conversation, tally
        self.document = write(conversation)


def assemble(draft: WindowDraft, task: str) -> SessionWindow:
    """Return and remember the window for an agent: the workspace, the dialogue and the events.

    For a named reader it holds only content that this reader was not shown yet.
    """
    reader = draft.options.reader
    known, problems = recall_shown(draft.session, reader) if reader else recall(draft.session)
    source = source_of(draft.session, known, budget=draft.counted, whole=False)
    source = drop_open_calls(draft, source) if reader else source
    fresh = _fresh(draft, source, known)
    task = find_task(draft, source, task or (known.judged if not source.messages else ""))
    memory = _follow_messages(draft, known, fresh, source)
    half = draft.config.half_life
    used = weigh_usages(memory.usage, draft.session.now(), half_life_seconds=half)
    wanted = describe_wanted(draft, task, {id_: round(value, 2) for id_, value in used.items()})
    made = _fit_written(draft, Fitting(draft, memory, wanted, list_events(draft, memory), 0, problems))
    saved = [] if reader else _take_snapshot(draft, draft.to_model_tokens(made.tally.total))
    answer = _describe_window(
        draft, memory, made, task=task, problems=(*problems, *made.fit.problems, *saved)
    )
    _remember(draft, (known, memory), made, answer)
    return answer


def find_task(draft: WindowDraft, source: MessageSource, task: str) -> str:
    """Return the given task, or else the newest request of the user."""
    if task.strip():
        return draft.scanners.redact(task).text
    said = newest_request(conversation_of(draft, source.messages).messages)[:_MOST_TASK]
    if not said:
        raise UsageError("the session has no request yet; say what the window is for with --task")
    return said


def list_events(draft: WindowDraft, memory: WindowMemory) -> Happened:
    """Return the session's events besides the messages."""
    steps = [str(node.body.get("text", "")) for node in draft.session.happenings("step", last=50)]
    pool = draft.options.pool
    notes = notes_of(pool, store=draft.session.folder, root=draft.root) if pool else []
    return Happened(memory.ledger.with_steps(steps), (), notes)


def _fresh(draft: WindowDraft, source: MessageSource, memory: WindowMemory) -> list[Message]:
    """Return the messages that are new since the last window."""
    if source.upto == memory.upto:
        return []
    known = source.places.index(memory.upto) + 1 if memory.upto in source.places else 0
    start = len(source.messages) - len(source.places) + known
    return [m for m in conversation_of(draft, source.messages).messages if m.index >= start]


def _follow_messages(
    draft: WindowDraft, memory: WindowMemory, fresh: Sequence[Message], source: MessageSource
) -> WindowMemory:
    """Return the memory with the actions and uses of the new messages, each message counted once."""
    now, usage = draft.session.now(), dict(memory.usage)
    shown = [str(item["path"]) for block in memory.blocks for item in block.items if item["path"]]
    used = [_inside(draft, path) for path in list_paths_used(fresh)]
    used += [path for path in shown if any(path in message.text for message in fresh)]
    for path in dict.fromkeys(used):
        usage[f"file:{path}"] = touch(usage.get(f"file:{path}"), now)
    return attrs.evolve(
        memory,
        ledger=memory.ledger.after(fresh),
        usage=trim_usages(usage, now, half_life_seconds=draft.config.half_life),
        upto=source.upto,
    )


def _inside(draft: WindowDraft, path: str) -> str:
    try:
        return relative_path(draft.root, path)
    except WorkspaceError:
        return path


def _fit_written(draft: WindowDraft, fitting: Fitting) -> _Made:
    """Return a window whose written form fits, with less room if its provider's frames cost more."""
    margin = draft.counted - division_of(draft.config).countable(draft.counted)
    budget = draft.counted - max(margin, min(_SLACK, draft.counted // 10))
    over = 0
    for _ in range(_ATTEMPTS):
        fitted = attrs.evolve(fitting, budget=max(1, budget)).fit()
        conversation = convert(_join_parts(fitted), draft.form(fitted.conversation.format))
        tally = draft.setup(conversation.format).counts.total(conversation)
        over = draft.to_model_tokens(tally.total) - draft.room.budget
        if over <= 0:
            return _Made(fitted, conversation, tally)
        budget -= over + _SLACK
    raise BudgetError(draft.room.budget, [("the window", draft.room.budget + over)])


def _join_parts(fitted: Fitted) -> Conversation:
    """Return the dialogue with the workspace after the system's text, and the events near its end.

    Further parts of the workspace stay where they were first sent. The parts that change most come last, so
    that a provider's cache holds everything before; a request of the user's stays the last message.
    """
    messages = list(fitted.conversation.messages)
    first = next((at for at, one in enumerate(messages) if category(one) != "system"), len(messages))
    for block in reversed(fitted.added):
        place = find_index(fitted.source, block.after)
        behind = (at for at, one in enumerate(messages) if at >= first and one.index >= place)
        messages.insert(next(behind, len(messages)), Message("user", block.text))
    if fitted.beside:
        at = len(messages) - bool(len(messages) > first and messages[-1].role == "user")
        messages.insert(at, Message("user", frame_context(_MEMORY, fitted.beside)))
    if fitted.block is not None and fitted.block.text:
        messages.insert(first, Message("user", fitted.block.text))
    return attrs.evolve(fitted.conversation, messages=tuple(messages))


def _describe_window(
    draft: WindowDraft, memory: WindowMemory, made: _Made, *, task: str, problems: Sequence[Problem]
) -> SessionWindow:
    fitted = made.fit
    blocks = (*((fitted.block,) if fitted.block else ()), *fitted.added)
    parts = parts_of(draft, made.conversation, made.tally, blocks)
    tokens = sum(parts[name] for name in PARTS)
    divergence, share = compare_prefix(memory.sent, _digest_messages(made))
    level = cells_level(Reading(tokens, draft.room.budget), Limits())
    return SessionWindow(
        task=task,
        window=draft.room.window,
        budget=draft.room.budget,
        tokens=tokens,
        parts=parts,
        document=made.document,
        text=as_text(made.conversation.messages),
        form=made.conversation.format.name,
        context=context_of(blocks),
        shown=dict(fitted.levels),
        of_messages=fitted.source.total,
        compacted=fitted.compacted is not None,
        cut=tuple(fitted.cut),
        first_divergence=divergence,
        cached_share=share,
        pressure=level.name.lower(),
        problems=tuple(dict.fromkeys([*problems, *list_current(draft.host.problems, draft.since)])),
        list_key=made.conversation.list_key,
    )


def context_of(blocks: Sequence[WorkspaceBlock]) -> dict[str, Any]:
    """Return the workspace's part of a window: its items, and the use of each contributor."""
    contributors: dict[str, dict[str, int]] = {}
    for block in blocks:
        for name, had in block.account.get("contributors", {}).items():
            sums = contributors.setdefault(name, dict.fromkeys(had, 0))
            sums.update({key: sums[key] + tokens for key, tokens in had.items()})
    return {
        "kept": bool(blocks and blocks[0].node),
        "items": [dict(item) for block in blocks for item in block.items],
        "contributors": contributors,
        "loans": [loan for block in blocks for loan in block.account.get("loans", [])],
    }


def parts_of(
    draft: WindowDraft, conversation: Conversation, tally: Tally, blocks: Sequence[WorkspaceBlock]
) -> dict[str, int]:
    """Return the tokens of each part of the window; they add up to it.

    Each part is rounded up to whole tokens of the model, so the sum may be a few above the whole's. The
    session's memory and the map of the workspace are not part of `context`.
    """
    counted: dict[str, int] = dict.fromkeys(PARTS, 0)
    counted["system"] = tally.tools + 3
    for message, tokens in zip(conversation.messages, tally.messages, strict=True):
        kind = category(message)
        counted["memory" if kind == "context" and is_memory(message.text) else kind] += tokens
    spent = {name: draft.to_model_tokens(tokens) for name, tokens in counted.items()}
    mapped = sum(one.account.get("contributors", {}).get(MAP, {}).get("used", 0) for one in blocks)
    spent["map"] = min(mapped, spent["context"])
    spent["context"] -= spent["map"]
    over = max(0, sum(spent.values()) - draft.room.budget)
    spent["dialog"] -= min(over, spent["dialog"])
    free = draft.room.budget - sum(spent.values())
    return {"reply": draft.room.window - draft.room.budget, **spent, "free": free}


def _digest_messages(made: _Made) -> list[tuple[str, int]]:
    """Return digest and size of each message of a window's document."""
    said = [dump(one) for one in list_messages(made.document, made.conversation.list_key)]
    return [
        (hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=9).hexdigest(), len(text))
        for text in said
    ]


def _remember(
    draft: WindowDraft, memories: tuple[WindowMemory, WindowMemory], made: _Made, answer: SessionWindow
) -> None:
    """Record the shown content, and the compaction, as one node; nothing if nothing changed."""
    fitted, (known, memory) = made.fit, memories
    after = attrs.evolve(
        memory,
        dialogue=fitted.dialogue,
        block=fitted.block,
        added=fitted.added,
        levels=fitted.levels,
        sent=tuple(_digest_messages(made)),
        pressure=answer.pressure,
        judged=answer.task if fitted.is_judged else memory.judged,
        upto=fitted.source.upto,
    )
    if reader := draft.options.reader:
        if after.block is not memory.block or after.levels:
            body = body_of(_note_shown(draft, memory, after), compacted=False)
            draft.session.record(kind_of(reader), {**body, "reader": reader})
        if after.upto:
            draft.session.note_read(reader, after.upto)
        announce_events(draft, [PluginFailed(one) for one in answer.problems if one.plugin == "session"])
        return
    compacted = fitted.compacted is not None
    events: list[Event] = [PluginFailed(one) for one in answer.problems if one.plugin == "session"]
    if answer.pressure != memory.pressure:
        events.append(PressureChanged(CELLS, memory.pressure, answer.pressure, answer.tokens, answer.budget))
    if compacted or body_of(after, compacted=False) != body_of(known, compacted=False):
        draft.session.record(COMPACTION if compacted else WINDOW, body_of(after, compacted=compacted))
    announce_events(draft, events)


def _note_shown(draft: WindowDraft, before: WindowMemory, after: WindowMemory) -> WindowMemory:
    """Return all that a reader was shown, by this window and earlier ones."""
    block = after.block
    if block is not None and before.block is not None and block is not before.block:
        files = {**before.block.files, **block.files}
        block = attrs.evolve(block, items=(*before.block.items, *block.items), files=files)
    changed = [id_.removeprefix(CHANGED) for id_ in after.levels if id_.startswith(CHANGED)]
    if block is not None:
        block = refresh_files(attrs.evolve(block, text="", node=""), changed, draft.root, draft.read)
    return attrs.evolve(after, block=block, levels={**before.levels, **after.levels})


def _take_snapshot(draft: WindowDraft, tokens: int) -> list[Problem]:
    """Take a snapshot if the window is nearly full; a failure is a problem of the window."""
    from satchel.session.snapshots import take_at_threshold

    if draft.session.count() > _MOST_SAVED:
        return []
    at, keep = draft.config.snapshot_at, draft.config.snapshots
    try:
        take_at_threshold(draft.session, used=tokens, window=draft.room.budget, threshold=at, keep=keep)
    except SatchelError as error:
        return [Problem("session", "snapshot", str(error))]
    return []


def announce_events(draft: WindowDraft, events: Sequence[Event]) -> None:
    """Pass events to observers, and to the session's own."""
    announce(draft.host, events, draft.session.emit, config=draft.config)


_BRIEF_SLACK = 48
"""Tokens for the frames of both messages."""
_BESIDE = 0.25
"""Largest share of a brief for events."""


def brief(draft: WindowDraft, task: str) -> SessionWindow:
    """Return a window for a helper; nothing is recorded, so that the session's own stays as it is.

    Raises:
        BudgetError: the task and the pinned messages cost more than the budget.
    """
    memory, problems = recall(draft.session)
    source = source_of(draft.session, memory, budget=draft.counted, whole=False)
    task = find_task(draft, source, task)
    given = conversation_of(draft, source.messages)
    form = draft.form(given.format)
    counts = draft.setup(form).counts
    said = _must(draft, task, newest_request(given.messages))
    room = draft.counted - _BRIEF_SLACK
    spent = sum(counts.texts([said]))
    if spent > room:
        said = _must(draft, task, "")
        spent = sum(counts.texts([said]))
    if spent > room:
        raise BudgetError(
            draft.room.budget, [("the task and what is pinned", draft.to_model_tokens(spent + _BRIEF_SLACK))]
        )
    beside = _beside(draft, memory, int((room - spent) * _BESIDE), counts.texts)
    block, found = _pack_workspace(draft, memory, task, room - spent - sum(counts.texts([beside])))
    texts = [*([block.text] if block else []), f"{beside}{said}"]
    conversation = convert(Conversation(form, tuple(Message("user", text) for text in texts)), form)
    return _window(draft, conversation, block, task=task, problems=(*problems, *found))


def _beside(draft: WindowDraft, memory: WindowMemory, room: int, count: Tokens) -> str:
    """Return the finished tasks and the edits, in at most `room` tokens."""
    shown = list_shown(draft.session, list_events(draft, memory), count)
    wanted = [one for one in shown if one.kind in ("tasks", "diffs")]
    for slack in (30, 100):
        text = render_events(wanted, settle_levels(wanted, max(0, room - slack), {}))
        if sum(count([text])) <= room:
            return text
    return ""


def _must(draft: WindowDraft, task: str, request: str) -> str:
    """Return the essentials for a helper: the task, the request that it comes from, and the pins."""
    messages = [dict(pin.message) for pin in pins_of(draft.session) if pin.message is not None]
    pinned = [_text_of(message) for message in clean_document(messages, draft.scanners)]
    lines = [f"# Task\n{task.rstrip()}\n"]
    if request.strip() not in ("", task.strip()):
        lines.append(f"# The request that it comes from\n{request.rstrip()}\n")
    if pinned:
        lines += ["# Must be known\n", *pinned]
    return "".join(lines)


def _text_of(message: dict[str, object]) -> str:
    content = message.get("content")
    said = content if isinstance(content, str) else dump(content)
    return f"{said}\n"


def _pack_workspace(
    draft: WindowDraft, memory: WindowMemory, task: str, left: int
) -> tuple[WorkspaceBlock | None, list[Problem]]:
    usage = weigh_usages(memory.usage, draft.session.now(), half_life_seconds=draft.config.half_life)
    budget = draft.to_model_tokens(left) - (draft.model is not None)
    return pack_block(
        describe_wanted(draft, task, usage), budget, draft.root, config=draft.config, host=draft.host
    )


def _window(
    draft: WindowDraft,
    conversation: Conversation,
    block: WorkspaceBlock | None,
    *,
    task: str,
    problems: tuple[Problem, ...],
) -> SessionWindow:
    tally: Tally = draft.setup(conversation.format).counts.total(conversation)
    blocks = (block,) if block else ()
    parts = parts_of(draft, conversation, tally, blocks)
    return SessionWindow(
        task=task,
        window=draft.room.window,
        budget=draft.room.budget,
        tokens=draft.to_model_tokens(tally.total),
        parts=parts,
        document=write(conversation),
        text=as_text(conversation.messages),
        form=conversation.format.name,
        context=context_of(blocks),
        problems=problems,
        list_key=conversation.list_key,
    )


_PLAIN = WindowOptions()


def window(
    session: Session,
    task: str = "",
    *,
    budget: int | str | None = None,
    model: str | None = None,
    options: WindowOptions = _PLAIN,
    host: Host | None = None,
) -> SessionWindow:
    """Return the next input of a model: the workspace for the task, the dialogue, and the events.

    The beginning stays byte for byte as it was sent before, as long as it can; shown and used items are
    recorded, and so is a compaction, which `undo` takes back.

    Args:
        session: whose branch it is made of.
        task: what is being done; the newest user message by default.
        budget: most tokens, or "auto" for the model's window; configured by default.
        model: its name sets the vocabulary, and the window for "auto".
        options: everything else.
        host: the plugins; all installed ones by default.

    Raises:
        BudgetError: promised content costs more than the budget.
        UsageError: there is no message and no task, or an option makes no sense.
        ConversationError: the messages can't be read.
        SatchelError: the store or the archive can't be used; nothing was cut.
    """
    if options.reader and options.subagent:
        raise UsageError("a brief for a helper shows no dialogue, so it is not for a reader: choose one")
    draft = start_draft(session, budget=budget, model=model, options=options, host=host)
    try:
        if options.subagent:
            return brief(draft, task)
        return assemble(draft, task)
    except BudgetError as error:
        needed = sum(tokens for _, tokens in error.costs)
        announce_events(draft, [BudgetExceeded(error.budget, needed)])
        raise
