"""Find what a question about the past is about: commits by their names, or why lines are as they are."""

from __future__ import annotations

from satchel.patterns import lazily

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
_ASKS = lazily(
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
    if not _ASKS.match(text) and not (len(shas) == 1 and shas[0] == text.strip()):
        return ()
    found = dict.fromkeys(shas)
    for match in _CHANGE.finditer(text):
        number = match["number"] or match["bare"]
        found[f"#{int(number)}" if number else match["head"]] = None
    return tuple(found)[:_MOST]


def asks_why_lines(text: str) -> bool:
    """Tell whether a short question is why lines are as they are, or who changed them."""
    return len(text) <= _LONGEST and _WHY_LINES.search(text) is not None
