"""What past commits tell: when a file last changed, and which files similar messages touched."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from sqlite3 import Connection

from satchel.scanning import Scanners
from satchel.showing.marks import without_marks
from satchel.workspace.git import Commit, Git
from satchel.workspace.patches import Blamed
from satchel.workspace.store import Store
from satchel.workspace.terms import count_words, inverse_document_frequency, normalised, split_words

COMMITS = 600
"""Commits that are read, newest first."""
_MESSAGE = 2_000
"""Characters of a message that are kept."""
_SIMILAR = 20
"""Commits whose files are voted for."""
_HALF_LIFE_DAYS = 60.0
_DAY = 86_400.0


def read_history(git: Git | None, store: Store, scanners: Scanners) -> tuple[Commit, ...]:
    """Return the newest commits of HEAD, from the store where HEAD has not moved."""
    head = git.head() if git is not None else ""
    if git is None or not head:
        return ()
    stored = store.rows("SELECT value FROM facts WHERE name = ?", (f"history {head}",))
    if stored:
        return tuple(
            Commit(sha, time, subject, body, tuple(paths))
            for sha, time, subject, body, paths in json.loads(str(stored[0][0]))
        )
    commits = tuple(git.log(COMMITS))
    commits = tuple(_clean(commit, scanners) for commit in commits)
    text = json.dumps([(c.sha, c.time, c.subject, c.body, c.paths) for c in commits])

    def write(connection: Connection) -> None:
        connection.execute("DELETE FROM facts WHERE name LIKE 'history %'")
        connection.execute("INSERT INTO facts VALUES (?, ?)", (f"history {head}", text))

    store.remember(write)
    return commits


def _clean(commit: Commit, scanners: Scanners) -> Commit:
    """Return the commit without the secrets of its message, and not more of it than is looked at."""
    texts = (without_marks(text) for text in (commit.subject, commit.body[:_MESSAGE]))
    subject, body = (scanners.redact(text).text for text in texts)
    return commit._replace(subject=subject, body=body)


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


def similar_commits(commits: Sequence[Commit], query: Mapping[str, float]) -> list[tuple[float, Commit]]:
    """Return the commits whose messages are nearest to a query by BM25, best first, likeness 1 to 0."""
    counted = _message_terms(commits, query)
    average = sum(total for total, _ in counted) / max(len(counted), 1) or 1
    holding = {term: sum(term in counts for _, counts in counted) for term in query}
    scores = []
    for commit, (total, counts) in zip(commits, counted, strict=True):
        damping = 1.2 * (0.25 + 0.75 * total / average)
        score = sum(
            weight
            * inverse_document_frequency(len(counted), holding[term])
            * counts[term]
            / (counts[term] + damping)
            for term, weight in query.items()
            if term in counts
        )
        if score > 0 and commit.paths:
            scores.append((score, commit))
    scores.sort(key=lambda scored: -scored[0])
    best = scores[0][0] if scores else 1.0
    return [(score / best, commit) for score, commit in scores[:_SIMILAR]]


def _message_terms(commits: Sequence[Commit], query: Mapping[str, float]) -> list[tuple[int, dict[str, int]]]:
    """Return how many terms each message has, and how often each term of the query; words are split once."""
    counted = [count_words(f"{commit.subject}\n{commit.body}") for commit in commits]
    words = list(set().union(*counted))
    terms_of = dict(zip(words, split_words(words), strict=True))
    asked = {word: hits for word, terms in terms_of.items() if (hits := [t for t in terms if t in query])}
    messages = []
    for counts in counted:
        held: dict[str, int] = {}
        for word in counts.keys() & asked.keys():
            for term in asked[word]:
                held[term] = held.get(term, 0) + counts[word]
        messages.append((sum(count * len(terms_of[word]) for word, count in counts.items()), held))
    return messages


def votes(similar: Sequence[tuple[float, Commit]]) -> dict[str, float]:
    """Score files by the similar commits that touched them; commits that touch many say less."""
    scores: dict[str, float] = {}
    for likeness, commit in similar:
        for path in commit.paths:
            scores[path] = scores.get(path, 0.0) + likeness**2 / math.sqrt(len(commit.paths))
    return normalised(scores)


def remembered_blame(
    git: Git, store: Store, newest: str, path: str, lines: Sequence[tuple[int, int]], oldest: str
) -> list[Blamed]:
    """Return `git.blame`, from the store where the newest commit is still the same."""
    name = f"blame {newest} {oldest} {list(lines)} {path}"
    name = f"blame {newest} {hashlib.blake2b(name.encode('utf-8', 'replace'), digest_size=16).hexdigest()}"
    stored = store.rows("SELECT value FROM facts WHERE name = ?", (name,))
    if stored:
        return [Blamed(*row) for row in json.loads(str(stored[0][0]))]
    from satchel.redaction import redact

    found = git.blame(path, lines, oldest=oldest)
    blamed = [line._replace(subject=redact(line.subject).text) for line in found]
    text = json.dumps(blamed)

    def write(connection: Connection) -> None:
        other = "DELETE FROM facts WHERE name LIKE 'blame %' AND name NOT LIKE ?"
        connection.execute(other, (f"blame {newest} %",))
        connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, text))

    store.remember(write)
    return blamed
