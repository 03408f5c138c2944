"""What a guard does with a session: compact it, keep what is promised, and save it before that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from satchel.config import Config
from satchel.guarding.acting import Actions

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.session.session import Session
    from satchel.session.window import WindowOptions


def actions_for(
    session: Session, options: WindowOptions, *, task: str = "", host: Host | None = None, keep: int = 5
) -> Actions:
    """Return what a guard may do; the next window of the session is then the smaller one.

    Args:
        session: whose window is watched.
        options: of its window.
        task: what is being done; the newest user message by default.
        host: the plugins.
        keep: snapshots that stay.
    """
    from satchel.session.snapshots import before_emergency
    from satchel.session.window import window

    quick = (options.config or Config()).emergency_compressor
    last: list[int] = []

    def _compact(target: int, summaries: bool) -> int:  # noqa: FBT001 (the guard calls it so)
        chosen = options if summaries else attrs.evolve(options, compressor=quick)
        last[:] = [target]
        return window(session, task, budget=target, options=chosen, host=host).tokens

    def _keep_promised() -> int:
        chosen = attrs.evolve(options, promised_only=True, compressor=quick)
        return window(session, task, budget=last[0] if last else None, options=chosen, host=host).tokens

    return Actions(
        compact=_compact, keep_promised=_keep_promised, snapshot=before_emergency(session, keep=keep)
    )
