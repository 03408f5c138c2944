"""Match results with calls: by id, the nearest call before first, and by order where ids are missing."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from satchel.messages import MADE_UP, BlockKind, Message

Slot = tuple[int, int]
"""A block: the position of its message, and its own in it."""


class Matches:
    """Which call each result answers; what is left over on either side."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.call_of: dict[Slot, Slot] = {}
        self.result_of: dict[Slot, Slot] = {}
        self.calls: dict[Slot, str] = {}
        self.orphans: list[Slot] = []
        self._open: dict[str, list[deque[Slot]]] = {}
        self._early: dict[str, deque[Slot]] = {}
        self._latest: deque[Slot] = deque()
        for at, message in enumerate(messages):
            self._take(at, message)
        self.orphans.extend(sorted(slot for early in self._early.values() for slot in early))

    def _take(self, at: int, message: Message) -> None:
        fresh: dict[str, deque[Slot]] = {}
        for number, block in enumerate(message.blocks):
            if block.kind is BlockKind.CALL:
                self._call((at, number), block.id, fresh)
            elif block.kind is BlockKind.RESULT:
                self._result((at, number), block.id)
        if fresh:
            self._latest = deque(slot for slots in fresh.values() for slot in slots)
        for id_, slots in fresh.items():
            self._open.setdefault(id_, []).append(slots)

    def _call(self, slot: Slot, id_: str, fresh: dict[str, deque[Slot]]) -> None:
        self.calls[slot] = id_
        early = self._early.get(id_)
        if early and id_:
            self._join(early.popleft(), slot)
        else:
            fresh.setdefault(id_, deque()).append(slot)

    def _result(self, slot: Slot, id_: str) -> None:
        call = self._waiting(id_)
        if call is None and (not id_ or id_ not in self._open):
            call = self._nameless(id_)
        if call is None:
            self._early.setdefault(id_, deque()).append(slot)
        else:
            self._join(slot, call)

    def _waiting(self, id_: str) -> Slot | None:
        """Return the call of that id which waits: of the latest message that has one, the first."""
        groups = self._open.get(id_, [])
        while groups:
            while groups[-1]:
                slot = groups[-1].popleft()
                if slot not in self.result_of:
                    return slot
            groups.pop()
        return None

    def _nameless(self, id_: str) -> Slot | None:
        """Return the first call of the latest message that waits, for a result or a call without id."""
        while self._latest and self._latest[0] in self.result_of:
            self._latest.popleft()
        own = self.calls[self._latest[0]] if self._latest else MADE_UP
        if own.startswith(MADE_UP) or id_.startswith(MADE_UP) or (id_ and own):
            return None
        return self._latest.popleft()

    def _join(self, result: Slot, call: Slot) -> None:
        self.call_of[result] = call
        self.result_of[call] = result
