"""Find the subject in git of a task: local changes, a message, commits by name, the reasons for lines."""

from __future__ import annotations

import re
from types import MappingProxyType

from satchel.patterns import lazily
from satchel.questions.orders import MOST_READ
from satchel.questions.releases import RELEASES, is_about_upgrade

_OF_GIT = lazily(
    r"(?i)(?:uncommitted|(?:un)?staged) \w+|git (?:diff|status|stash)"
    r"|(?:local|pending|current) (?:changes|diffs?|edits|work|branch)"
)
"""Words that a program working with git may be about, too: "the current branch is cut"."""
_ASKS = lazily(
    r"(?i)^\W*(?:please\s+)?(?:(?:what|which|whats|what's|show|list|review|summari[sz]e|describe|explain|check"
    r"|look|tell|give|verify|commit|run|are|is|any|anything)\b(?! (?:how|why|where|when|to)\b)"
    r"|(?=(?:\S+\s*){1,3}$))"
)
_ALL = lazily(r"(?i)\b(?:the|all|any|every)(?: of the)? $")
_OF_CODE = lazily(
    r"(?i)^\W*(?:where\b|how (?:does|is|are)\b|which (?:functions?|methods?|class|code|modules?)\b)"
)
"""A question about code that handles them: "where does it find the current branch"."""
_FAULTS = lazily(
    r"(?i)\b(?:wrong|crash\w*|broken|errors?|bugs?|incorrect\w*|missing|doesn't|can't|cannot|fail\w*|hang\w*)\b"
)
_AFTER = 3
"""Most words that may follow if a task is about nothing else."""
_LONGEST = 300
"""Most characters of a question about commits: a longer text that names one reports something else."""
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
"""A task about changes since a commit, and not since a version: these are in the changelog."""


_SINCE_RELEASE = lazily(
    r"(?i)\b(?:since|after|from) (?:the |our )?(?:last|latest|previous|newest|most recent) "
    r"(?:release|tag|version)\b"
)
_ABOUT_CHANGES = lazily(
    r"(?i)\b(uncommitted|(un)?staged) (changes?|edits?|work|files?|diffs?|code|hunks?)\b"
    r"|\b(what|anything|everything|all)( is|'s| that is| that's)? (uncommitted|(un)?staged)\b"
    r"|\bgit (diff|status|stash)\b|\bwhat (have |did )?(i|we) changed?\b|\bwhat (has )?changed\W*$"
    r"|\b(my|these|our|local|pending|current) (changes|diffs?|edits|work|branch)\b"
    r"|\breview (it|my|this|these|our|the (change|diff|branch|pr\b|pull|commit|patch))"
    r"|^\W*(does|do|is|are|did|will|would|can|could|check|verify|test|any(thing)?|something|what|look at)\b"
    r"[^.\n]{0,60}\b((my|our) (change|edit|diff|patch|work)\b(?! (of|to|from|in the)\b)"
    r"|this (change|edit|diff|patch)(?= (looks?|breaks?|makes?|ok|okay|safe|good|fine|correct|complete|still"
    r"|causes?|affects?|needs?)\b|\W*$))"
    r"|\b(write|generate|suggest|create|draft|compose|propose|make|give)( me)?( an?| the| my)?( \w+)? "
    r"((commit|merge) (message|msg)|(pr|mr|(pull|merge) request) (description|title|message|body|summary))\b"
    r"|\b(meine|diese|unsere) Änderungen\b|\b(mis|estos|nuestros) cambios\b"
    r"|\b(mes|ces|nos) (changements|modifications)\b|\b(minhas|estas|nossas) (mudanças|alterações)\b"
    r"|^\W*what (could|can|might|will|would|may|else could) (i |we |this |these )?(changes? )?(have )?"
    r"(break|broken|go wrong)"
    r"( now| here| (with|from|by|because of) (my|this|these|our|the) (changes?|edits?|diff))?\W*$"
    r"|\bwhat (could|can|might|will|would|may) (my|our|these|this) (changes?|edits?|diff|branch|pr) break\b"
    r"|\b(did|have) (i|we) (forget|forgotten|miss|missed|break|broken)\b"
    r"|\b(anything|something) (that )?(i|we) (forgot|missed|broke)\b"
    r"|^\W*((commit|merge) (message|msg)|(pr|mr|(pull|merge) request) (description|title|summary))"
    r"( please| for (this|my|these)( changes?| work)?)?\W*$"
    r"|\b(safe|ready) to (merge|push|commit|ship)\b"
    r"|\bwhat (have )?(i|we) (did|done|started|wrote)\b|\b(tests?|build|callers|docs) (i|we) (just )?broke\b"
    r"|\b(for|of|with) my (change|edit|diff|patch)\b"
    r"|^\W*(prepare|write|draft) (the|a|my) (pr|pull request|merge request)\b"
    r"|^\W*(will|does|did|is) my (edit|code|fix|change|commit)\b"
    r"|(我的|我们的|这些|本地|未提交的?|当前的?)(更改|改动|修改|变更)|(写|生成)(一个|一条|个|条)?提交(信息|说明|消息)"
    r"|(この|私の|未コミットの)(変更|差分)|コミットメッセージを(書|作|生成)"
)
_MESSAGE = lazily(
    r"(?i)\b(commit|merge) (message|msg)\b"
    r"|\b(pr|mr|(pull|merge) request) (description|title|message|body|summary)\b"
    r"|\bcommit-?(nachricht|beschreibung)|\b(mensaje|message|mensagem) del? commit\b"
    r"|提交(信息|说明|消息)|コミットメッセージ"
)
_ENTRY = lazily(r"(?i)\b(change-?log|release notes?|news (entry|fragment)|changeset)\b")
_HOW = lazily(r"(?i)^\W*(how|what|which|where|wie|cómo|comment|como)\b|(怎么|如何)|どう")
"""A question about how messages are written, which asks for a convention, not for a message."""
_LAST_COMMITS = lazily(
    r"(?i)^\W*(please\s+)?(review|explain|describe|summari[sz]e|check|look at|show( me)?"
    r"|what (changed|is new|happened) in|what (do|did|does))\s+((the|my|our)\s+)?"
    r"((last|latest|newest|most recent|previous)\s+((?P<number>\d{1,2}|two|three|four|five|few)\s+)?commits?"
    r"|HEAD)\b(?!\s+(message|msg|of|to|for|that|in)\b)"
)
"""A task about the newest commits themselves: "review the last two commits"."""
_LONGEST_REVIEW = 120
"""Most characters of a task that asks for them."""
_NUMBERS = MappingProxyType({"two": 2, "three": 3, "few": 3, "four": 4, "five": 5})


def concerns_repository(text: str, found: re.Match[str]) -> bool:
    """Return whether words found in a task ask for the state of the repository.

    "my changes" always do; "staged changes" only as the whole subject: "explain the staged changes", "add
    tests for the uncommitted changes", but not "stashing staged changes fails".
    """
    if not _OF_GIT.fullmatch(found[0]):
        return True
    after = text[found.end() :].partition("\n")[0]
    if len(after.split()) > _AFTER or _FAULTS.search(text) or _OF_CODE.match(text):
        return False
    ends = not after.strip(" .?!,") and _ALL.search(text[: found.start()])
    return bool(ends or _ASKS.match(text))


def asks_since_release(text: str) -> bool:
    """Return whether a short task is about the changes since the newest release."""
    return len(text) <= _LONGEST and _SINCE_RELEASE.search(text) is not None


def find_since(text: str) -> str:
    """Return the name after *since* in a short task about changes, "" for none; it may be no commit."""
    found = _SINCE.search(text) if len(text) <= _LONGEST else None
    return found["rev"] if found is not None else ""


def asks_about_conflicts(text: str) -> bool:
    """Return whether a task is about conflicts of a merge, a rebase or the like, if there are any."""
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
    """Return whether a short question asks why lines are as they are, or who changed them."""
    return len(text) <= _LONGEST and _WHY_LINES.search(text) is not None


def asks_about_changes(text: str) -> bool:
    """Return whether a task is about somebody's changes: a review, the message of a commit to come."""
    start = text[:MOST_READ]
    is_asked = any(concerns_repository(start, found) for found in _ABOUT_CHANGES.finditer(start))
    is_asked = is_asked and not RELEASES.search(start) and not is_about_upgrade(start)
    return is_asked and not (_MESSAGE.search(start) and _HOW.search(start))


def count_commits_to_review(text: str) -> int:
    """Return how many of the newest commits a task wants to see, 0 if it is not about commits."""
    found = _LAST_COMMITS.search(text[:MOST_READ]) if len(text) <= _LONGEST_REVIEW else None
    if found is None:
        return 0
    number = (found["number"] or "").lower()
    return int(number) if number.isdigit() else _NUMBERS.get(number, 1)


def asks_for_entry(text: str) -> bool:
    """Return whether a task wants a changelog entry for the changes."""
    return asks_about_changes(text) and _ENTRY.search(text[:MOST_READ]) is not None


def asks_for_message(text: str) -> bool:
    """Return whether a task wants the message of a commit to come, for which the changes are enough."""
    return asks_about_changes(text) and _MESSAGE.search(text[:MOST_READ]) is not None
