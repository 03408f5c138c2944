"""Delete an attribute of a frozen argument, and a method of its own class."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel import hookimpl


@attrs.frozen
class Trap:
    name: ClassVar[str] = "deletes"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0

    def score(self, parts, task, workspace):
        object.__delattr__(task, "text")
        del type(self).score
        return [0.5] * len(parts)


@hookimpl
def satchel_scorers():
    return [Trap]
