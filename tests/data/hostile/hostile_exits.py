"""Leave by sys.exit."""

from __future__ import annotations

import sys
from typing import ClassVar

import attrs

from satchel import hookimpl


@attrs.frozen
class Trap:
    name: ClassVar[str] = "exits"
    wave: ClassVar[int] = 1
    max_items: int = 100
    max_tokens: int = 1_000

    def gather(self, task, workspace, best):
        sys.exit(3)


@hookimpl
def satchel_providers():
    return [Trap]
