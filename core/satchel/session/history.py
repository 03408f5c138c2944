"""Undo, redo, checkpoints, branches and tangents: moves of a head, which lose nothing.

Everything that happened in a session is a node, so a move takes back messages, pins, edits and compactions
together. What is not taken back: files on disk, the archive, and what other branches hold.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from satchel.errors import UsageError
from satchel.session.chains import Chain, NodeDraft, append, meta_of, node_of
from satchel.session.nodes import (
    ENDS,
    MESSAGE,
    STARTS,
    DamageError,
    Node,
    Row,
    SessionError,
    check_kind,
    decode,
    is_id,
    place_of,
)
from satchel.session.store import BRANCH, CHECKPOINT, READER, Head, Known, Move, Reading, Store, Writing
from satchel.spelling import nearest
from satchel.tokens.guessing import guess

if TYPE_CHECKING:
    from satchel.events import Event


MAIN = "main"
_GUESSED = 200_000
"""Characters up to which the tokens of a message are guessed word by word."""
_FEW = 256
"""Up to so many messages, the newest are found by walking back from the head."""


class Line:
    """One branch of one session. Threads may share it; other processes may write to the same branch.

    Every call looks at the branch as it stands in the store at that moment. The branch itself is chosen when
    the session is opened, or by `switch`: what others do with theirs never moves this one to another.
    """

    def __init__(
        self,
        store: Store,
        known: Known,
        *,
        clock: Callable[[], float] = time.time,
        observe: Callable[[Event], None] | None = None,
    ) -> None:
        self.id = known.name
        self.store = store
        self.branch_name = known.branch
        self._known, self._clock, self._observe = known, clock, observe

    @property
    def head(self) -> str:
        """Return the id of the newest node of the branch, "" before the first."""
        with self.store.reading() as moment:
            return self._head(moment).node

    def add(self, message: Mapping[str, Any], *, usage: Mapping[str, Any] | None = None) -> Node:
        """Put a message at the end of the branch; it is on the disk when this returns.

        Args:
            message: a message as its provider has it: a JSON object with a role, or a type (Responses).
            usage: what the provider reported for it; kept beside it.

        Raises:
            UsageError: it is not a message.
            SatchelError: the store can't take it; nothing was added.
        """
        check_message(message)
        told = {"usage": dict(usage)} if usage else {}
        return self.record(MESSAGE, message, meta={"tokens": estimate_tokens(message), **told})

    def record(self, kind: str, body: Any, *, meta: Mapping[str, Any] | None = None) -> Node:
        """Put anything else that happened at the end of the branch: a pin, an edit, a compaction."""
        return self._append([NodeDraft(check_kind(kind), body, meta or {}, self._clock())])[0]

    def record_many(self, happenings: Sequence[tuple[str, Any]]) -> list[Node]:
        """Put several in a row, all of them or none."""
        now = self._clock()
        drafts = [NodeDraft(check_kind(kind), body, {}, now) for kind, body in happenings]
        return self._append(drafts) if drafts else []

    def record_drafts(self, drafts: Sequence[NodeDraft]) -> list[Node]:
        """Put nodes with their own times in a row, all of them or none."""
        return self._append(list(drafts)) if drafts else []

    def read_new(self, reader: str) -> list[Node]:
        """Return the messages of the branch that a reader was not shown yet, and note that it was.

        What the reader saw on another branch up to where the two part, or before an undo, is not shown again.

        Args:
            reader: a name for who reads: an agent, a person.

        Raises:
            UsageError: that is not a name.
            SatchelError: the store can't take the note, so nothing is shown.
        """
        check_name(reader, READER)
        with self.store.writing() as moment:
            number, head = self._known.number, self._head(moment)
            chain = Chain(moment, self._known, head.node)
            first = self._first_unread(moment, chain, reader)
            nodes = [node_of(row) for row in _messages(chain, first, None)]
            moment.put_head(number, Head(READER, reader, head.node, self.now()))
        return nodes

    def find_read(self, reader: str) -> str:
        """Return the newest node of the branch that a reader was shown, "" where it was shown none.

        Raises:
            UsageError: that is not a name.
        """
        check_name(reader, READER)
        with self.store.reading() as moment:
            chain = Chain(moment, self._known, self._head(moment).node)
            position = self._first_unread(moment, chain, reader)
            return chain.row_at(position).id if position else ""

    def note_read(self, reader: str, node: str) -> None:
        """Note that a reader was shown the branch up to a node."""
        check_name(reader, READER)
        with self.store.writing() as moment:
            moment.put_head(self._known.number, Head(READER, reader, node, self.now()))

    def readers(self) -> list[Head]:
        """Return who was shown something by `read_new`, each with the newest node that it saw."""
        with self.store.reading() as moment:
            return moment.heads(self._known.number, READER)

    def _first_unread(self, moment: Reading, chain: Chain, reader: str) -> int:
        """Return the position after which a reader was shown nothing of a chain."""
        mark = moment.head(self._known.number, READER, reader)
        return self._last_common(moment, chain, mark.node) if mark else 0

    def _last_common(self, moment: Reading, chain: Chain, node: str) -> int:
        """Return the position of the newest node that a chain shares with the one that ends in a node."""
        position = chain.position_of(node)
        if position is not None:
            return position
        for row in Chain(moment, self._known, node).newest():
            position = chain.position_of(row.id)
            if position is not None:
                return position
        return 0

    def messages(self, *, after: str = "", last: int | None = None) -> list[dict[str, Any]]:
        """Return the messages of the branch, oldest first, exactly as they came in.

        Args:
            after: id of the node after which they begin.
            last: only so many, the newest.

        Raises:
            DamageError: one of them is not what was written; none is returned.
        """
        with self._reading() as chain:
            first = self._position(chain, after)
            return [decode(row.content or b"null") for row in _messages(chain, first, last)]

    def message_nodes(self, *, after: str = "", last: int | None = None) -> list[Node]:
        """Return the same messages as nodes, with their ids, times and what is told beside them."""
        with self._reading() as chain:
            return [node_of(row) for row in _messages(chain, self._position(chain, after), last)]

    def opening(self, count: int) -> list[Node]:
        """Return the first messages of the branch, oldest first."""
        with self._reading() as chain:
            rows = (row for row in chain.oldest(content=MESSAGE) if row.kind == MESSAGE)
            return [node_of(row) for row in _limit(rows, count)]

    def happenings(self, *kinds: str, after: str = "", last: int | None = None) -> list[Node]:
        """Return the nodes of these kinds (all kinds where none is named), oldest first.

        The time is that of the answer, whatever else the session holds.
        """
        with self._reading() as chain:
            first = self._position(chain, after)
            found: list[Node] = []
            if not kinds:
                found = [node_of(row) for row in _limit(chain.newest(down_to=first, content="*"), last)]
            for kind in dict.fromkeys(kinds):
                found += [node_of(row) for row in _limit(chain.of_kind(kind, after=first), last)]
            found.sort(key=lambda node: place_of(node.id).position)
            return found if last is None else found[max(0, len(found) - last) :]

    def latest(self, kind: str) -> Node | None:
        """Return the newest node of a kind, None where there is none."""
        with self._reading() as chain:
            return next((node_of(row) for row in chain.of_kind(kind)), None)

    def node(self, node_id: str) -> Node:
        """Return any node of the session by its id, undone ones too; SessionError where there is none."""
        with self.store.reading() as moment:
            return node_of(
                Chain(moment, self._known, self._check_node(moment, node_id)).row_at(
                    place_of(node_id).position, content=True
                )
            )

    def count(self, kind: str = MESSAGE) -> int:
        """Return how many messages, or nodes of another kind, the branch has."""
        with self._reading() as chain:
            return chain.last_of(kind)[0]

    def now(self) -> float:
        """Return seconds since the epoch by the session's clock."""
        return float(self._clock())

    def newest_whole(self, kind: str) -> tuple[Node | None, list[DamageError]]:
        """Return the newest node of a kind whose body is whole, and the damage of newer ones."""
        damaged: list[DamageError] = []
        with self._reading() as chain:
            _, position = chain.last_of(kind)
            while position:
                try:
                    return node_of(chain.row_at(position, content=True)), damaged
                except DamageError as error:
                    damaged.append(error)
                position = chain.row_at(position).prior
        return None, damaged

    def emit(self, event: Event) -> None:
        """Tell the observer what happened."""
        if self._observe is not None:
            self._observe(event)

    @property
    def has_observer(self) -> bool:
        """Whether somebody wants to be told what happens."""
        return self._observe is not None

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()

    @contextmanager
    def _reading(self) -> Iterator[Chain]:
        with self.store.reading() as moment:
            yield Chain(moment, self._known, self._head(moment).node)

    def _append(self, drafts: list[NodeDraft]) -> list[Node]:
        with self.store.writing() as moment:
            head = self._head(moment)
            rows = append(moment, self._known, Chain(moment, self._known, head.node), drafts)
            moment.put_head(self._known.number, head._replace(node=rows[-1].id, redo=()))
        return [node_of(row) for row in rows]

    def _head(self, moment: Reading, name: str = "") -> Head:
        wanted = name or self.branch_name
        head = moment.head(self._known.number, BRANCH, wanted)
        if head is None:
            raise SessionError(
                self.id, describe_unknown_name(moment.heads(self._known.number, BRANCH), wanted)
            )
        return head

    def _position(self, chain: Chain, node_id: str) -> int:
        position = chain.position_of(node_id)
        if position is None:
            raise SessionError(self.id, f"branch {self.branch_name!r} has no node {node_id}")
        return position

    def _check_node(self, moment: Reading, node_id: str) -> str:
        """Return the id of a node that is there."""
        row = moment.row(self._known, place_of(node_id))
        if row is None or row.id != node_id:
            raise SessionError(self.id, f"there is no node {node_id}; satchel session log lists them")
        return node_id


def check_message(message: object) -> None:
    """Raise UsageError where something is not a message of any provider."""
    if not isinstance(message, Mapping):
        raise UsageError("a message is a JSON object with a role and content")
    if not isinstance(message.get("role", message.get("type")), str) or not message.get(
        "role", message.get("type")
    ):
        raise UsageError('a message needs a role, like {"role": "user", "content": "hello"}')
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        raise UsageError(f"the content of a message is a text or a list of blocks, not {_name_type(content)}")


def estimate_tokens(message: Mapping[str, Any]) -> int:
    """Return about how many tokens a message costs; of a very long one, a fair share of its characters."""
    content = message.get("content")
    text = content if isinstance(content, str) else repr(content)
    return guess(text) if len(text) <= _GUESSED else len(text) // 3


def describe_unknown_name(heads: Sequence[Head], name: str) -> str:
    """Return the sentence for a branch or checkpoint that does not exist."""
    names = [head.name for head in heads]
    near = nearest(name, names)
    hint = f", did you mean {near!r}?" if near else f"; there are {', '.join(names[:20]) or 'none'}"
    role = heads[0].role if heads else "checkpoint"
    return f"no {role} is called {name!r}{hint}"


def _name_type(value: object) -> str:
    return {dict: "an object", bool: "a truth value", int: "a number", float: "a number"}.get(
        type(value), "that"
    )


def _messages(chain: Chain, first: int, last: int | None) -> Iterable[Row]:
    """Return the messages after a position, oldest first; of many, only the newest `last`."""
    if last is None or last > _FEW:
        start = first if last is None else _nth_back(chain, first, last)
        return (row for row in chain.oldest(after=start, content=MESSAGE) if row.kind == MESSAGE)
    newest = (row for row in chain.newest(down_to=first, content=MESSAGE) if row.kind == MESSAGE)
    return reversed(list(islice(newest, max(0, last))))


def _nth_back(chain: Chain, first: int, last: int) -> int:
    """Return the position before the newest `last` messages."""
    left = last
    for row in chain.newest(down_to=first):
        left -= row.kind == MESSAGE
        if not left:
            return row.position - 1
    return first


def _limit(rows: Iterator[Row], last: int | None) -> Iterator[Row]:
    return rows if last is None else islice(rows, max(0, last))


NONE, LAST_PAIR = "none", "last pair"
KEEPING = (NONE, LAST_PAIR)
_LONGEST_NAME = 200


class Moved(NamedTuple):
    """A head that was moved."""

    what: str
    branch: str
    before: str
    after: str
    steps: int = 1
    messages: int = 0
    """Messages that the branch has now."""


class Branch(NamedTuple):
    """A line of messages in a session."""

    name: str
    head: str
    messages: int
    current: bool
    home: str
    """Of a tangent: the branch that it comes back to."""


class _Turn(NamedTuple):
    """A write that is going on."""

    moment: Writing
    head: Head
    chain: Chain


class History(Line):
    """A line whose head can be moved."""

    def checkpoint(self, name: str = "") -> Head:
        """Name the place where the branch stands; `undo(to=name)` comes back to it.

        Raises:
            SessionError: another place has the name.
        """
        with self._turn() as (moment, head, _):
            number = self._known.number
            taken = [one.name for one in moment.heads(number, CHECKPOINT)]
            made = Head(CHECKPOINT, name or _free("checkpoint", taken), head.node, float(self._clock()))
            check_name(made.name, CHECKPOINT)
            if made.name in taken:
                raise SessionError(
                    self.id, f"there is a checkpoint {made.name!r} already; choose another name"
                )
            moment.put_head(number, made)
            return made

    def checkpoints(self) -> list[Head]:
        """Return the named places, oldest first."""
        with self.store.reading() as moment:
            return moment.heads(self._known.number, CHECKPOINT)

    def undo(self, steps: int = 1, *, to: str = "") -> Moved:
        """Take back steps, or all that came after a checkpoint or a node.

        A step is what a person began: a message of theirs with the answers and tool calls that followed, a
        compaction, a pin set or taken away.

        Raises:
            SessionError: there is nothing to take back, or the branch does not hold that place.
        """
        if to:
            return self._undone_to(to)
        _positive(steps)
        with self._turn() as turn:
            passed = [turn.head.node, *_starts(turn.chain, steps)]
            if len(passed) == 1:
                raise SessionError(self.id, f"branch {self.branch_name!r} is empty, there is nothing to undo")
            moved = turn.head._replace(node=passed[-1], redo=(*turn.head.redo, *passed[:-1]))
            return self._move_head(turn, moved, "undo", steps=len(passed) - 1)

    def _undone_to(self, place: str) -> Moved:
        with self._turn() as turn:
            node = self._target(turn.moment, place)
            if turn.chain.position_of(node) is None:
                raise SessionError(
                    self.id,
                    f"{place} is not on the way to the head of branch {self.branch_name!r}; "
                    f"satchel session branch NAME --at {place} goes on from there",
                )
            redo = turn.head.redo if node == turn.head.node else (*turn.head.redo, turn.head.node)
            return self._move_head(turn, turn.head._replace(node=node, redo=redo), "undo")

    def redo(self, steps: int = 1) -> Moved:
        """Put back what undo took; a new node on the branch ends that.

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
                    "there is nothing to redo; satchel session log lists every place that was left",
                )
            left = turn.head._replace(node=redo[-count], redo=redo[:-count])
            return self._move_head(turn, left, "redo", steps=count)

    def branch(self, name: str, at: str = "") -> Moved:
        """Make a branch here, or at a checkpoint or node, and go on there.

        Raises:
            SessionError: there is one of that name, or no such place.
        """
        with self._turn() as turn:
            node = self._target(turn.moment, at) if at else turn.head.node
            return self._begun(turn, Head(BRANCH, name, node, float(self._clock())), "branch")

    def on(self, name: str) -> Self:
        """Return the session on another branch, without moving this one; both share the store."""
        with self.store.reading() as moment:
            self._head(moment, name)
        other = copy(self)
        other.branch_name = name
        return other

    def switch(self, name: str) -> Moved:
        """Go on with another branch.

        Raises:
            SessionError: there is none of that name.
        """
        with self._turn() as turn:
            return self._switch_head(turn, self._head(turn.moment, name), "switch")

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
                float(self._clock()),
                home=self.branch_name,
                since=turn.head.node,
            )
            return self._begun(turn, begun, "tangent")

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
            home = self._head(turn.moment, turn.head.home)
            return self._switch_head(turn, self._bring_home(turn.moment, home, pair), "come back")

    def moves(self, last: int = 100) -> list[Move]:
        """Return the newest moves of heads, oldest first: every place that was left is named in one."""
        with self.store.reading() as moment:
            return moment.moves(self._known.number, last)

    @contextmanager
    def _turn(self) -> Iterator[_Turn]:
        with self.store.writing() as moment:
            head = self._head(moment)
            yield _Turn(moment, head, Chain(moment, self._known, head.node))

    def _target(self, moment: Writing, place: str) -> str:
        """Return the node of a checkpoint's name or of an id."""
        found = moment.head(self._known.number, CHECKPOINT, place)
        if found is not None:
            return found.node
        if is_id(place):
            return self._check_node(moment, place)
        raise SessionError(
            self.id, describe_unknown_name(moment.heads(self._known.number, CHECKPOINT), place)
        )

    def _move_head(self, turn: _Turn, head: Head, what: str, *, steps: int = 1) -> Moved:
        moment = turn.moment
        moment.put_head(self._known.number, head)
        self._log(moment, what, turn.head.node, head)
        return self._count_messages_of(moment, Moved(what, head.name, turn.head.node, head.node, steps))

    def _begun(self, turn: _Turn, head: Head, what: str) -> Moved:
        check_name(head.name, BRANCH)
        if turn.moment.head(self._known.number, BRANCH, head.name) is not None:
            raise SessionError(
                self.id,
                f"there is a branch {head.name!r} already; satchel session switch {head.name} switches to it",
            )
        turn.moment.put_head(self._known.number, head)
        return self._switch_head(turn, head, what)

    def _switch_head(self, turn: _Turn, head: Head, what: str) -> Moved:
        moment, before = turn.moment, turn.head.node
        known = moment.session(self.id) or self._known
        moment.put_session(known._replace(branch=head.name))
        self._log(moment, what, before, head)
        self.branch_name = head.name
        return self._count_messages_of(moment, Moved(what, head.name, before, head.node))

    def _bring_home(self, moment: Writing, home: Head, pair: list[Row]) -> Head:
        if not pair:
            return home
        now = self._clock()
        drafts = [
            NodeDraft(MESSAGE, decode(row.content or b"null"), meta_of(row) | {"from": row.id}, now)
            for row in pair
        ]
        rows = append(moment, self._known, Chain(moment, self._known, home.node), drafts)
        brought = home._replace(node=rows[-1].id, redo=())
        moment.put_head(self._known.number, brought)
        return brought

    def _log(self, moment: Writing, what: str, before: str, head: Head) -> None:
        move = Move(0, float(self._clock()), what, head.name, before, head.node)
        moment.put_move(self._known.number, move)

    def _count_messages_of(self, moment: Writing, moved: Moved) -> Moved:
        count = Chain(moment, self._known, moved.after).last_of(MESSAGE)[0]
        return moved._replace(messages=count)


def check_name(name: str, what: str) -> str:
    """Return a name; UsageError where it is empty, too long or can't be shown."""
    if not name.strip() or name != name.strip() or len(name) > _LONGEST_NAME:
        raise UsageError(
            f"{name[:40]!r} can't name a {what}: use 1 to {_LONGEST_NAME} characters, no spaces at the ends"
        )
    if not name.isprintable():
        raise UsageError(f"{name[:40]!r} can't name a {what}: it holds characters that can't be shown")
    return name


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
    """Return the newest answer after a node and the request before it; [] where nothing new was said."""
    answer: Row | None = None
    for row in chain.of_kind(MESSAGE, after=chain.position_of(since) or 0):
        if answer is None and row.flags & ENDS:
            answer = row
        elif answer is not None and row.flags & STARTS and not row.flags & ENDS:
            return [row, answer]
    return []


def _free(stem: str, taken: list[str]) -> str:
    """Return the first name with a number that is free."""
    names = set(taken)
    return next(name for at in range(1, len(names) + 2) if (name := f"{stem}-{at}") not in names)


def _positive(steps: int) -> None:
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise UsageError(f"steps is a whole number from 1 up, not {steps!r}")
