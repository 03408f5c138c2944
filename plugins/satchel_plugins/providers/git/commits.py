"""Past commits that a task is about: by their messages, their files, or their names."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from satchel.plugin_api import ContextItem, count_terms, lazily, safe_text
from satchel_plugins.providers.git.evidence import places

if TYPE_CHECKING:
    from satchel.plugin_api import Commit, Task, Workspace
    from satchel_plugins.providers.git.evidence import Evidence

_SHA = lazily(r"(?<![\w/.-])(?=[a-f]{0,39}\d)[0-9a-f]{7,40}(?![\w/.-])")
_TRAILER = lazily(r"(?i)(signed-off-by|co-authored-by|reviewed-by|acked-by|change-id|tested-by|cc): ")
_FENCE = lazily(r"\s*(`{3,}|~{3,})")
_LETTER = lazily(r"\w")
_PULL = lazily(r" \(#\d{1,7}\)\Z")
"""Commits of one subject are one change that was picked or merged again."""
_MESSAGE = 0.7
_FILES = 0.3
"""Shares of a commit's score: its message and the files that it touched."""
_NEAR = 0.4
"""A message with a smaller share of the best one's likeness is not near."""
_BRIEF = 0.12
"""Least share of the weight of the task's words in a message that is like it, in several words,"""
_ALONE = 0.35
"""and in a single one."""
_CANDIDATES = 40
_HEAVIEST = 40
"""Most terms of the task that messages are searched for."""
_MESSAGE_LETTERS = 800
"""Letters of a message that are searched."""
_TOUCHED = 3
"""Most commits with a different message that touched one of the most relevant files."""
_BODY_LINES = 8
_BODY_LETTERS = 500
_LISTED = 10
_ASKS = lazily(
    r"(?i)^\W*(?:what|whats|what's|which|how|is|are|do|does|should|any|tell|show|describe|commit)\b"
)
_OF_MESSAGES = lazily(
    r"(?i)\bcommit (?:m\w{2,5}ages?|msgs?|titles?|subjects?|styles?|formats?|conventions?|rules?)\b"
    r"|\b(?:write|format|style|name|title) commits\b|\bcommits (?:look|written here)\b"
)
_OF_STYLE = lazily(
    r"(?i)\b(?:styles?|format\w*|conventions?|rules?|look like|looks?|write|written|phrased?|worded|named)\b"
)
_LONGEST_QUESTION = 200
"""Most characters of a question about how commit messages are written."""
_SUBJECTS = 10
"""Messages that show how others are written."""
_LAST_SECOND = 253_402_300_799
"""The end of the year 9999."""


class Found(NamedTuple):
    """A commit and how much it concerns the task, 0..1."""

    commit: Commit
    score: float


def find_commits(task: Task, workspace: Workspace, evidence: Evidence, *, limit: int) -> list[Found]:
    """Return the commits nearest to a task, best first, at most `limit`, without distant ones."""
    history = workspace.history.commits()
    called = _find_commits_by_name(task, history)
    likeness = _likeness(history, evidence)
    touched = _rate_commits_of_files(history, evidence)
    scores = {at: _MESSAGE * near + _FILES * _touch(history[at], evidence) for at, near in likeness.items()}
    scores = {at: _FILES * touched[at] for at in touched} | scores | dict.fromkeys(called, 1.0)
    once: dict[str, Found] = {}
    for at in sorted(scores, key=lambda at: (-scores[at], at)):
        key = history[at].sha if at in called else _PULL.sub("", history[at].subject)
        once.setdefault(key, Found(history[at], scores[at]))
    return list(once.values())[:limit]


def commit_item(found: Found, evidence: Evidence) -> ContextItem:
    """Return a commit as an item: date, message, and the files that it touched, the most relevant first."""
    commit = found.commit
    ordered = sorted(commit.paths, key=lambda path: -evidence.files.get(path, 0.0))
    mark = f"[cut here; satchel expand commit:{commit.sha[:10]}]\n"
    files = f"files: {join_names(ordered, _LISTED)}\n" if ordered else ""
    return ContextItem(
        id=f"commit:{commit.sha}",
        provider="git",
        kind="commit",
        title=f"commit {commit.sha[:10]}",
        text=f"{one_line(commit)}\n{_body(commit.body, mark)}{files}",
        relevance=min(1.0, 0.2 + 0.8 * found.score),
        modified=float(commit.time),
    )


def asks_for_convention(text: str) -> bool:
    """Return whether a question is about how commit messages are written: the newest ones show it."""
    asks = len(text) <= _LONGEST_QUESTION and _ASKS.match(text)
    return bool(asks and _OF_MESSAGES.search(text) and _OF_STYLE.search(text))


def subjects_item(history: Sequence[Commit]) -> list[ContextItem]:
    """Return the first lines of the newest messages, which show how messages are written here."""
    subjects = [commit.subject[:200] for commit in history if not commit.subject.startswith("Merge ")]
    text = "".join(f"{safe_text(subject)}\n" for subject in subjects[:_SUBJECTS])
    if not text:
        return []
    return [ContextItem("git:subjects", "git", "status", "newest commit messages", text=text, is_answer=True)]


def one_line(commit: Commit) -> str:
    """Return a commit in one line: date, short id, subject."""
    return f"{day(commit.time)} {commit.sha[:10]} {commit.subject[:200]}".rstrip()


def day(seconds: int) -> str:
    """Return the day of a time in UTC, as 2024-05-31."""
    return time.strftime("%Y-%m-%d", time.gmtime(min(max(seconds, 0), _LAST_SECOND)))


def join_names(names: Sequence[str], most: int) -> str:
    """Join names with commas; more than `most` are counted."""
    shown = [name if len(name) <= 100 else f"...{name[-97:]}" for name in names[:most]]
    safe = ", ".join(map(safe_text, shown))
    return safe + (f" and {len(names) - most} more" if len(names) > most else "")


def _body(body: str, mark: str) -> str:
    """Return the first lines of a message without blank ones and trailers; `mark` follows a cut text."""
    lines = [line.rstrip() for line in body[: 4 * _BODY_LETTERS].split("\n")]
    told = [line for line in lines if _says_something(line)]
    lengths = accumulate(len(line) for line in told)
    kept = [line for line, length in zip(told, lengths, strict=True) if length <= _BODY_LETTERS][:_BODY_LINES]
    is_cut = len(kept) < len(told) or len(body) > 4 * _BODY_LETTERS
    return "".join(f"{line}\n" for line in _close_fence(kept)) + (mark if is_cut else "")


def _says_something(line: str) -> bool:
    return bool(_FENCE.match(line) or (_LETTER.search(line) and not _TRAILER.match(line.strip())))


def _close_fence(lines: Sequence[str]) -> Sequence[str]:
    """Return lines with the end added to an open block of code, or without the block if it is empty."""
    opened = ""
    for line in lines:
        fence = _FENCE.match(line)
        if fence and not opened:
            opened = fence[1]
        elif fence and fence[1].startswith(opened) and line.strip() == fence[1]:
            opened = ""
    if not opened:
        return lines
    return lines[:-1] if _FENCE.match(lines[-1]) else [*lines, opened]


def _find_commits_by_name(task: Task, history: Sequence[Commit]) -> list[int]:
    """Return the commits whose id the task gives, or that mention an issue it names."""
    shas = tuple(dict.fromkeys(_SHA.findall(task.text[:20_000])))[:20]
    numbers = [re.escape(ref.name) for ref in task.references if ref.kind == "number"][:20]
    mention = re.compile(rf"#(?:{'|'.join(numbers)})(?!\d)") if numbers else None
    return [
        at
        for at, commit in enumerate(history)
        if (shas and commit.sha.startswith(shas))
        or (mention and (mention.search(commit.subject) or mention.search(commit.body)))
    ]


def _likeness(history: Sequence[Commit], evidence: Evidence) -> dict[int, float]:
    """Score commits by the task's words in their messages, the best 1; only near ones are returned."""
    total = sum(evidence.terms.values())
    candidates = _holding(history, evidence)
    raw: dict[int, float] = {}
    for at, rarity in candidates.items():
        counts = count_terms(f"{history[at].subject}\n{history[at].body[:_MESSAGE_LETTERS]}")
        held = [term for term in rarity if term in counts]
        weight = sum(evidence.terms[term] for term in held)
        if weight >= (_BRIEF if len(held) > 1 else _ALONE) * total and history[at].paths:
            damping = 0.6 + 0.02 * counts.total()
            raw[at] = sum(
                evidence.terms[term] * rarity[term] * counts[term] / (counts[term] + damping) for term in held
            )
    best = max(raw.values(), default=0.0) or 1.0
    return {at: score / best for at, score in raw.items() if score >= _NEAR * best}


def _holding(history: Sequence[Commit], evidence: Evidence) -> dict[int, dict[str, float]]:
    """Return the commits that may hold the task's heaviest terms, with the rarity of each term."""
    messages = [f"{commit.subject}\n{commit.body[:_MESSAGE_LETTERS]}\n".lower() for commit in history]
    ends = list(accumulate(map(len, messages)))
    text = "".join(messages)
    holding: dict[int, dict[str, float]] = {}
    heaviest = sorted(evidence.terms, key=lambda term: (-evidence.terms[term], term))[:_HEAVIEST]
    for term in heaviest:
        found = set(places(text, term, ends))
        rarity = math.log(1 + (len(history) - len(found) + 0.5) / (len(found) + 0.5))
        for at in found:
            holding.setdefault(at, {})[term] = rarity
    weights = {
        at: sum(evidence.terms[term] * value for term, value in terms.items())
        for at, terms in holding.items()
    }
    best = sorted(weights, key=lambda at: (-weights[at], at))[:_CANDIDATES]
    return {at: holding[at] for at in best}


def _touch(commit: Commit, evidence: Evidence) -> float:
    """Return the relevance of a commit's files; a commit of many files says less about each."""
    best = max((evidence.files.get(path, 0.0) for path in commit.paths), default=0.0)
    return best / (1 + math.log2(max(len(commit.paths), 1)) / 3)


def _rate_commits_of_files(history: Sequence[Commit], evidence: Evidence) -> dict[int, float]:
    """Return the scores of the newest commits of the most relevant files."""
    best = {path for path, score in evidence.files.items() if score >= 0.8}
    scores: dict[int, float] = {}
    for at, commit in enumerate(history):
        if best and len(scores) < _TOUCHED and not best.isdisjoint(commit.paths):
            scores[at] = _touch(commit, evidence)
    return scores
