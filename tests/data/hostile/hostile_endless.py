"""Return a generator without end."""

from __future__ import annotations

import itertools
from typing import ClassVar

import attrs

from satchel import ContextItem, hookimpl


@attrs.frozen
class Trap:
    name: ClassVar[str] = "endless"
    wave: ClassVar[int] = 1
    max_items: int = 100
    max_tokens: int = 1_000

    def gather(self, task, workspace, best):
        return (ContextItem(str(n), "endless", "file", "t", text="endless\n") for n in itertools.count())


@hookimpl
def satchel_providers():
    return [Trap]
