"""The relevance of files and texts to a task, for providers that read git."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from satchel.plugin_api import asks_about_changes, count_terms, lazily

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace

_ABOUT_CHANGES = lazily(
    r"\bgit (?:diff|status|log|commit|stash|state)\b|\b(?:the|my|this|our|current) diffs?\b|\bcode review\b"
    r"|\breview (?:my|this|these|our|it|uncommitted|local|the (?:change|diff|branch|pr\b|pull|commit|patch))"
    r"|\b(?:un)?staged\b|\buncommitted\b|\brebas(?:e|ing)\b|\b(?:this|my|the|a) pull request\b"
    r"|\bcommit (?:message|this|these|my|it|what|the)\b"
    r"|\b(?:merge|my|these|current|recent|local|pending) (?:conflicts?|changes|edits|work)\b"
    r"|\bworking (?:tree|copy)\b|\bwhat (?:has |have |did )?(?:i |we )?chang|\bwhich branch\b",
    re.IGNORECASE,
)
_ASKED = lazily(
    r"\b(?:my|our|this|these|i|we)\b|^\W*(?:please\s+)?(?:what|which|show|review|list|git|commit|rebase|resolve)\b",
    re.IGNORECASE,
)
"""Words of a task about one's own repository; a program that works with git may have them, too."""
_READ = 20_000
"""Characters of a task, and of a text, that are read."""
_LONG = 60_000


class Evidence(NamedTuple):
    """The task's words with their weights, and how relevant each file is to it."""

    terms: Mapping[str, float]
    """Folded term -> its weight in the task times its rarity in the workspace."""
    files: Mapping[str, float]
    """Path -> 0..1; 1 for the best file, and for files that the task names."""
    named: frozenset[str]
    about_changes: bool
    """Whether the task asks about changes, commits or git itself."""

    def share(self, text: str) -> float:
        """Return the share of the weight of the task's words in a text, 0..1."""
        held = count_terms(text[:_LONG])
        total = sum(self.terms.values())
        return sum(weight for term, weight in self.terms.items() if term in held) / total if total else 0.0


def find_evidence(task: Task, workspace: Workspace) -> Evidence:
    """Weigh a task against a workspace; all of it is remembered there for the run."""
    given = (task, workspace.ranking.files(task), workspace.history.votes(task))
    return workspace.memo.again("evidence", given, lambda: _weigh_task(task, workspace))


def _weigh_task(task: Task, workspace: Workspace) -> Evidence:
    ranking = workspace.ranking.files(task)
    rarest = max(ranking.rarity.values(), default=1.0)
    terms = {
        term: weight * ranking.rarity.get(term, rarest)
        for term, weight in workspace.ranking.query(task).items()
    }
    named = frozenset(ref.path for ref in (*task.references, *task.pins, *task.open_files) if ref.path)
    scores: dict[str, float] = {}
    votes = workspace.history.votes(task)
    for factor, field in ((1.0, ranking.body), (0.3, ranking.path), (0.3, ranking.name), (0.3, votes)):
        for path, value in field.items():
            scores[path] = scores.get(path, 0.0) + factor * value
    best = max(scores.values(), default=0.0) or 1.0
    files = {path: score / best for path, score in scores.items()} | dict.fromkeys(named, 1.0)
    return Evidence(terms, files, named, is_about_changes(task))


def is_about_changes(task: Task) -> bool:
    """Whether a task asks about changes, commits or git itself."""
    text = task.text[:_READ]
    return bool(_ABOUT_CHANGES.search(text) and _ASKED.search(text)) or asks_about_changes(task.text)


def places(text: str, term: str, ends: Sequence[int]) -> Iterable[int]:
    """Yield the number of each stretch of a lower-case text that may hold a folded term.

    `ends` are the ends of the stretches. Finding letters in one long text is ten times faster than
    counting the words of every stretch.
    """
    letters = term[:-1] if term.endswith("y") else term
    start = text.find(letters) if letters else -1
    while start >= 0:
        at = bisect_right(ends, start)
        yield at
        start = text.find(letters, ends[at])
