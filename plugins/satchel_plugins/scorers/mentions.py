"""Score parts that the task names: a symbol by its name, lines by their number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

if TYPE_CHECKING:
    from satchel import Part, Reference, Task, Workspace


@attrs.frozen
class Mentions:
    """Give 1 to a part whose lines or qualified name the task gives, less where only the last name fits."""

    name: ClassVar[str] = "mentions"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "part"
    weight: float = 0.6
    last_name: float = 0.7
    """Score where `run` is named and the part is `Server.run`."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        names = {reference.name for reference in task.references if reference.kind == "symbol"}
        last_names = {name.rpartition(".")[2] for name in names}
        pointed: dict[str, list[Reference]] = {}
        for reference in task.references:
            if reference.lines[0]:
                pointed.setdefault(reference.path, []).append(reference)
        return [
            max(self._named(part, names, last_names), _pointed_at(part, pointed.get(part.path, ())))
            for part in parts
        ]

    def _named(self, part: Part, names: set[str], last_names: set[str]) -> float:
        own = [part.name, *(symbol.name for symbol in part.symbols)]
        if any(name in names for name in own if name):
            return 1.0
        return self.last_name if any(name.rpartition(".")[2] in last_names for name in own if name) else 0.0


def _pointed_at(part: Part, references: Sequence[Reference]) -> float:
    first, last = part.lines
    return 1.0 if any(ref.lines[0] <= last and first <= ref.lines[1] for ref in references) else 0.0
