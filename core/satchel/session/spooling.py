"""The spool: messages for a store that can't be reached, kept on this machine until they are replayed.

It exists only if it was requested. Each message has an id before it is sent anywhere, and the store keeps
the id beside it: a message that arrived although the answer was lost is not added twice by a replay.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from satchel.private_files import (
    create_private,
    make_private_folder,
    name_for,
    open_private,
    read_private,
    reason_of,
    replacing,
    state_folder,
)
from satchel.session.nodes import MESSAGE
from satchel.session.places import name_place
from satchel.session.store import StoreError

if TYPE_CHECKING:
    from satchel.session.chains import NodeDraft
    from satchel.session.line import Line
    from satchel.session.nodes import Node

_ID = "spooled"
"""Key beside a message for its id."""
_LOOK_BACK = 64
_FOLDER = "spool"


class Spooled(NamedTuple):
    """A waiting message."""

    id: str
    body: Any
    at: float
    """Seconds since the epoch at which it was to be added."""
    meta: Mapping[str, Any]


@attrs.frozen
class Spool:
    """The messages that wait for one session of one store, in the order in which they came.

    Args:
        path: the file, one message a line.
    """

    path: Path

    @classmethod
    def of(cls, session: str, store: str | Path | None, root: str | Path = ".") -> Spool:
        """Return the spool of a session; no file is made."""
        place = name_for(name_place(store, root))
        return cls(state_folder() / _FOLDER / place / f"{name_for(session)}.jsonl")

    def waiting(self) -> list[Spooled]:
        """Return the waiting messages, oldest first; a last line that a crash cut was never acknowledged."""
        with self._explain_errors():
            try:
                lines = read_private(self.path).split(b"\n")
            except FileNotFoundError:
                return []
            return [Spooled(*json.loads(line)) for line in lines[:-1]]

    def keep(self, messages: Sequence[Spooled]) -> int:
        """Append messages; they are on the disk when this returns. Return how many wait now."""
        with self._explain_errors(), self._lock():
            kept = self.waiting()
            with replacing(self.path) as file:
                for one in (*kept, *messages):
                    file.write(json.dumps(one).encode() + b"\n")
            return len(kept) + len(messages)

    def replay(self, session: Line) -> list[Node]:
        """Add the waiting messages to their session, all or nothing, in order; return the new nodes.

        Raises:
            SatchelError: the store does not take them; everything waits as before.
        """
        if not self.path.exists():
            return []
        with self._explain_errors(), self._lock():
            waiting = self.waiting()
            there = _find_arrived(session, waiting)
            added = session.record_drafts([_draft(one) for one in waiting if one.id not in there])
            self.path.unlink(missing_ok=True)
            return added

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        """Let one process at a time change the file, if the system has locks."""
        make_private_folder(self.path.parent)
        lock = self.path.with_suffix(".lock")
        with contextlib.suppress(FileExistsError), create_private(lock):
            pass
        with open_private(lock) as file:
            with contextlib.suppress(ImportError):
                import fcntl

                fcntl.flock(file.fileno(), fcntl.LOCK_EX)
            yield

    @contextlib.contextmanager
    def _explain_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(self.path, f"can't be used: {reason_of(error, self.path)}") from error
        except (ValueError, TypeError) as error:
            raise StoreError(self.path, "is not what satchel wrote; read it, and remove it") from error


def list_spools() -> list[Spool]:
    """Return the spools of this machine."""
    return [Spool(path) for path in sorted((state_folder() / _FOLDER).glob("*/*.jsonl"))]


def make_spooled(
    messages: Sequence[Mapping[str, Any]], at: float, usage: Mapping[str, Any] | None = None
) -> list[Spooled]:
    """Return messages with an id each, before they are sent anywhere."""
    told = {"usage": dict(usage)} if usage else {}
    return [Spooled(os.urandom(8).hex(), dict(message), at, told) for message in messages]


def add_spooled(session: Line, messages: Sequence[Spooled]) -> list[Node]:
    """Add messages to their session, all of them or none."""
    return session.record_drafts([_draft(one) for one in messages])


def _draft(one: Spooled) -> NodeDraft:
    from satchel.session.chains import NodeDraft
    from satchel.session.line import estimate_tokens

    tokens = estimate_tokens(one.body)
    return NodeDraft(MESSAGE, one.body, {"tokens": tokens, **one.meta, _ID: one.id}, one.at)


def _find_arrived(session: Line, waiting: Sequence[Spooled]) -> set[str]:
    """Return the ids of messages that are already in the session, because an answer was lost."""
    wanted = {one.id for one in waiting}
    last, first = _LOOK_BACK, min((one.at for one in waiting), default=0.0)
    while True:
        nodes = session.message_nodes(last=last)
        if len(nodes) < last or nodes[0].at < first:
            return wanted & {str(node.meta.get(_ID, "")) for node in nodes}
        last *= 4
