"""Score changes where changes are what the task is about: no word of "review this" stands in a diff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class Changes:
    """Give 1 to diffs that are under review, and to every diff where the task asks about changes."""

    name: ClassVar[str] = "changes"
    kinds: ClassVar[frozenset[str]] = frozenset({"diff", "status"})
    grain: ClassVar[str] = "item"
    steady: ClassVar[frozenset[str]] = frozenset()
    weight: float = 1.5

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 1 or 0 for each part."""
        from satchel_plugins.providers.git_changes import REVIEWED
        from satchel_plugins.providers.git_evidence import is_about_changes

        asked = is_about_changes(task)
        return [float(asked or part.item.startswith(REVIEWED)) for part in parts]
