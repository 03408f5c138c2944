"""What every match of a rule's pattern needs of its text, read from the pattern: long runs, an at sign."""

from __future__ import annotations

import re
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.redaction.rules import Rule

_PIECES = lazily(r"\\.|\[(?P<set>(?:\\.|[^\]\\])*)\](?:\{(?P<least>\d+))?|(?P<or>\|)|[()@]")
_ALNUM = lazily(r"(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|[A-Za-z0-9])+")
"""The inside of a set of ASCII letters and digits."""
_PLAIN = lazily(r"(?:[A-Za-z0-9_]|\[\w+(?:-\w+)*\](?!\{)|\(\?:[\w|]+\)\??)*")
"""The beginning of a pattern that matches word characters alone."""
_OPTIONAL = lazily(r"\(\?:[\w|]+\)\??")
_SET = lazily(r"\[\w+(?:-\w+)*\]")


class Needs(NamedTuple):
    """What a text must have; all of it is necessary, none of it enough."""

    follow: int = 0
    """Word characters in one run, from where the rule's word stands."""
    longest: int = 0
    """Letters and digits of ASCII side by side, anywhere."""
    at_sign: bool = False


def needs_of(rule: Rule) -> Needs:
    """Return what each match of a rule needs; a pattern that is not understood needs nothing."""
    longest, at_sign, depth, first = 0, False, 0, -1
    for piece in _PIECES.finditer(rule.pattern):
        if piece[0] in "()":
            depth += 1 if piece[0] == "(" else -1
        elif depth:
            continue
        elif piece["or"]:
            return Needs()
        elif piece["least"] and _ALNUM.fullmatch(piece["set"]):
            longest = max(longest, int(piece["least"]))
            first = piece.start() if first < 0 else first
        at_sign |= piece[0] == "@" and rule.pattern[piece.end() : piece.end() + 1] not in {"?", "*", "{"}
    return Needs(_follow(rule, first), longest, at_sign)


def _follow(rule: Rule, at: int) -> int:
    """Return how long a run must be that a match begins with; `at` is where the first counted set stands."""
    beginning = rule.pattern[: max(at, 0)]
    if at < 0 or rule.back or not _PLAIN.fullmatch(beginning):
        return 0
    counted = re.match(r"\[[^\]]*\]\{(\d+)", rule.pattern[at:])
    fixed = _SET.sub("x", _OPTIONAL.sub("", beginning))
    return len(fixed) + int(counted[1] if counted else 0)


def fewest(needs: list[Needs]) -> Needs:
    """Return what at least one of these needs."""
    return Needs(
        min(need.follow for need in needs),
        min(need.longest for need in needs),
        all(need.at_sign for need in needs),
    )
