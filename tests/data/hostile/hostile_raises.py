"""Raise an ordinary exception whose text can't be made."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel import hookimpl


@attrs.frozen
class Trap:
    name: ClassVar[str] = "raises"
    kinds: ClassVar[frozenset[str]] = frozenset({"file"})
    grain: ClassVar[str] = "item"
    weight: float = 1.0

    def score(self, parts, task, workspace):
        class MuteError(Exception):
            def __str__(self):
                raise ValueError("no text")

        raise MuteError


@hookimpl
def satchel_scorers():
    return [Trap]
