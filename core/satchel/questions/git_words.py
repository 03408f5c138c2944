"""Tell what words of git in a task are about: commits by name, why lines are as they are, local changes."""

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
_LONGEST = 300
"""Characters of a question about commits: a longer text that names one reports something else."""
_MOST = 3
_SHA = lazily(
    r"(?<![\w/.-])(?:(?<=commit )[0-9a-f]{7,40}"
    r"|(?=[a-f]{0,39}\d)(?=\d{0,39}[a-f])[0-9a-f]{7,40})(?![\w/.-])"
)
_CHANGE = lazily(
    r"(?i)(?<![\w/.-])(?:commit\s+(?P<head>HEAD(?:~\d{1,4}|\^)?)"
    r"|(?:pr|mr|pull(?:\s+request)?|merge\s+request|change|patch)\s*#?(?P<number>\d{1,7}))(?![\w/.-])|#(?P<bare>\d{1,7})\b"
)
_ASKS_FOR_COMMITS = lazily(
    r"(?i)^\W*(?:please\s+|can you\s+|could you\s+)?"
    r"(?:explain|describe|summari[sz]e|review|show|look at|check|walk me through|tell me|understand|git show"
    r"|commit\b|what|why|who|when|how|which|is|does|did|was"
    r"|erkläre?|beschreibe?|zeige?|was|warum|wer|explique|explica|explicar|resume|muestra"
    r"|montre|qué|por qué|pourquoi"
    r"|que|quoi|解释|说明|为什么|説明|なぜ)"
)
_WHY_LINES = lazily(
    r"(?i)\bwh(?:y|o|en)\b.{0,60}\b(?:chang|add|remov|introduc|wr[io]t|delet|modif|edit|touch|made|put|here\b|there\b"
    r"|like this|this way|exist|need)|\bwhich commit\b|\bblame\b|\bwhat (?:changed|introduced|added)\b"
    r"|\bwarum\b|\bpor qué\b|\bpourquoi\b|为什么|なぜ"
)

_CONFLICTS = lazily(
    r"(?i)\bconflicts?\b|\b(?:merg|rebas|cherry-?pick|revert)(?:e|es|ed|ing)?\b|\bkonflikte?\b|\bconflictos?\b"
    r"|\bconflits?\b|\bconflitos?\b|冲突|衝突|競合|コンフリクト"
)
_MOST_LETTERS = 2_000


_SINCE = lazily(
    r"(?i)\b(?:chang(?:e|es|ed)|commits?|diffs?|work|review|branch|break)\b.{0,40}?\bsince\s+"
    r"(?:(?:commit|branch|tag)\s+)?[`'\"]?(?!v?\d+\.\d)(?P<rev>[\w][\w./~^-]{0,99}[\w~^])"
)
"""A version is none: what changed since a release stands in the changelog."""


_SINCE_RELEASE = lazily(
    r"(?i)\b(?:since|after|from) (?:the |our )?(?:last|latest|previous|newest|most recent) "
    r"(?:release|tag|version)\b"
)


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


def asks_since_release(text: str) -> bool:
    """Tell whether a short task is about what changed since the newest release."""
    return len(text) <= _LONGEST and _SINCE_RELEASE.search(text) is not None


def find_since(text: str) -> str:
    """Return the name after *since* in a short task about changes, "" for none; it may be no commit."""
    found = _SINCE.search(text) if len(text) <= _LONGEST else None
    return found["rev"] if found is not None else ""


def asks_about_conflicts(text: str) -> bool:
    """Tell whether a task is about conflicts of a merge, a rebase or the like, if there are any."""
    return len(text) <= _MOST_LETTERS and _CONFLICTS.search(text) is not None


def find_named_commits(text: str) -> tuple[str, ...]:
    """Return the commits that a short question is about, at most three.

    They are ids, `HEAD~2`, or `#123` for a pull request.
    """
    if len(text) > _LONGEST:
        return ()
    since = find_since(text)
    shas = [found[0] for found in _SHA.finditer(text) if found[0] != since]
    if not _ASKS_FOR_COMMITS.match(text) and not (len(shas) == 1 and shas[0] == text.strip()):
        return ()
    found = dict.fromkeys(shas)
    for match in _CHANGE.finditer(text):
        number = match["number"] or match["bare"]
        found[f"#{int(number)}" if number else match["head"]] = None
    return tuple(found)[:_MOST]


def asks_why_lines(text: str) -> bool:
    """Tell whether a short question is why lines are as they are, or who changed them."""
    return len(text) <= _LONGEST and _WHY_LINES.search(text) is not None
