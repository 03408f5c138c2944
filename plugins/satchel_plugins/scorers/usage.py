"""Score items by how much they were used in the session, and how long ago."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from satchel.plugin_api import Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class UsageScorer:
    """Score an item by how much the session uses it, a pinned item with 1; without a session, score nothing.

    The session reduces its numbers over time, by its own clock, and passes them to the task as `usage`: 0..1
    for each item id. So a pack for the same task is the same at any time.
    """

    name, kinds, grain = "usage", frozenset({"*", "exchange"}), "item"
    weight: float = 0.3

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        if not task.usage:
            return [0.0] * len(parts)
        pinned = {pin.path for pin in task.pins if pin.path}
        return [
            1.0 if part.path in pinned else min(1.0, max(0.0, task.usage.get(part.item, 0.0)))
            for part in parts
        ]
