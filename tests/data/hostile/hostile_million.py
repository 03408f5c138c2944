"""Return a million items."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel import ContextItem, hookimpl


@attrs.frozen
class Trap:
    name: ClassVar[str] = "million"
    wave: ClassVar[int] = 1
    max_items: int = 100
    max_tokens: int = 1_000

    def gather(self, task, workspace, best):
        return [ContextItem(str(n), "million", "file", "t") for n in range(1_000_000)]


@hookimpl
def satchel_providers():
    return [Trap]
