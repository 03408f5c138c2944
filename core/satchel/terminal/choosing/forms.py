"""Cut a line to its core: without times, far folders and advice; what is cut leaves a mark."""

from __future__ import annotations

from satchel.patterns import lazily

CUT = "…"
_EDGES = lazily(r"^\s*([=\-_*~^#.!─━═])\1{2,}+\s*(?=\w)|(?<=[\w.)])\s+([=\-_*~^#!─━═])\2{2,}+$")
"""Rules around a heading: like lines of such marks alone, they leave no mark."""
_STAMP = lazily(
    r"(?:[\[(]?\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z| ?[+-]\d\d:?\d\d)?)?[\])]?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: [\w.-]{1,40}(?= [\w.-]{1,40}(?:\[\d+\])?:))?"
    r"|[\[(]?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?[\])]?)[:,]?\s+(?=\S)"
)
"""When something was logged, and on which host."""
_FOLDERS = lazily(
    r"^(\s*(?:File )?[\"'(]?|\s*at [^\s(]{1,120} \()(?:[A-Za-z]:)?"
    r"(?:[/\\][\w@.+~-]{1,80}(?=[/\\][\w@.+~-]{1,80}[/\\][\w@.+~-]))+[/\\]"
)
"""The folders of an absolute path that a line begins with, but the last."""
_ADDRESS = lazily(r"(https?://[\w.:-]{1,80}/)(?:[^\s\"'<>)\]/]{1,80}/)+(?=[^\s\"'<>)\]/])")
_COMMIT = lazily(r"^(\W{0,8}commit [0-9a-f]{12})[0-9a-f]{20,}$")
_TAILS = lazily(
    r"(?:\s+\[ *\d{1,3}%\]|\s+\[[^\[\]\s]{0,120}[/\\][^\[\]\s]{1,80}\]"
    r"|(?<=\d\)|\w\w),? in \d[\d.,]{0,12} ?(?:s|ms|m|min|sec|seconds|minutes)(?: \(\d[\d:]{3,12}\))?"
    r"|[;,] (?:finished in \d[\d.,]{0,12} ?m?s"
    r"|0 (?:measured|filtered out|ignored|rescued|pending|todo|cancelled))"
    r"|[;,:] (?:for (?:help|details|more)|see )[^.]{0,160}"
    r"|(?<=[\w)'\"][.!])\s+(?:Is|Are|Did|Do|Please|See|Try|Run|For|Check|Consider|Perhaps|Maybe)"
    r" [^.!]{1,160})[.?!]?$"
)
"""What ends a line and says the least: how far it is, how long it took, counts of nothing, advice."""
_TOTALS = lazily(r"\d \w+.{0,80}, ?\d+ \w")
"""What makes a duration one of a line of totals."""
_LONGEST, _TAIL = 1_200, 200
_MOST_TAILS = 4
_LESS = 6
"""Characters that a core is shorter at least."""


def core(text: str) -> str:
    """Return what a line says at least, "" where that is hardly shorter.

    It is made of pieces of the line, in order; each piece that says something and is left out leaves `…`.
    """
    if len(text) > _LONGEST:
        return ""
    line = _COMMIT.sub(rf"\1{CUT}", _EDGES.sub("", text).strip())
    stamp = _STAMP.match(line)
    line = f"{CUT}{line[stamp.end() :]}" if stamp else line
    line = _FOLDERS.sub(rf"\1{CUT}", line, count=1)
    short = _endless(_ADDRESS.sub(rf"\1{CUT}", line))
    return short if len(short) + _LESS <= len(text.strip()) else ""


def _endless(line: str) -> str:
    short = line
    for _ in range(_MOST_TAILS):
        found = _TAILS.search(short, max(0, len(short) - _TAIL))
        if not found or not found.start() or (_is_duration(found[0]) and not _TOTALS.search(short)):
            break
        short = short[: found.start()]
    return line if short == line else f"{short.rstrip(' ,;')}{CUT}"


def _is_duration(tail: str) -> bool:
    return tail.lstrip(", ").startswith("in ")
