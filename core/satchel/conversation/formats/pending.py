"""Calls that have no ids: which result belongs to which of them is told by name and order."""

from __future__ import annotations

from collections import deque


class Pending:
    """The calls of the last message that still wait for their results."""

    def __init__(self) -> None:
        self._waiting: dict[str, str] = {}
        self._named: dict[str, deque[str]] = {}

    def expect(self, calls: list[tuple[str, str]]) -> None:
        """Wait for the results of these calls, given as (id, name), and of no others."""
        self._waiting = dict(calls)
        self._named = {}
        for id_, name in calls:
            self._named.setdefault(name, deque()).append(id_)

    def answered(self, id_: str) -> str:
        """Wait no longer for the result of this call, which says its id; return the id."""
        self._waiting.pop(id_, None)
        return id_

    def answer(self, name: str) -> str:
        """Return the id of the call that a result belongs to, "" where no call waits.

        It is the first of that name, or the first of all.
        """
        same = self._named.get(name, deque())
        while same:
            id_ = same.popleft()
            if self._waiting.pop(id_, None) is not None:
                return id_
        first = next(iter(self._waiting), "")
        self._waiting.pop(first, None)
        return first
