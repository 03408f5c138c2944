"""What past commits tell: when a file last changed, and which files similar messages touched."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from itertools import chain
from sqlite3 import Connection
from typing import NamedTuple

from satchel.scanning import Scanners
from satchel.showing.marks import without_marks
from satchel.workspace.git import Commit, Git
from satchel.workspace.likeness import Messages, ReadMessages, StoredMessages, keep
from satchel.workspace.patches import Blamed
from satchel.workspace.store import Store
from satchel.workspace.terms import normalised, runs_of

COMMITS = 600
"""Commits that count for what changed when, and what changed together; the newest."""
PAST = 4_000
"""Commits whose messages are compared with a task: what a change resembles may lie years back."""
_KEPT = "history 2"
"""Begins the name of what is kept; it changes with its form."""
_MESSAGE = 2_000
"""Characters of a message that are kept."""
_BORDER = "\n\0\n"
"""Between messages where they are looked through all at once; git has no such character in one."""
_HALF_LIFE_DAYS = 60.0
_DAY = 86_400.0


class Past(NamedTuple):
    """What git tells of the past: the newest commits, and the messages of many more."""

    commits: tuple[Commit, ...]
    messages: Messages


NO_PAST = Past((), ReadMessages.of(()))


def read_history(git: Git | None, store: Store, scanners: Scanners) -> Past:
    """Return the newest commits of HEAD, from the store where HEAD has not moved."""
    head = git.head() if git is not None else ""
    if git is None or not head:
        return NO_PAST
    stored = store.rows("SELECT value FROM facts WHERE name = ?", (f"{_KEPT} {head}",))
    if stored:
        rows = store.decoded(stored[0][0])
        known = tuple(
            Commit(sha, time, subject, body, tuple(paths)) for sha, time, subject, body, paths in rows
        )
        return Past(known, StoredMessages(store))
    newest = git.log(COMMITS, head=head)
    older = git.log(PAST - COMMITS, head=head, skip=COMMITS, paths=False) if len(newest) == COMMITS else []
    read = _clean([*newest, *older], scanners)
    commits, messages = tuple(read[: len(newest)]), ReadMessages.of(read)
    text = json.dumps(commits)

    def write(connection: Connection) -> None:
        connection.execute("DELETE FROM facts WHERE name LIKE 'history %'")
        connection.execute("INSERT INTO facts VALUES (?, ?)", (f"{_KEPT} {head}", text))
        keep(connection, messages)

    store.remember(write)
    return Past(commits, messages)


def _clean(commits: Sequence[Commit], scanners: Scanners) -> list[Commit]:
    """Return the commits without the secrets of their messages, and not more of them than is looked at."""
    texts = [without_marks(text) for one in commits for text in (one.subject, _opening(one.body))]
    # Those in ASCII apart from the few others, beside which they would be looked through half as fast.
    clean = {
        plain: iter(_redacted([text for text in texts if text.isascii() is plain], scanners))
        for plain in (True, False)
    }
    each = (next(clean[text.isascii()]) for text in texts)
    return [one._replace(subject=next(each), body=next(each)) for one in commits]


def _opening(body: str) -> str:
    """Return what is looked at of a message, cut between words: half of a key is none."""
    return body if len(body) <= _MESSAGE else body[: _MESSAGE + 1].rpartition(" ")[0]


def _redacted(texts: Sequence[str], scanners: Scanners) -> list[str]:
    """Return texts without their secrets, looked through all at once."""
    from satchel.redaction.searching import sieve  # the rules: a run that reads nothing new does without

    joined = _BORDER.join(texts)
    looks = sieve().looks(joined, set(chain.from_iterable(map(runs_of, texts))))
    clean = scanners.redact(joined, looks=looks).text.split(_BORDER)
    if len(clean) == len(texts):
        return clean
    return [scanners.redact(text).text for text in texts]  # a secret seemed to reach over a border


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
    """Score files by the similar commits that touched them; commits that touch many say less."""
    scores: dict[str, float] = {}
    for likeness, commit in similar:
        for path in commit.paths:
            scores[path] = scores.get(path, 0.0) + likeness**2 / math.sqrt(len(commit.paths))
    return normalised(scores)


def remembered_paths(git: Git, store: Store, shas: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return `git.paths_of`, from the store where it was asked before."""
    names = [f"paths {sha}" for sha in shas]
    query = f"SELECT name, value FROM facts WHERE name IN ({', '.join('?' * len(names))})"  # noqa: S608
    rows = store.rows(query, tuple(names))
    known: dict[str, Sequence[str]] = {str(name)[6:]: store.decoded(value) for name, value in rows}
    unknown = [sha for sha in shas if sha not in known]
    if unknown:
        found = git.paths_of(unknown)
        new = [(f"paths {sha}", json.dumps(found.get(sha, ()))) for sha in unknown]
        insert = "INSERT OR REPLACE INTO facts VALUES (?, ?)"
        store.remember(lambda connection: connection.executemany(insert, new))
        known.update(found)
    return known


def remembered_blame(
    git: Git,
    store: Store,
    newest: str,
    path: str,
    lines: Sequence[tuple[int, int]],
    *,
    oldest: str,
    scanners: Scanners,
) -> list[Blamed]:
    """Return `git.blame`, from the store where the newest commit is still the same."""
    name = f"blame {newest} {oldest} {list(lines)} {path}"
    name = f"blame {newest} {hashlib.blake2b(name.encode('utf-8', 'replace'), digest_size=16).hexdigest()}"
    stored = store.rows("SELECT value FROM facts WHERE name = ?", (name,))
    if stored:
        return [Blamed(*row) for row in store.decoded(stored[0][0])]
    found = git.blame(path, lines, oldest=oldest)
    blamed = [line._replace(subject=scanners.redact(without_marks(line.subject)).text) for line in found]
    text = json.dumps(blamed)

    def write(connection: Connection) -> None:
        other = "DELETE FROM facts WHERE name LIKE 'blame %' AND name NOT LIKE ?"
        connection.execute(other, (f"blame {newest} %",))
        connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, text))

    store.remember(write)
    return blamed
