"""The interface of a store of sessions; sqlite implements it here, a team's own database may elsewhere.

A store keeps rows and gives them back. It knows nothing of undo, messages or windows. An implementation
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
from satchel.spelling import join_reason

BRANCH, CHECKPOINT, READER = "branch", "checkpoint", "reader"


class StoreError(SatchelError):
    """A store can't be opened, read or written; its content is unchanged."""

    def __init__(self, place: Path | str, reason: str) -> None:
        self.place, self.reason = place, reason
        super().__init__(join_reason(str(place), reason))


class NoStoreError(StoreError):
    """No store was made at that place yet."""


class Known(NamedTuple):
    """A session in a store."""

    number: int
    name: str
    origin: str
    """Random, and part of every seal: an imported copy has the same."""
    created: float
    branch: str
    """Its current branch."""


class Segment(NamedTuple):
    """A run of nodes; it continues from a node of another run, or from the start (0, 0)."""

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
    """Nodes that redo returns to, the next one last."""


class Move(NamedTuple):
    """A head that was moved other than by a new node."""

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
        """Return a session, None if there is none."""
        ...

    def segment(self, session: int, number: int) -> Segment:
        """Return a segment; DamageError if it is missing."""
        ...

    def last_segment(self, session: int) -> int:
        """Return the highest number of a segment, 0 if there is none."""
        ...

    def row(self, known: Known, place: NodePlace, *, content: bool = False) -> Row | None:
        """Return one node, verified, with its body if requested."""
        ...

    def rows(self, known: Known, first: NodePlace, last: int, *, content: str, newest: bool) -> Iterator[Row]:
        """Yield the nodes of a segment from `first` to position `last`, verified.

        `content` is the kind whose bodies to include, "" for no kind and "*" for all; `newest` begins at
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
        """Keep a sealed node with its body; with `mend`, replace a damaged one."""
        ...

    def put_head(self, session: int, head: Head) -> None:
        """Keep a branch or a checkpoint, and replace the one of its name."""
        ...

    def put_move(self, session: int, move: Move) -> None:
        """Add to the log; the store gives the number."""
        ...


class Store(Protocol):
    """A place for sessions."""

    @property
    def place(self) -> str:
        """Return the store's name for messages."""
        ...

    def reading(self) -> AbstractContextManager[StoreReader]:
        """Read one moment."""
        ...

    def writing(self) -> AbstractContextManager[StoreWriter]:
        """Write; durable when it ends."""
        ...

    def close(self) -> None:
        """Close everything that is open."""
        ...


class SessionSize(NamedTuple):
    """The size of a session in its store."""

    number: int
    name: str
    nodes: int
    """Nodes of all branches, undone ones too."""
    bytes: int
    """Approximate bytes of its rows and bodies."""
    used: float
    """Seconds since the epoch of its newest node, or of its beginning if it has no nodes."""


@runtime_checkable
class Tidying(Protocol):
    """Optional methods of a store, so that its sessions can be measured and deleted."""

    def sizes(self) -> list[SessionSize]:
        """Return the size of each session, by name."""
        ...

    def delete(self, known: Known) -> None:
        """Remove a session and all its rows for good; never reuse its number."""
        ...

    def list_needed(self) -> set[str]:
        """Return the hashes of archived texts, some shortened, that the sessions name."""
        ...
