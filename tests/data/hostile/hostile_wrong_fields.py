"""Bring a class that lacks what a scorer must have, and one whose lookups explode."""

from typing import ClassVar

import attrs

from satchel import hookimpl


@attrs.frozen
class NoWeight:
    name: ClassVar[str] = "wrong_fields"
    kinds: ClassVar[str] = "file"

    def score(self, parts, task, workspace):
        return [0.5] * len(parts)


class Plain:
    name = "plain"


@hookimpl
def satchel_scorers():
    return [NoWeight, Plain]
