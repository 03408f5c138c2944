"""One branch of a session: its head, its content, and adding to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from satchel.errors import UsageError
from satchel.session.chains import Chain, NodeDraft, append, node_of
from satchel.session.nodes import (
    MESSAGE,
    DamageError,
    Node,
    Row,
    SessionError,
    check_kind,
    check_name,
    decode,
    place_of,
)
from satchel.session.store import BRANCH, READER, Head, Known, Store, StoreReader
from satchel.spelling import nearest
from satchel.tokens.guessing import guess

if TYPE_CHECKING:
    from satchel.events import Event


MAIN = "main"
_GUESSED = 200_000
"""Characters up to which the tokens of a message are guessed word by word."""


class OpenBranch:
    """One branch of one session. Threads may share it; other processes may write to the same branch.

    Every call sees the branch as it is in the store at that moment. The branch is chosen when the session is
    opened, or by `switch`: other processes never switch it.
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
            return find_head(moment, self._known, self.branch_name).node

    def now(self) -> float:
        """Return seconds since the epoch by the session's clock."""
        return float(self._clock())

    def emit(self, event: Event) -> None:
        """Pass an event to the observer."""
        if self._observe is not None:
            self._observe(event)

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    @contextmanager
    def _reading(self) -> Iterator[Chain]:
        with self.store.reading() as moment:
            yield Chain(moment, self._known, find_head(moment, self._known, self.branch_name).node)


class Line(OpenBranch):
    """The content of a branch: add to it and read it."""

    def add(self, message: Mapping[str, Any], *, usage: Mapping[str, Any] | None = None) -> Node:
        """Put a message at the end of the branch; it is on the disk when this returns.

        Args:
            message: a message as its provider has it: a JSON object with a role, or a type (Responses).
            usage: the provider's report for it; kept beside it.

        Raises:
            UsageError: it is not a message.
            SatchelError: the store can't take it; nothing was added.
        """
        check_message(message)
        told = {"usage": dict(usage)} if usage else {}
        return self.record(MESSAGE, message, meta={"tokens": estimate_tokens(message), **told})

    def record(self, kind: str, body: Any, *, meta: Mapping[str, Any] | None = None) -> Node:
        """Put another event at the end of the branch: a pin, an edit, a compaction."""
        return self.record_drafts([NodeDraft(check_kind(kind), body, meta or {}, self.now())])[0]

    def record_many(self, happenings: Sequence[tuple[str, Any]]) -> list[Node]:
        """Put several events in a row, all of them or none."""
        now = self.now()
        return self.record_drafts([NodeDraft(check_kind(kind), body, {}, now) for kind, body in happenings])

    def record_drafts(self, drafts: Sequence[NodeDraft]) -> list[Node]:
        """Put nodes with their own times in a row, all of them or none."""
        if not drafts:
            return []
        with self.store.writing() as moment:
            head = find_head(moment, self._known, self.branch_name)
            rows = append(moment, self._known, Chain(moment, self._known, head.node), list(drafts))
            moment.put_head(self._known.number, head._replace(node=rows[-1].id, redo=()))
        return [node_of(row) for row in rows]

    def messages(self, *, after: str = "", last: int | None = None) -> list[dict[str, Any]]:
        """Return the messages of the branch, oldest first, exactly as they came in.

        Args:
            after: id of the node after which they begin.
            last: how many of the newest; None for all.

        Raises:
            DamageError: one of them is not what was written; none is returned.
        """
        with self._reading() as chain:
            first = self._position(chain, after)
            return [decode(row.content or b"null") for row in message_rows(chain, first, last)]

    def message_nodes(self, *, after: str = "", last: int | None = None) -> list[Node]:
        """Return the same messages as nodes, with their ids, times and metadata."""
        with self._reading() as chain:
            return [node_of(row) for row in message_rows(chain, self._position(chain, after), last)]

    def opening(self, count: int) -> list[Node]:
        """Return the first messages of the branch, oldest first."""
        with self._reading() as chain:
            rows = (row for row in chain.oldest(content=MESSAGE) if row.kind == MESSAGE)
            return [node_of(row) for row in _limit(rows, count)]

    def happenings(self, *kinds: str, after: str = "", last: int | None = None) -> list[Node]:
        """Return the nodes of these kinds (all kinds if none is named), oldest first.

        The time grows with the size of the answer, whatever else the session holds.
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
        """Return the newest node of a kind, None if there is none."""
        with self._reading() as chain:
            return next((node_of(row) for row in chain.of_kind(kind)), None)

    def newest_whole(self, kind: str) -> tuple[Node | None, list[DamageError]]:
        """Return the newest node of a kind whose body is intact, and the damage of newer ones."""
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

    def node(self, node_id: str) -> Node:
        """Return any node of the session by its id, undone ones too; SessionError if there is none."""
        with self.store.reading() as moment:
            chain = Chain(moment, self._known, check_node(moment, self._known, node_id))
            return node_of(chain.row_at(place_of(node_id).position, content=True))

    def count(self, kind: str = MESSAGE) -> int:
        """Return how many messages, or nodes of another kind, the branch has."""
        with self._reading() as chain:
            return chain.last_of(kind)[0]

    def _position(self, chain: Chain, node_id: str) -> int:
        position = chain.position_of(node_id)
        if position is None:
            raise SessionError(self.id, f"branch {self.branch_name!r} has no node {node_id}")
        return position


def find_head(moment: StoreReader, known: Known, branch: str) -> Head:
    """Return the head of a branch; SessionError if no branch has that name."""
    head = moment.head(known.number, BRANCH, branch)
    if head is None:
        raise SessionError(known.name, describe_unknown_name(moment.heads(known.number, BRANCH), branch))
    return head


def check_node(moment: StoreReader, known: Known, node_id: str) -> str:
    """Return the id of a node; SessionError if the session has no such node."""
    row = moment.row(known, place_of(node_id))
    if row is None or row.id != node_id:
        raise SessionError(known.name, f"there is no node {node_id}; satchel session log lists them")
    return node_id


def describe_unknown_name(heads: Sequence[Head], name: str) -> str:
    """Return the sentence for a branch or checkpoint that does not exist."""
    names = [head.name for head in heads]
    near = nearest(name, names)
    hint = f", did you mean {near!r}?" if near else f"; there are {', '.join(names[:20]) or 'none'}"
    role = heads[0].role if heads else "checkpoint"
    return f"no {role} is called {name!r}{hint}"


def check_message(message: object) -> None:
    """Raise UsageError if a value is not a message of any provider."""
    if not isinstance(message, Mapping):
        raise UsageError("a message is a JSON object with a role and content")
    if not isinstance(message.get("role", message.get("type")), str) or not message.get(
        "role", message.get("type")
    ):
        raise UsageError('a message needs a role, like {"role": "user", "content": "hello"}')
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        from satchel.conversation.documents import describe_json

        told = f"a text or a list of blocks, not {describe_json(content)}"
        raise UsageError(f"the content of a message is {told}")


def estimate_tokens(message: Mapping[str, Any]) -> int:
    """Return about how many tokens a message costs; for a very long one, a fixed share of its characters."""
    content = message.get("content")
    text = content if isinstance(content, str) else repr(content)
    return guess(text) if len(text) <= _GUESSED else len(text) // 3


def message_rows(chain: Chain, first: int, last: int | None) -> Iterable[Row]:
    """Return the messages after a position, oldest first; with `last`, only the newest ones."""
    if last is None:
        return (row for row in chain.oldest(after=first, content=MESSAGE) if row.kind == MESSAGE)
    newest = (row for row in chain.newest(down_to=first, content=MESSAGE) if row.kind == MESSAGE)
    return reversed(list(islice(newest, max(0, last))))


def _limit(rows: Iterator[Row], last: int | None) -> Iterator[Row]:
    return rows if last is None else islice(rows, max(0, last))


class Readers(OpenBranch):
    """A branch, and how far each of its readers has read."""

    def read_new(self, reader: str) -> list[Node]:
        """Return the messages of the branch that are new to a reader, and record that it has read them.

        Messages that the reader saw on another branch before the two part, or before an undo, are not new.

        Args:
            reader: a name for the reader: an agent, a person.

        Raises:
            UsageError: that is not a name.
            SatchelError: the store can't take the record, so nothing is shown.
        """
        check_name(reader, READER)
        with self.store.writing() as moment:
            head = find_head(moment, self._known, self.branch_name)
            chain = Chain(moment, self._known, head.node)
            first = _find_last_read(moment, self._known, chain, reader)
            nodes = [node_of(row) for row in message_rows(chain, first, None)]
            moment.put_head(self._known.number, Head(READER, reader, head.node, self.now()))
        return nodes

    def find_read(self, reader: str) -> str:
        """Return the newest node of the branch that a reader was shown, "" if there is none.

        Raises:
            UsageError: that is not a name.
        """
        check_name(reader, READER)
        with self.store.reading() as moment:
            chain = Chain(moment, self._known, find_head(moment, self._known, self.branch_name).node)
            position = _find_last_read(moment, self._known, chain, reader)
            return chain.row_at(position).id if position else ""

    def note_read(self, reader: str, node: str) -> None:
        """Record that a reader was shown the branch up to a node."""
        check_name(reader, READER)
        with self.store.writing() as moment:
            moment.put_head(self._known.number, Head(READER, reader, node, self.now()))

    def readers(self) -> list[Head]:
        """Return the readers of `read_new`, each with the newest node that it saw."""
        with self.store.reading() as moment:
            return moment.heads(self._known.number, READER)


def _find_last_read(moment: StoreReader, known: Known, chain: Chain, reader: str) -> int:
    """Return the position of the newest node of a chain that a reader was shown, 0 if there is none."""
    mark = moment.head(known.number, READER, reader)
    if mark is None:
        return 0
    position = chain.position_of(mark.node)
    if position is not None:
        return position
    for row in Chain(moment, known, mark.node).newest():
        position = chain.position_of(row.id)
        if position is not None:
            return position
    return 0
