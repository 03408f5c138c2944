"""Stretches: a few lines of a long part, cut and counted once per content beside the parts themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from satchel.parts import Lines, Part, Stretch, Stretches

LEAST_LINES = 24
"""A shorter part stays whole."""
_SHORTEST, _LONGEST = 6, 12
_CONTINUES = re.compile(
    r"[\])}]|(else|elif|elsif|except|catch|finally|rescue|ensure|when|case|default|then|do|end|fi|done)\b"
)
_SOLID = re.compile(r"[^\s/]")
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
    """Return the line where the stretch behind the one that begins at `begin` does, 0 for nowhere."""
    window = range(max(begin + _SHORTEST, part.head[1] + 1), min(begin + _LONGEST, part.lines[1]) + 1)
    best = max(window, key=lambda number: _fitness(lines, number), default=0)
    return best if best and _begins(lines[best - 1]) else 0


def _begins(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("/")


def _fitness(lines: Sequence[str], number: int) -> tuple[int, int, int]:
    """Return how well a stretch may begin at a line: outer statements after a blank line do best."""
    line = lines[number - 1]
    if not _begins(line):
        return (-2, 0, 0)
    stripped = line.lstrip()
    after_blank = not lines[number - 2].strip()
    return (-bool(_CONTINUES.match(stripped)), len(stripped) - len(line) + 4 * after_blank, number)


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


def to_json(stretches: Stretches) -> tuple[str, str]:
    """Write stretches as two JSON texts: rows, and terms."""
    return (
        json.dumps(stretches.rows, separators=_COMPACT),
        json.dumps(stretches.terms, separators=_COMPACT),
    )


def from_json(rows: str, terms: str) -> Stretches:
    """Read what `to_json` wrote."""
    read = (Stretch(part, (lines[0], lines[1]), *counts) for part, lines, *counts in json.loads(rows))
    return Stretches(tuple(read), json.loads(terms))
