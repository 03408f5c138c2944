"""Call itself until the stack ends."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel import hookimpl


@attrs.frozen
class Trap:
    name: ClassVar[str] = "recursion"
    version: ClassVar[str] = "1"

    def claims(self, item):
        return 1.0

    def split(self, item):
        return self.split(item)


@hookimpl
def satchel_representers():
    return [Trap]
