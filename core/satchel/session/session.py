"""`Session`: a conversation that is kept, and all its events."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from satchel.session.opening import OpenSession

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.session.snapshots import Restored, SessionSnapshot
    from satchel.session.window import SessionWindow, WindowOptions


class Session(OpenSession):
    """A session of a store; use it as a context manager, or call `close`.

    Several threads may share one, and several processes may have the same one open.
    """

    def snapshot(self, reason: str = "by hand", *, keep: int = 5) -> SessionSnapshot:
        """Write the branch to a file of its own, read it back, and return it; older ones make room.

        Args:
            reason: a reason for the list.
            keep: how many stay, this one included.

        Raises:
            SatchelError: it can't be written or does not read back as it should; nothing was removed.
        """
        from satchel.session.snapshots import take

        return take(self, reason, keep=keep)

    def snapshots(self) -> list[SessionSnapshot]:
        """Return the snapshots, newest first."""
        from satchel.session.snapshots import list_snapshots

        return list_snapshots(self.folder, self.id)

    def restore(self, id: str = "") -> Restored:  # noqa: A002
        """Go back to a snapshot, by default the newest intact one.

        Nodes that are missing or damaged in the store are restored. The previous head stays reachable by redo
        and in the log.
        """
        from satchel.session.snapshots import restore

        return restore(self, id)

    def window(
        self,
        task: str = "",
        *,
        budget: int | str | None = None,
        model: str | None = None,
        options: WindowOptions | None = None,
        host: Host | None = None,
    ) -> SessionWindow:
        """Return the next input of a model, as `satchel.session.window.window` does."""
        from satchel.session.window import WindowOptions, window

        chosen = options or WindowOptions()
        return window(self, task, budget=budget, model=model, options=chosen, host=host)

    def export(self, stream: IO[str]) -> int:
        """Write the session as JSON Lines, one node after the other; return the number of lines."""
        from satchel.session.transfer import export

        return export(self, stream)
