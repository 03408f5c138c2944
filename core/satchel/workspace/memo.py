"""Reuse what was made of equal things, in processes that live long."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

T = TypeVar("T")

_MOST = 4
"""Answers that are kept under one name: a pack asks some things twice, and the task may change to and fro."""


class Memo:
    """Answers by name, each with all that it was made from.

    Who asks passes everything that the answer depends on, and changes nothing in what it gets. A change
    ends where what is made of it is equal to what was made before: all that is made of that is told again.
    """

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[object, object]]] = {}

    def again(self, name: str, given: object, make: Callable[[], T]) -> T:
        """Return what was made of equal things, or make it."""
        known = self.recall(name, given)
        return self.keep(name, given, make()) if known is None else cast("T", known)

    def recall(self, name: str, given: object) -> object:
        """Return what was made of equal things, None where nothing is kept."""
        return next((made for had, made in self._known.get(name, ()) if had == given), None)

    def keep(self, name: str, given: object, made: T) -> T:
        """Keep what was made of something."""
        self._known[name] = [(given, made), *self._known.get(name, ())][:_MOST]
        return made

    def same(self, name: str, made: T) -> T:
        """Return the equal one of what was made before, so that it is the very same; else what was made."""
        return self.again(name, made, lambda: made)

    def forget(self) -> None:
        """Forget everything."""
        self._known.clear()
