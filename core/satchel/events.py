"""Events of a run, as frozen records for observers."""

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
    """An item is in the bundle, at this level, for this many tokens."""

    pointer: str
    level: str
    tokens: int


@attrs.frozen
class ItemDropped(Event):
    """An item was left out."""

    pointer: str
    reason: str


@attrs.frozen
class BudgetExceeded(Event):
    """The promised content costs more than the budget, and nothing was made."""

    budget: int
    needed: int


@attrs.frozen
class OutputCompressed(Event):
    """A command's output was shortened."""

    command: str
    lines: int
    """Lines of the full output."""
    tokens: int
    """Tokens of the shortened output."""
    pointer: str
    """`blob:HASH` of the full output, "" if nothing was cut or it could not be archived."""


@attrs.frozen
class EditRecorded(Event):
    """A change of a file was recorded in a session."""

    session: str
    path: str
    strategy: str
    """How a window shows it: `both`, `diff` or `marker`."""
    share: float
    """Share of changed lines, 0..1."""
    tokens: int
    """Tokens that the file gained; negative if it lost some."""


@attrs.frozen
class Compacted(Event):
    """A conversation was cut to fit its window."""

    before: int
    """Approximate tokens of the input."""
    after: int
    cut: int
    """Messages that are shortened or left out."""
    pointer: str
    """Pointer for `satchel expand`, "" if nothing was archived."""


@attrs.frozen
class SnapshotTaken(Event):
    """A session was saved, and the file was read back and verified."""

    session: str
    snapshot: str
    reason: str
    nodes: int


@attrs.frozen
class SnapshotRestored(Event):
    """A session was restored from a snapshot."""

    session: str
    snapshot: str
    damaged: tuple[str, ...]
    """Newer snapshots that could not be used."""


@attrs.frozen
class PluginFailed(Event):
    """A plugin failed and the run continued without it."""

    problem: Problem


@attrs.frozen
class PressureChanged(Event):
    """A gauge of a window's guard changed its level."""

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
    """The guard acted."""

    gauge: str
    action: str
    """`compact`, `keep promised parts`, `reload` or `unload`."""
    before: int
    """Tokens used before a compaction, the window before a reload, 1 before an unload."""
    after: int


@attrs.frozen
class GuardRefused(Event):
    """The guard did not take the action that a level requires; nothing was lost."""

    gauge: str
    action: str
    reason: str
