"""Print in the middle of the result, and keep the stream for itself."""

from __future__ import annotations

import sys
from typing import ClassVar

import attrs

from satchel import hookimpl


@attrs.frozen
class Trap:
    name: ClassVar[str] = "prints"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0

    def score(self, parts, task, workspace):
        print("printed by a plugin")
        sys.stdout = sys.stderr
        return [0.5] * len(parts)


@hookimpl
def satchel_scorers():
    return [Trap]
