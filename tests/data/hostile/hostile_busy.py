"""Loop without end."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel import hookimpl


@attrs.frozen
class Trap:
    name: ClassVar[str] = "busy"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0

    def score(self, parts, task, workspace):
        while True:
            pass


@hookimpl
def satchel_scorers():
    return [Trap]
