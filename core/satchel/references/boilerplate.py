"""Strip from a task what the form of a report adds: headings, hints, lists of versions."""

from __future__ import annotations

import re
from functools import lru_cache

from satchel.patterns import lazily

_HEADING = lazily(r"#{1,6}\s+(?P<title>\S.{0,80})|(?:[-*]\s+)?\*\*(?P<bold>[^*]{1,80})\*\*:?\s*")
_PLACES = frozenset(
    "environment env version versions extensions screenshots screenshot checklist pip".split()  # noqa: SIM905
)
"""Words in headings of sections that describe the environment, not the problem."""
_BESIDE = _PLACES | frozenset(
    "and or of your project info information details system operating os installed packages list".split()  # noqa: SIM905
)
"""Words allowed beside them, with one other word: the name of the project, or what is installed."""
_VERBS = frozenset(
    "add bump change check compare drop fix handle new parse print remove set show support use".split()  # noqa: SIM905
)
_ASKING = lazily(
    r"(?i)(?:(?:a|the|short|brief|bug|feature|detailed)\s+)*(?:summary|description|report|request)"
    r"|describe (?:the|your) .+|(?:steps |how )*to reproduce.*|reproduc\w+.*|steps.*"
    r"|(?:expected|actual|current|observed) .{0,30}|what (?:happened|you expected|did you).*"
    r"|minimal .{0,40}|mcve.*|additional .*|anything else.*|(?:possible|proposed) .{0,30}"
    r"|(?:error )?logs?.{0,20}|problem(?: description)?|bug|context|alternatives?.{0,40}|is your feature .*"
)
"""A heading that asks for what to write below it."""
_DONE = lazily(r"\s*[-*]\s*\[[xX]\]\s")
_VERSION = lazily(
    r"\s*(?:[-*]\s)?\s*[\w.\-]{1,60}(?: version| implementation)?\s*(?:==|[:\s])\s*"
    r"(?:v?\d+(?:\.[\w+\-]+)+|None)(?:[\s,;(\[].{0,80})?"
)
_SYSTEM = lazily(
    r"(?i)\s*(?:[-*]\s+)?(?:os|operating system|\w{1,20} (?:versions?|extensions|implementation)|extra tools)"
    r"\s*:.{0,80}"
)
_EMPTY = lazily(r"(?i)\s*(?:no|n/a|none|nothing|_no response_)\.?\s*|[-\s]{8,}")
_INSTALLING = ("Installing collected packages", "Successfully installed", "Requirement already satisfied")
_LONGEST = 300
"""Longest line that is checked as a heading or a version."""


@lru_cache(maxsize=2)
def strip_boilerplate(text: str) -> str:
    """Remove hidden comments, sections on versions, ticked boxes and empty answers from a task.

    The first line is not changed.
    """
    first, *lines = _strip_comments(text.strip()).split("\n")
    kept = [first]
    elsewhere, fenced = False, False
    for line in lines:
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        title = "" if fenced and not elsewhere else _title(line)
        if title:
            elsewhere = _tells_where(title)
        elif "</details>" in line:
            elsewhere = False
        if not elsewhere and not _ASKING.fullmatch(title) and not _says_nothing(line):
            kept.append(line)
    return "\n".join(kept)


def _strip_comments(text: str) -> str:
    kept: list[str] = []
    at = 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin)) >= 0:
        kept.append(text[at:begin])
        at = end + 3
    return "".join([*kept, text[at:]])


def _title(line: str) -> str:
    """Return the text of a heading, "" for any other line."""
    match = _HEADING.fullmatch(line.rstrip()) if len(line) <= _LONGEST else None
    return (match["title"] or match["bold"] or "").strip(" #:") if match else ""


def _tells_where(title: str) -> bool:
    """Tell whether a heading asks for versions and the like, with at most one other word."""
    words = [word for word in re.split(r"\W+", title.lower()) if word]
    others = [word for word in words if word not in _BESIDE]
    asks = not _PLACES.isdisjoint(words) or {"your", "project"} <= set(words)
    return asks and len(others) <= 1 and _VERBS.isdisjoint(others)


def _says_nothing(line: str) -> bool:
    if line.startswith(_INSTALLING):
        return True
    if not line.strip() or len(line) > _LONGEST:
        return False
    known = (_VERSION, _SYSTEM, _EMPTY)
    return _DONE.match(line) is not None or any(one.fullmatch(line.rstrip()) for one in known)
