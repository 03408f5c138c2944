"""Signs of trouble in what servers and drivers tell: memory ran out, or a prompt was cut without a word."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from satchel.patterns import lazily

MOST_CHARACTERS = 4 << 20
"""Most of a log that is read, from its end: what killed a process stands last."""


class OutOfMemory(NamedTuple):
    """Memory ran out."""

    kind: str
    """`cuda`, `hip`, `metal`, `vulkan`, `jetson`, `engine` (an allocation of its own) or `system`."""
    line: str
    """The line that says so, at most 300 characters."""
    recoverable: bool
    """Whether the engine goes on by itself."""


_ROWS = Path(__file__).with_name("out_of_memory.txt").read_text("utf-8").splitlines()
_KINDS = tuple(
    (kind, lazily(rule, re.IGNORECASE | re.MULTILINE))
    for kind, _, rule in (row.partition(": ") for row in _ROWS)
)
_GENERAL = lazily(
    r"(?:error|fatal|panic|failed|exception|terminat|abort)[^\n]{0,200}\bout of memory\b"
    r"|\bout of memory\b[^\n]{0,80}(?:error|abort|exit|kill)",
    re.IGNORECASE,
)
_GOES_ON = lazily(
    r"retrying without pipeline parallelism|falling back to cpu|retrying with (?:fewer|smaller)",
    re.IGNORECASE,
)
_NOT_IT = lazily(
    r"\b(?:no|without|avoid\w*|prevent\w*|never|if|when|0|zero) (?:an? |any )?(?:cuda )?(?:out of memory|oom)"
    r"|out[ _]of[ _]memory\w*\W*(?:test\w*\W*)?(?:passed|ok\b|\.\.\. ok)|test\w*out_of_memory\w*\s+PASSED",
    re.IGNORECASE,
)


def out_of_memory(text: str) -> OutOfMemory | None:
    """Return the last sign in a log that memory ran out, None where there is none.

    Only real messages of engines, drivers and kernels count, not the words alone. Exit code 137 of a
    process without any text is the kernel's too, which no text can show.
    """
    recent = text[-MOST_CHARACTERS:]
    goes_on = False
    for line in reversed(recent.splitlines()):
        goes_on = goes_on or bool(_GOES_ON.search(line[:2_000]))
        kind = _kind(line[:2_000])
        if kind:
            return OutOfMemory(kind, line.strip()[:300], goes_on)
    return None


def _kind(line: str) -> str:
    if "memory" not in line.lower() and not _WORTH.search(line):
        return ""
    if _NOT_IT.search(line):
        return ""
    named = next((kind for kind, rule in _KINDS if rule.search(line)), "")
    return named or ("engine" if _GENERAL.search(line) else "")


_WORTH = lazily(r"malloc|alloc|status 5|oom|killed|NvMap|ErrorOutOf", re.IGNORECASE)


_TOLERANCE = 0.02
"""Share by which two counts of one prompt differ without a cut: templates, special tokens."""
_SLACK_TOKENS = 16


class Truncation(NamedTuple):
    """A server evaluated fewer tokens than it was sent."""

    sent: int
    evaluated: int

    @property
    def lost(self) -> int:
        """Tokens that the model never saw."""
        return self.sent - self.evaluated


def truncation(sent: int, evaluated: int, *, cached: int = 0, error: float = 0.0) -> Truncation | None:
    """Return the cut, None where the server evaluated what it was sent.

    `sent` is one's own count of the whole prompt and `error` its relative error (0 where exact);
    `cached` are tokens that the server took from its cache in addition to those evaluated. A server
    may count more than was sent (its template), never less without a cut.
    """
    seen = evaluated + cached
    allowed = sent * (1 - _TOLERANCE - error) - _SLACK_TOKENS
    return Truncation(sent, seen) if seen < allowed else None
