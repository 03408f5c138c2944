"""Undo, redo, checkpoints, branches and tangents: moves of a head, which lose nothing.

Everything that happens in a session is a node, so a move takes back messages, pins, edits and compactions
together. It does not change files on disk, the archive, or other branches.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import NamedTuple, Self

from satchel.errors import UsageError
from satchel.session.chains import Chain, NodeDraft, append, meta_of
from satchel.session.line import OpenBranch, check_node, describe_unknown_name, find_head
from satchel.session.nodes import ENDS, MESSAGE, STARTS, Row, SessionError, check_name, decode, is_id
from satchel.session.store import BRANCH, CHECKPOINT, Head, Known, Move, StoreWriter

NONE, LAST_PAIR = "none", "last pair"
KEEPING = (NONE, LAST_PAIR)


class Moved(NamedTuple):
    """A head that was moved."""

    what: str
    branch: str
    before: str
    after: str
    steps: int = 1
    messages: int = 0
    """Messages of the branch now."""


class Branch(NamedTuple):
    """A line of messages in a session."""

    name: str
    head: str
    messages: int
    current: bool
    home: str
    """The branch to which a tangent returns."""


class _Turn:
    """A write in progress, in which heads are moved."""

    def __init__(self, branch: OpenBranch, known: Known, moment: StoreWriter) -> None:
        self.branch, self.known, self.moment = branch, known, moment
        self.head = find_head(moment, known, branch.branch_name)
        self.chain = Chain(moment, known, self.head.node)

    def find_node(self, place: str) -> str:
        """Return the node of a checkpoint's name or of an id."""
        found = self.moment.head(self.known.number, CHECKPOINT, place)
        if found is not None:
            return found.node
        if is_id(place):
            return check_node(self.moment, self.known, place)
        checkpoints = self.moment.heads(self.known.number, CHECKPOINT)
        raise SessionError(self.known.name, describe_unknown_name(checkpoints, place))

    def move_head(self, head: Head, what: str, *, steps: int = 1) -> Moved:
        """Move the head of the branch to another node."""
        self.moment.put_head(self.known.number, head)
        return self._log(head, what, steps=steps)

    def start_branch(self, head: Head, what: str) -> Moved:
        """Make a branch and go on there; SessionError if the name is taken."""
        check_name(head.name, BRANCH)
        if self.moment.head(self.known.number, BRANCH, head.name) is not None:
            raise SessionError(
                self.known.name,
                f"branch {head.name!r} already exists; satchel session switch {head.name} switches to it",
            )
        self.moment.put_head(self.known.number, head)
        return self.switch_head(head, what)

    def switch_head(self, head: Head, what: str) -> Moved:
        """Go on with another branch, now and when the session is next opened."""
        known = self.moment.session(self.known.name) or self.known
        self.moment.put_session(known._replace(branch=head.name))
        moved = self._log(head, what)
        self.branch.branch_name = head.name
        return moved

    def append_copies(self, head: Head, rows: list[Row]) -> Head:
        """Put copies of messages at the end of another branch; return its head."""
        if not rows:
            return head
        now = self.branch.now()
        drafts = [
            NodeDraft(MESSAGE, decode(row.content or b"null"), meta_of(row) | {"from": row.id}, now)
            for row in rows
        ]
        added = append(self.moment, self.known, Chain(self.moment, self.known, head.node), drafts)
        grown = head._replace(node=added[-1].id, redo=())
        self.moment.put_head(self.known.number, grown)
        return grown

    def _log(self, head: Head, what: str, *, steps: int = 1) -> Moved:
        before = self.head.node
        move = Move(0, self.branch.now(), what, head.name, before, head.node)
        self.moment.put_move(self.known.number, move)
        messages = Chain(self.moment, self.known, head.node).last_of(MESSAGE)[0]
        return Moved(what, head.name, before, head.node, steps, messages)


class History(OpenBranch):
    """A branch whose head can be moved."""

    def checkpoint(self, name: str = "") -> Head:
        """Name the place where the branch stands; `undo(to=name)` comes back to it.

        Raises:
            SessionError: another place has the name.
        """
        with self._turn() as turn:
            number = self._known.number
            taken = [one.name for one in turn.moment.heads(number, CHECKPOINT)]
            made = Head(CHECKPOINT, name or _free("checkpoint", taken), turn.head.node, self.now())
            check_name(made.name, CHECKPOINT)
            if made.name in taken:
                raise SessionError(self.id, f"checkpoint {made.name!r} already exists; choose another name")
            turn.moment.put_head(number, made)
            return made

    def checkpoints(self) -> list[Head]:
        """Return the named places, oldest first."""
        with self.store.reading() as moment:
            return moment.heads(self._known.number, CHECKPOINT)

    def undo(self, steps: int = 1, *, to: str = "") -> Moved:
        """Take back steps, or everything after a checkpoint or a node.

        A step is an action of a person: a message of theirs with the answers and tool calls that followed, a
        compaction, a pin set or removed.

        Raises:
            SessionError: there is nothing to take back, or the branch does not hold that place.
        """
        if to:
            return self._undo_to(to)
        _positive(steps)
        with self._turn() as turn:
            passed = [turn.head.node, *_starts(turn.chain, steps)]
            if len(passed) == 1:
                raise SessionError(self.id, f"branch {self.branch_name!r} is empty; there is nothing to undo")
            moved = turn.head._replace(node=passed[-1], redo=(*turn.head.redo, *passed[:-1]))
            return turn.move_head(moved, "undo", steps=len(passed) - 1)

    def _undo_to(self, place: str) -> Moved:
        with self._turn() as turn:
            node = turn.find_node(place)
            if turn.chain.position_of(node) is None:
                raise SessionError(
                    self.id,
                    f"{place} is not on the way to the head of branch {self.branch_name!r}; "
                    f"satchel session branch NAME --at {place} goes on from there",
                )
            redo = turn.head.redo if node == turn.head.node else (*turn.head.redo, turn.head.node)
            return turn.move_head(turn.head._replace(node=node, redo=redo), "undo")

    def redo(self, steps: int = 1) -> Moved:
        """Put back what `undo` took back; a new node on the branch ends that.

        Raises:
            SessionError: there is nothing to put back.
        """
        _positive(steps)
        with self._turn() as turn:
            redo = turn.head.redo
            count = min(steps, len(redo))
            if not count:
                raise SessionError(
                    self.id,
                    "there is nothing to redo; satchel session log lists every place that the session left",
                )
            left = turn.head._replace(node=redo[-count], redo=redo[:-count])
            return turn.move_head(left, "redo", steps=count)

    def branch(self, name: str, at: str = "") -> Moved:
        """Make a branch here, or at a checkpoint or node, and go on there.

        Raises:
            SessionError: there is one of that name, or no such place.
        """
        with self._turn() as turn:
            node = turn.find_node(at) if at else turn.head.node
            return turn.start_branch(Head(BRANCH, name, node, self.now()), "branch")

    def on(self, name: str) -> Self:
        """Return the session on another branch, without moving this one; both share the store."""
        with self.store.reading() as moment:
            find_head(moment, self._known, name)
        other = copy(self)
        other.branch_name = name
        return other

    def switch(self, name: str) -> Moved:
        """Go on with another branch.

        Raises:
            SessionError: no branch has that name.
        """
        with self._turn() as turn:
            return turn.switch_head(find_head(turn.moment, self._known, name or self.branch_name), "switch")

    def branches(self) -> list[Branch]:
        """Return the branches, oldest first."""
        with self.store.reading() as moment:
            return [
                Branch(
                    one.name,
                    one.node,
                    Chain(moment, self._known, one.node).last_of(MESSAGE)[0],
                    one.name == self.branch_name,
                    one.home,
                )
                for one in moment.heads(self._known.number, BRANCH)
            ]

    def tangent(self, name: str = "") -> Moved:
        """Branch off to talk about something else; `come_back` ends it."""
        with self._turn() as turn:
            taken = [one.name for one in turn.moment.heads(self._known.number, BRANCH)]
            begun = Head(
                BRANCH,
                name or _free("tangent", taken),
                turn.head.node,
                self.now(),
                home=self.branch_name,
                since=turn.head.node,
            )
            return turn.start_branch(begun, "tangent")

    def come_back(self, keep: str = NONE) -> Moved:
        """Go back to the branch that a tangent left; the tangent stays as a branch.

        Args:
            keep: `none`, or `last pair` to bring the last question and its answer along.

        Raises:
            SessionError: this branch is not a tangent.
        """
        if keep not in KEEPING:
            raise UsageError(f"keep is 'none' or 'last pair', not {keep!r}")
        with self._turn() as turn:
            if not turn.head.home:
                raise SessionError(
                    self.id,
                    f"branch {self.branch_name!r} is not a tangent; satchel session switch changes branches",
                )
            pair = _last_pair(turn.chain, turn.head.since) if keep == LAST_PAIR else []
            home = find_head(turn.moment, self._known, turn.head.home)
            return turn.switch_head(turn.append_copies(home, pair), "come back")

    def moves(self, last: int = 100) -> list[Move]:
        """Return the newest moves of heads, oldest first: each names the place that was left."""
        with self.store.reading() as moment:
            return moment.moves(self._known.number, last)

    @contextmanager
    def _turn(self) -> Iterator[_Turn]:
        with self.store.writing() as moment:
            yield _Turn(self, self._known, moment)


def _starts(chain: Chain, steps: int) -> list[str]:
    """Return the heads after one step back, two steps back, and so on."""
    found: list[str] = []
    for row in chain.newest():
        if row.flags & STARTS or not row.parent:
            found.append(row.parent)
        if len(found) == steps:
            break
    return found


def _last_pair(chain: Chain, since: str) -> list[Row]:
    """Return the newest answer after a node and the request before it; [] if there is no new answer."""
    answer: Row | None = None
    for row in chain.of_kind(MESSAGE, after=chain.position_of(since) or 0):
        if answer is None and row.flags & ENDS:
            answer = row
        elif answer is not None and row.flags & STARTS and not row.flags & ENDS:
            return [row, answer]
    return []


def _free(stem: str, taken: list[str]) -> str:
    """Return the first free name with a number."""
    names = set(taken)
    return next(name for at in range(1, len(names) + 2) if (name := f"{stem}-{at}") not in names)


def _positive(steps: int) -> None:
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise UsageError(f"steps is a whole number from 1 up, not {steps!r}")
