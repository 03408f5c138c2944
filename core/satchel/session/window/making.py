"""Make what a model is sent next: the window of a session, or a brief for a helper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.errors import BudgetError, UsageError
from satchel.events import BudgetExceeded
from satchel.session.window.assembling import announce_events, assemble
from satchel.session.window.briefing import brief
from satchel.session.window.context import SessionWindow, WindowOptions, desk_for

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.session.session import Session

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
    desk = desk_for(session, budget=budget, model=model, options=options, host=host)
    try:
        if options.subagent:
            return brief(desk, task)
        return assemble(desk, task)
    except BudgetError as error:
        needed = sum(tokens for _, tokens in error.costs)
        announce_events(desk, [BudgetExceeded(error.budget, needed)])
        raise
