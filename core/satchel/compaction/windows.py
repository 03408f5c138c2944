"""What `compact` returns: the window, what was cut from it, and how the budget was spent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import attrs

from satchel.errors import Problem


@attrs.frozen
class Cut:
    """A message that is not whole in the window, or not there."""

    index: int
    """Where it stood in the list that came in, from 0; -1 for a text outside of it."""
    role: str
    tokens: int
    """What the whole message costs."""
    kept: int
    """Tokens of it in the window, 0 where it was left out."""
    reason: str
    pointer: str = ""
    """What `satchel expand` takes to give the whole text back; "" where it could not be archived."""


def count_cut(cuts: Iterable[Cut]) -> int:
    """Return how many messages of the list that came in are not whole: several pieces may be of one."""
    return len({one.index for one in cuts})


@attrs.frozen
class Window:
    """A conversation that fits its budget."""

    messages: Any = attrs.field(repr=False)
    """The document in the shape that came in: a list of messages, or the request that holds them."""
    tokens: int
    cut: tuple[Cut, ...] = ()
    problems: tuple[Problem, ...] = ()
    make_report: Callable[[], Mapping[str, Any]] = attrs.field(default=dict, eq=False, repr=False)
    list_key: str = "messages"
    """Key of a request that holds the list of messages."""
    pointer: str = ""
    """What `satchel expand` takes to give back all that was cut; "" where it could not be archived."""
    find_origins: Callable[[], Sequence[int]] = attrs.field(default=tuple, eq=False, repr=False)

    @cached_property
    def origins(self) -> tuple[int, ...]:
        """Where each message of the window stood in the list that came in, from 0; -1 for satchel's own.

        Of messages that were joined in one, it is the place of the first.
        """
        return tuple(self.find_origins())

    @cached_property
    def report(self) -> Mapping[str, Any]:
        """The allocation, the five dearest messages, the first divergence and the share that caches can give.

        Made where it is asked for: most windows are sent without a look at it.
        """
        return self.make_report()
