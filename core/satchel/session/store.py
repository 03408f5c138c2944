"""What a store of sessions must do; sqlite does it here, a team's own database may do it elsewhere.

A store keeps rows and gives them back. It knows nothing of undo, messages or windows. Whoever writes one
keeps four promises: when `writing` ends without an error, everything put in it is durable; when it ends
with one, nothing is there; only one `writing` runs at a time, whatever the process; and inside `reading` or
`writing` all answers come from one moment. Rows are sealed: a store may damage one, but not unnoticed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from satchel.errors import SatchelError
from satchel.session.nodes import NodePlace, Row

BRANCH, CHECKPOINT, READER = "branch", "checkpoint", "reader"


class StoreError(SatchelError):
    """A store can't be opened, read or written; what was kept is as it was."""

    def __init__(self, place: Path | str, reason: str) -> None:
        self.place, self.reason = place, reason
        super().__init__(f"{place}: {reason}")


class NoStoreError(StoreError):
    """No store was made at that place yet."""


class Known(NamedTuple):
    """A session that a store has."""

    number: int
    name: str
    origin: str
    """Random, and part of every seal: an imported copy has the same."""
    created: float
    branch: str
    """The branch that it is on."""


class Segment(NamedTuple):
    """A run of nodes; it goes on from a node of another one, or from the start (0, 0)."""

    number: int
    parent: int
    fork: int


class Head(NamedTuple):
    """A named place: a branch, which moves, or a checkpoint, which does not."""

    role: str
    name: str
    node: str
    """Id of its newest node, "" before the first."""
    at: float
    home: str = ""
    """In a tangent: the branch to come back to."""
    since: str = ""
    """In a tangent: the node it began at."""
    redo: tuple[str, ...] = ()
    """Nodes that redo goes to, the next one last."""


class Move(NamedTuple):
    """A head that was moved by something else than a new node."""

    number: int
    at: float
    what: str
    branch: str
    before: str
    after: str


class StoreReader(Protocol):
    """One moment of a store."""

    def sessions(self) -> list[Known]:
        """Return all sessions, by name."""
        ...

    def session(self, name: str) -> Known | None:
        """Return a session, None where there is none."""
        ...

    def segment(self, session: int, number: int) -> Segment:
        """Return a segment; DamageError where it is missing."""
        ...

    def last_segment(self, session: int) -> int:
        """Return the highest number of a segment, 0 for none."""
        ...

    def row(self, known: Known, place: NodePlace, *, content: bool = False) -> Row | None:
        """Return one node, verified, with its body where that is asked for."""
        ...

    def rows(self, known: Known, first: NodePlace, last: int, *, content: str, newest: bool) -> Iterator[Row]:
        """Yield the nodes of a segment from `first` to position `last`, verified.

        `content` is the kind whose bodies are wanted too, "" for none and "*" for all; `newest` begins at
        the end.
        """
        ...

    def heads(self, session: int, role: str) -> list[Head]:
        """Return all branches or all checkpoints, oldest first."""
        ...

    def head(self, session: int, role: str, name: str) -> Head | None:
        """Return a branch or a checkpoint."""
        ...

    def moves(self, session: int, last: int) -> list[Move]:
        """Return the newest moves, oldest first."""
        ...


class StoreWriter(StoreReader, Protocol):
    """A transaction: all of it or nothing."""

    def put_session(self, known: Known) -> Known:
        """Keep a session, new (number 0) or changed; return it with its number."""
        ...

    def put_segment(self, session: int, segment: Segment) -> None:
        """Keep a new segment."""
        ...

    def put_row(self, known: Known, row: Row, *, mend: bool = False) -> None:
        """Keep a sealed node with its body; with `mend`, in place of a damaged one."""
        ...

    def put_head(self, session: int, head: Head) -> None:
        """Keep a branch or a checkpoint, in place of the one of its name."""
        ...

    def put_move(self, session: int, move: Move) -> None:
        """Add to the log; the store gives the number."""
        ...


class Store(Protocol):
    """Where sessions are kept."""

    @property
    def place(self) -> str:
        """Name the store, for messages."""
        ...

    def reading(self) -> AbstractContextManager[StoreReader]:
        """Look at one moment."""
        ...

    def writing(self) -> AbstractContextManager[StoreWriter]:
        """Write; durable when it ends."""
        ...

    def close(self) -> None:
        """Let go of what is held open."""
        ...


class SessionSize(NamedTuple):
    """What a session takes in its store."""

    number: int
    name: str
    nodes: int
    """Nodes of all branches, undone ones too."""
    bytes: int
    """About how many bytes its rows and bodies take."""
    used: float
    """Seconds since the epoch of its newest node, of its beginning where it has none."""


@runtime_checkable
class Tidying(Protocol):
    """What a store may offer besides, so that its sessions can be measured and deleted."""

    def sizes(self) -> list[SessionSize]:
        """Return what each session takes, by name."""
        ...

    def delete(self, known: Known) -> None:
        """Remove a session and all its rows for good; its number is never given to another one."""
        ...

    def list_needed(self) -> set[str]:
        """Return the hashes of archived texts, some of them shortened, that the sessions name."""
        ...
