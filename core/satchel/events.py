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
