"""Write to file 1 behind Python's back."""

from __future__ import annotations

import os
from typing import ClassVar

import attrs

from satchel import hookimpl


@attrs.frozen
class Trap:
    name: ClassVar[str] = "writes"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0

    def score(self, parts, task, workspace):
        os.write(1, b"written by a plugin\n")
        return [0.5] * len(parts)


@hookimpl
def satchel_scorers():
    return [Trap]
