"""What happens while satchel works, as frozen records for observers."""

from __future__ import annotations

import attrs

from satchel.errors import Problem


@attrs.frozen
class Event:
    """Base of all events."""


@attrs.frozen
class ItemsGathered(Event):
    """A provider answered with this many items."""

    provider: str
    count: int


@attrs.frozen
class ItemKept(Event):
    """An item stands in the bundle, at this level, for this many tokens."""

    pointer: str
    level: str
    tokens: int


@attrs.frozen
class ItemDropped(Event):
    """An item was left out."""

    pointer: str
    reason: str


@attrs.frozen
class PluginFailed(Event):
    """A plugin failed and the run went on without it."""

    problem: Problem


@attrs.frozen
class PressureChanged(Event):
    """A gauge of a window's guard went to another level."""

    gauge: str
    """`cells` (tokens used of the window) or `memory` (free bytes against the margin)."""
    before: str
    """`calm`, `first`, `second` or `last`."""
    after: str
    value: int
    """Tokens used, or bytes free."""
    limit: int
    """Tokens of the window, or bytes of the margin."""


@attrs.frozen
class GuardActed(Event):
    """The guard did something."""

    gauge: str
    action: str
    """`compact`, `keep promised parts`, `reload` or `unload`."""
    before: int
    """Tokens used before a compaction, the window before a reload, 1 before an unload."""
    after: int


@attrs.frozen
class GuardRefused(Event):
    """The guard did not do what a level asks for, and nothing was lost."""

    gauge: str
    action: str
    reason: str


@attrs.frozen
class ServerTruncated(Event):
    """A server evaluated fewer tokens than it was sent: it cut the front of the prompt."""

    sent: int
    evaluated: int
