"""Take the name of a built-in."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel import hookimpl


@attrs.frozen
class Trap:
    name: ClassVar[str] = "hybrid"

    def pack(self, candidates, budget):
        raise RuntimeError("the impostor was called")


@hookimpl
def satchel_packers():
    return [Trap]
