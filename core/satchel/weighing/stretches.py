"""Stretches: a few lines of a long part, cut and counted once per content beside the parts themselves."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from satchel.parts import Lines, Part, Stretch, Stretches
from satchel.patterns import lazily

LEAST_LINES = 24
"""A shorter part stays whole."""
_SHORTEST, _LONGEST = 6, 12
_CONTINUES = lazily(
    r"[\])}]|(else|elif|elsif|except|catch|finally|rescue|ensure|when|case|default|then|do|end|fi|done)\b"
)
_MAY_CONTINUE = frozenset("])}ecfrwdt")
"""What a line begins with that `_CONTINUES` finds."""
_NOWHERE = (False, -sys.maxsize)
_SOLID = lazily(r"[^\s/]")
_COMPACT = (",", ":")


def cut(lines: Sequence[str], part: Part) -> list[Lines]:
    """Cut a long part where statements begin; one range where it is not long.

    Each stretch but the first begins with a line that is neither blank nor starts with "/", so that
    the counts of a part's stretches add up to its own.
    """
    first, last = part.lines
    if last - first + 1 < LEAST_LINES:
        return [part.lines]
    ranges: list[Lines] = []
    begin = first
    while last - begin + 1 > _LONGEST and (after := _next_begin(lines, part, begin)):
        ranges.append((begin, after - 1))
        begin = after
    whole = [*ranges, (begin, last)]
    return whole if any(map(_SOLID.search, lines[first - 1 : whole[0][1]])) else [part.lines]


def _next_begin(lines: Sequence[str], part: Part, begin: int) -> int:
    """Return the line where the stretch behind the one that begins at `begin` does, 0 for nowhere.

    Of the lines in reach the one does best that goes on with no statement and stands farthest out, where
    a blank line before it counts for four columns; of equals the last.
    """
    first, last = max(begin + _SHORTEST, part.head[1] + 1), min(begin + _LONGEST, part.lines[1])
    best, at_best = _NOWHERE, 0
    for number in range(first, last + 1):
        line = lines[number - 1]
        stripped = line.lstrip()
        if not stripped or line[0] == "/":
            continue
        out = len(stripped) - len(line) + (0 if lines[number - 2].strip() else 4)
        starts = stripped[0] not in _MAY_CONTINUE or _CONTINUES.match(stripped) is None
        if (starts, out) >= best:
            best, at_best = (starts, out), number
    return at_best


def summed(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Return the counts of each part: those of its stretches add up."""
    sums: list[Stretch] = []
    for one in stretches:
        if sums and sums[-1].part == one.part:
            before, more = sums[-1], one.joined_tokens
            sums[-1] = before._replace(tokens=before.tokens + more, joined_tokens=before.joined_tokens + more)
        else:
            sums.append(one)
    return sums


def to_row(stretches: Stretches) -> tuple[str, str]:
    """Write stretches for the index: their rows as JSON, and the terms of each on a line."""
    return json.dumps(stretches.rows, separators=_COMPACT), "\n".join(stretches.terms)


def from_row(rows: str, terms: str) -> Stretches:
    """Read what `to_row` wrote."""
    read = tuple(Stretch(part, (lines[0], lines[1]), *counts) for part, lines, *counts in json.loads(rows))
    return Stretches(read, tuple(terms.split("\n")) if read else ())
