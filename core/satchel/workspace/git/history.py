"""Score files by past commits: when a file last changed, and which files similar commits touched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from satchel.escaping import without_marks
from satchel.redaction.scanning import Scanners
from satchel.workspace.git.repository import Commit, Git
from satchel.workspace.git.similar_commits import Messages
from satchel.workspace.index.store import IndexStore
from satchel.workspace.index.terms import normalize

COMMITS = 600
"""Newest commits that are used for recency and for files that change together."""
PAST = 4_000
"""Commits whose messages are compared with a task: a similar change may be years old."""
_MESSAGE = 2_000
"""Characters of a message that are kept."""
_BORDER = "\n\0\n"
"""Separates messages that are redacted together; a git message never contains it."""
_HALF_LIFE_DAYS = 60.0
_DAY = 86_400.0


class Past(NamedTuple):
    """The newest commits, and the messages of many more."""

    commits: tuple[Commit, ...]
    messages: Messages | None


NO_PAST = Past((), None)


def read_history(git: Git | None, store: IndexStore, scanners: Scanners) -> Past:
    """Return the newest commits of HEAD, from the store if HEAD has not moved."""
    head = git.head() if git is not None else ""
    if git is None or not head:
        return NO_PAST
    stored = store.recall({"history": head})
    if stored:
        known = tuple(
            Commit(sha, time, subject, body, tuple(paths))
            for sha, time, subject, body, paths in stored["history"]
        )
        return Past(known, Messages(store, head))
    newest = git.log(COMMITS, head=head)
    older = git.log(PAST - COMMITS, head=head, skip=COMMITS, paths=False) if len(newest) == COMMITS else []
    read = _clean([*newest, *older], scanners)
    commits, messages = tuple(read[: len(newest)]), Messages.write(store, head, read)
    store.keep({"history": head}, {"history": commits})
    return Past(commits, messages)


def _clean(commits: Sequence[Commit], scanners: Scanners) -> list[Commit]:
    """Return the commits with redacted and shortened messages."""
    texts = [without_marks(text) for one in commits for text in (one.subject, _opening(one.body))]
    # ASCII texts are redacted apart from the few others, which would halve the speed.
    clean = {
        plain: iter(_redact_all([text for text in texts if text.isascii() is plain], scanners))
        for plain in (True, False)
    }
    each = (next(clean[text.isascii()]) for text in texts)
    return [one._replace(subject=next(each), body=next(each)) for one in commits]


def _opening(body: str) -> str:
    """Return the beginning of a message, cut between words, because half a key is not recognized."""
    return body if len(body) <= _MESSAGE else body[: _MESSAGE + 1].rpartition(" ")[0]


def _redact_all(texts: Sequence[str], scanners: Scanners) -> list[str]:
    """Return texts without their secrets, scanned together."""
    clean = scanners.redact(_BORDER.join(texts)).text.split(_BORDER)
    if len(clean) == len(texts):
        return clean
    return [scanners.redact(text).text for text in texts]  # a secret seemed to span a border


def recency(commits: Sequence[Commit]) -> dict[str, float]:
    """Score files by the age of their newest commit, counted from the newest commit of all: 1 to 0."""
    if not commits:
        return {}
    newest = max(commit.time for commit in commits)
    scores: dict[str, float] = {}
    for commit in commits:
        age_days = (newest - commit.time) / _DAY
        for path in commit.paths:
            scores.setdefault(path, 0.5 ** (age_days / _HALF_LIFE_DAYS))
    return scores


def votes(similar: Sequence[tuple[float, Commit]]) -> dict[str, float]:
    """Score files by the similar commits that touched them; a commit that touches many counts less."""
    scores: dict[str, float] = {}
    for likeness, commit in similar:
        for path in commit.paths:
            scores[path] = scores.get(path, 0.0) + likeness**2 / math.sqrt(len(commit.paths))
    return normalize(scores)
