"""Score parts by the title of a long task alone: what a report is about, before its details."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel_plugins.scorers.symbols import Symbols

if TYPE_CHECKING:
    from satchel.plugin_api import Part, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class Title:
    """Give each part what its words and the names it defines have in common with the first line of the task.

    A task of one line is its own title, and other scorers have read it: all scores are 0. So are those of a
    text below the title that is shorter than `least_words`.
    """

    name: ClassVar[str] = "title"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "part"
    weight: float = 0.4
    names: float = 0.5
    """Share of the names, 0..1; the text has the rest."""
    least_words: int = 40
    """Words below the title that make a task long."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        title, _, rest = task.text.strip().partition("\n")
        if len(rest.split()) < self.least_words:
            return [0.0] * len(parts)
        asked = attrs.evolve(task, text=title, references=())
        texts = workspace.ranking.parts(asked, parts)
        names = Symbols().score(parts, asked, workspace)
        return [(1 - self.names) * text + self.names * name for text, name in zip(texts, names, strict=True)]
