"""Change a frozen argument."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel import hookimpl


@attrs.frozen
class Trap:
    name: ClassVar[str] = "mutates"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0

    def score(self, parts, task, workspace):
        object.__setattr__(task, "text", "something else")
        return [0.5] * len(parts)


@hookimpl
def satchel_scorers():
    return [Trap]
