"""Make what a model is sent next: the window of a session, or a brief for a helper without its noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.compaction.cleaning import clean_document
from satchel.conversation import Tally, dump, write
from satchel.errors import BudgetError, Problem, UsageError
from satchel.events import BudgetExceeded
from satchel.messages import Conversation, Message
from satchel.session.pins import pins_of
from satchel.session.window.assembling import (
    announce_events,
    assemble,
    context_of,
    find_task,
    list_events,
    parts_of,
)
from satchel.session.window.blocks import pack_block
from satchel.session.window.context import (
    SessionWindow,
    WindowDraft,
    WindowOptions,
    conversation_of,
    newest_request,
    source_of,
    start_draft,
)
from satchel.session.window.events import Tokens, list_shown, render_events
from satchel.session.window.fitting import describe_wanted
from satchel.session.window.levels import settle_levels
from satchel.session.window.memory import recall
from satchel.session.window.rendering import as_text, convert
from satchel.usage import weigh_usages

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.session.session import Session
    from satchel.session.window.memory import WindowMemory, WorkspaceBlock


_SLACK = 48
"""Tokens for the frames of both messages."""
_BESIDE = 0.25
"""Share of a brief that what happened may have, at most."""


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
    room = draft.counted - _SLACK
    spent = sum(counts.texts([said]))
    if spent > room:
        said = _must(draft, task, "")
        spent = sum(counts.texts([said]))
    if spent > room:
        raise BudgetError(
            draft.room.budget, [("the task and what is pinned", draft.to_model_tokens(spent + _SLACK))]
        )
    beside = _beside(draft, memory, int((room - spent) * _BESIDE), counts.texts)
    block, found = _pack_workspace(draft, memory, task, room - spent - sum(counts.texts([beside])))
    texts = [*([block.text] if block else []), f"{beside}{said}"]
    conversation = convert(Conversation(form, tuple(Message("user", text) for text in texts)), form)
    return _window(draft, conversation, block, task=task, problems=(*problems, *found))


def _beside(draft: WindowDraft, memory: WindowMemory, room: int, count: Tokens) -> str:
    """Return what was done and edited, in at most `room` tokens."""
    shown = list_shown(draft.session, list_events(draft, memory), count)
    wanted = [one for one in shown if one.kind in ("tasks", "diffs")]
    for slack in (30, 100):
        text = render_events(wanted, settle_levels(wanted, max(0, room - slack), {}))
        if sum(count([text])) <= room:
            return text
    return ""


def _must(draft: WindowDraft, task: str, request: str) -> str:
    """Return what a helper must know: the task, the request that it comes from, and what is pinned."""
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
    """Return what a model is sent next: the workspace for the task, the dialogue, and what happened.

    The beginning stays byte for byte as it was sent before, as long as it can; what was shown and used is
    recorded, and so is a compaction, which `undo` takes back.

    Args:
        session: whose branch it is made of.
        task: what is being done; the newest user message by default.
        budget: most tokens, or "auto" for the model's window; configured by default.
        model: its name sets the vocabulary, and the window for "auto".
        options: everything else.
        host: the plugins; all installed ones by default.

    Raises:
        BudgetError: what must stay costs more than the budget.
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
