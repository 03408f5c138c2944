"""Sleep far longer than any deadline."""

from __future__ import annotations

import time
from typing import ClassVar

import attrs

from satchel import hookimpl


@attrs.frozen
class Trap:
    name: ClassVar[str] = "hangs"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0

    def score(self, parts, task, workspace):
        time.sleep(60)


@hookimpl
def satchel_scorers():
    return [Trap]
