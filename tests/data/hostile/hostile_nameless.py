"""Bring a class without a name."""

import attrs

from satchel import hookimpl


@attrs.frozen
class Nameless:
    weight: float = 1.0

    def score(self, parts, task, workspace):
        return [0.5] * len(parts)


@hookimpl
def satchel_scorers():
    return [Nameless]
