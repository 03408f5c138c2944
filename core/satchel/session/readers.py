"""Who was shown what of a branch, so that several may read one session and see nothing twice."""

from __future__ import annotations

from satchel.session.chains import Chain, node_of
from satchel.session.line import OpenBranch, find_head, message_rows
from satchel.session.nodes import Node, check_name
from satchel.session.store import READER, Head, Known, StoreReader


class Readers(OpenBranch):
    """A branch, and how far each of its readers was shown it."""

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
            head = find_head(moment, self._known, self.branch_name)
            chain = Chain(moment, self._known, head.node)
            first = _find_last_read(moment, self._known, chain, reader)
            nodes = [node_of(row) for row in message_rows(chain, first, None)]
            moment.put_head(self._known.number, Head(READER, reader, head.node, self.now()))
        return nodes

    def find_read(self, reader: str) -> str:
        """Return the newest node of the branch that a reader was shown, "" where it was shown none.

        Raises:
            UsageError: that is not a name.
        """
        check_name(reader, READER)
        with self.store.reading() as moment:
            chain = Chain(moment, self._known, find_head(moment, self._known, self.branch_name).node)
            position = _find_last_read(moment, self._known, chain, reader)
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


def _find_last_read(moment: StoreReader, known: Known, chain: Chain, reader: str) -> int:
    """Return the position of the newest node of a chain that a reader was shown, 0 for none."""
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
