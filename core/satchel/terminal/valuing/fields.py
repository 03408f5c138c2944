"""Fields that tell by their form: a message, and how fast something went."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from satchel.patterns import lazily
from satchel.terminal.folding import Kept
from satchel.terminal.judging import Rank

_MESSAGE = lazily(r"\s*[\"']?(?:message|reason|msg)[\"']?\s*[:=]\s*\S", re.IGNORECASE)
_SAID, _PER_DOUBLING = 53.0, 2.0
"""Of a field that holds a message no other has, and what each doubling of their number takes."""
_RATE = lazily(
    r"\d(?:\.\d+)? ?[A-Za-z]{1,12}(?: per |/) ?s(?:ec(?:ond)?s?)?\b"
    r"|[A-Za-z](?:/| per )s(?:ec(?:ond)?s?)?\W+\d"
)
_MEASURED, _PER_RATE = 48.0, 1.5
"""Of a line that tells how fast something went, where nothing went wrong; what each further one loses."""
_RARE = 4
"""Lines like one, up to which it is no progress that is told again and again."""
_LONGEST = 400


def lift_messages(lines: Sequence[Kept], templates: Sequence[str], values: list[float]) -> None:
    """Show each message that a field holds once; `templates` are those of the lines."""
    told: set[str] = set()
    for at, templated in enumerate(templates):
        if templated not in told and _MESSAGE.match(lines[at].text):
            told.add(templated)
            values[at] = max(values[at], _SAID - _PER_DOUBLING * math.log2(len(told)))


def lift_rates(lines: Sequence[Kept], values: list[float]) -> None:
    """Where no error is told, show the lines that measure how fast something went."""
    if any(line.family.judgement.rank in (Rank.ERROR, Rank.FAILURE) for line in lines):
        return
    rare = (at for at, line in enumerate(lines) if line.family.count <= _RARE)
    for nth, at in enumerate(at for at in rare if _RATE.search(lines[at].text[:_LONGEST])):
        values[at] = max(values[at], _MEASURED - _PER_RATE * nth)
