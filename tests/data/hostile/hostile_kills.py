"""End the process without a word."""

from __future__ import annotations

import os
from typing import ClassVar

import attrs

from satchel import hookimpl


@attrs.frozen
class Trap:
    name: ClassVar[str] = "kills"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0

    def score(self, parts, task, workspace):
        os._exit(7)


@hookimpl
def satchel_scorers():
    return [Trap]
