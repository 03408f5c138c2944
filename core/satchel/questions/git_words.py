"""Tell whether words of git in a task are about the repository itself, and not about what its code does."""

from __future__ import annotations

import re

from satchel.patterns import lazily

_OF_GIT = lazily(
    r"(?i)(?:uncommitted|(?:un)?staged) \w+|git (?:diff|status|stash)"
    r"|(?:local|pending|current) (?:changes|diffs?|edits|work|branch)"
)
"""What a program that works with git may be about too: "the current branch is cut"."""
_ASKS = lazily(
    r"(?i)^\W*(?:please\s+)?(?:(?:what|which|whats|what's|show|list|review|summari[sz]e|describe|explain|check"
    r"|look|tell|give|verify|commit|run|are|is|any|anything)\b(?! (?:how|why|where|when|to)\b)"
    r"|(?=(?:\S+\s*){1,3}$))"
)
_ALL = lazily(r"(?i)\b(?:the|all|any|every)(?: of the)? $")
_FAULTS = lazily(
    r"(?i)\b(?:wrong|crash\w*|broken|errors?|bugs?|incorrect\w*|missing|doesn't|can't|cannot|fail\w*|hang\w*)\b"
)
_AFTER = 3
"""Words that may follow where a task is about nothing else."""


def concerns_repository(text: str, found: re.Match[str]) -> bool:
    """Tell whether words that are found in a task ask for the state of the repository.

    "my changes" always do; "staged changes" where they are all that is asked for: "explain the staged
    changes", "add tests for the uncommitted changes", but not "stashing staged changes fails".
    """
    if not _OF_GIT.fullmatch(found[0]):
        return True
    after = text[found.end() :].partition("\n")[0]
    if len(after.split()) > _AFTER or _FAULTS.search(text):
        return False
    ends = not after.strip(" .?!,") and _ALL.search(text[: found.start()])
    return bool(ends or _ASKS.match(text))
