"""Memoize results by name and input, for long-lived processes."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from typing import TypeVar, cast

T = TypeVar("T")

_MOST = 4
"""Results kept under one name: a pack asks for some twice, and the task may alternate."""


class Memo:
    """Results by name, each with the input it was made from.

    The caller passes everything that the result depends on, and must not change the result. If an
    intermediate result equals an earlier one, everything made from it is reused.
    """

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[object, object]]] = {}
        self._locks = defaultdict[str, threading.RLock](threading.RLock)

    def again(self, name: str, given: object, make: Callable[[], T]) -> T:
        """Return the result for an equal input, or make it; of several threads, one does."""
        with self._locks[name]:
            known = self.recall(name, given)
            return self.keep(name, given, make()) if known is None else cast("T", known)

    def recall(self, name: str, given: object) -> object:
        """Return the result for an equal input, None if there is none."""
        return next((made for had, made in self._known.get(name, ()) if had == given), None)

    def keep(self, name: str, given: object, made: T) -> T:
        """Keep a result with its input."""
        self._known[name] = [(given, made), *self._known.get(name, ())][:_MOST]
        return made

    def forget(self) -> None:
        """Forget everything."""
        self._known.clear()
