"""Raise what is no Exception."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel import hookimpl


@attrs.frozen
class Trap:
    name: ClassVar[str] = "base_exception"

    def devices(self):
        class Stop(BaseException):
            pass

        raise Stop("stop everything")


@hookimpl
def satchel_gpu_backends():
    return [Trap]
