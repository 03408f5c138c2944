"""Score files by past commits: when a file last changed, and which files similar commits touched."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from sqlite3 import Connection
from typing import NamedTuple

from satchel.errors import WorkspaceError
from satchel.escaping import without_marks
from satchel.redaction.scanning import Scanners
from satchel.workspace.git.patches import Blamed
from satchel.workspace.git.repository import Commit, Git
from satchel.workspace.git.similar_commits import Messages, ReadMessages, StoredMessages, keep
from satchel.workspace.index.store import IndexStore
from satchel.workspace.index.terms import normalize

Wanted = tuple[str, str]
"""A commit's id and a path."""

_SHORTEST = 8
"""Characters of a stripped line below which it is too common to be attributed."""
_ASKED = 900
_MOST_ROWS = 5_000
"""Answers that are stored; when there are more, all are dropped."""


def find_standing_lines(
    git: Git,
    store: IndexStore,
    commits: Sequence[Commit],
    contents: Mapping[str, str],
    read: Callable[[str], str],
) -> dict[Wanted, tuple[int, ...]]:
    """Return for each commit and each of its paths in `contents` the numbers of lines that it added.

    Answers are stored while a file's content stays the same, so that neither git is asked nor a file read.

    Args:
        git: the repository.
        store: the index.
        commits: the commits whose lines are looked up.
        contents: path -> hash of its content; other paths are skipped.
        read: returns the text of a path.
    """
    wanted = [(one.sha, path) for one in commits for path in one.paths if path in contents]
    known = _load_lines(store, wanted, contents)
    missing = [key for key in wanted if key not in known]
    if missing:
        found = _find_lines(git, missing, read)
        _remember(store, found, contents)
        known |= found
    return known


def _name_of_lines(key: Wanted) -> str:
    return f"hunk {key[0]} {key[1]}"


def _load_lines(
    store: IndexStore, wanted: Iterable[Wanted], contents: Mapping[str, str]
) -> dict[Wanted, tuple[int, ...]]:
    named = {_name_of_lines(key): key for key in wanted}
    known = {}
    for some in _split_into_batches(list(named)):
        query = f"SELECT name, value FROM facts WHERE name IN ({','.join('?' * len(some))})"  # noqa: S608
        for name, value in store.rows(query, tuple(some)):
            key = named[str(name)]
            content, numbers = store.decode(value)
            if content == contents[key[1]]:
                known[key] = tuple(numbers)
    return known


def _split_into_batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    return (names[start : start + _ASKED] for start in range(0, len(names), _ASKED))


def _find_lines(
    git: Git, missing: Sequence[Wanted], read: Callable[[str], str]
) -> dict[Wanted, tuple[int, ...]]:
    added = git.added(list(dict.fromkeys(sha for sha, _ in missing)))
    lines: dict[str, list[str]] = {}
    found = {}
    for sha, path in missing:
        if path not in lines:
            lines[path] = _read_stripped(path, read)
        texts = added.get(sha, {}).get(path, frozenset())
        found[sha, path] = tuple(
            number
            for number, line in enumerate(lines[path], start=1)
            if len(line) >= _SHORTEST and line in texts
        )
    return found


def _read_stripped(path: str, read: Callable[[str], str]) -> list[str]:
    try:
        return [line.strip() for line in read(path).split("\n")]
    except (OSError, WorkspaceError):  # gone or changed since it was listed: packing reports that
        return []


def _remember(store: IndexStore, found: Mapping[Wanted, Sequence[int]], contents: Mapping[str, str]) -> None:
    rows = [
        (_name_of_lines(key), json.dumps([contents[key[1]], list(numbers)])) for key, numbers in found.items()
    ]

    def write(connection: Connection) -> None:
        (held,) = connection.execute("SELECT count(*) FROM facts WHERE name LIKE 'hunk %'").fetchone()
        if held > _MOST_ROWS:
            connection.execute("DELETE FROM facts WHERE name LIKE 'hunk %'")
        connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", rows)

    store.remember(write)


COMMITS = 600
"""Newest commits that are used for recency and for files that change together."""
PAST = 4_000
"""Commits whose messages are compared with a task: a similar change may be years old."""
_KEPT = "history 2"
"""Prefix of the name of stored commits; it changes with their format."""
_MESSAGE = 2_000
"""Characters of a message that are kept."""
_BORDER = "\n\0\n"
"""Separates messages that are redacted together; a git message never contains it."""
_HALF_LIFE_DAYS = 60.0
_DAY = 86_400.0


class Past(NamedTuple):
    """The newest commits, and the messages of many more."""

    commits: tuple[Commit, ...]
    messages: Messages


NO_PAST = Past((), ReadMessages.of(()))


def read_history(git: Git | None, store: IndexStore, scanners: Scanners) -> Past:
    """Return the newest commits of HEAD, from the store if HEAD has not moved."""
    head = git.head() if git is not None else ""
    if git is None or not head:
        return NO_PAST
    stored = store.rows("SELECT value FROM facts WHERE name = ?", (f"{_KEPT} {head}",))
    if stored:
        rows = store.decode(stored[0][0])
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


def load_or_ask_paths(git: Git, store: IndexStore, shas: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return `git.paths_of`, from the store if git was asked before."""
    names = [f"paths {sha}" for sha in shas]
    query = f"SELECT name, value FROM facts WHERE name IN ({', '.join('?' * len(names))})"  # noqa: S608
    rows = store.rows(query, tuple(names))
    known: dict[str, Sequence[str]] = {str(name)[6:]: store.decode(value) for name, value in rows}
    unknown = [sha for sha in shas if sha not in known]
    if unknown:
        found = git.paths_of(unknown)
        new = [(f"paths {sha}", json.dumps(found.get(sha, ()))) for sha in unknown]
        insert = "INSERT OR REPLACE INTO facts VALUES (?, ?)"
        store.remember(lambda connection: connection.executemany(insert, new))
        known.update(found)
    return known


def load_or_ask_blame(
    git: Git,
    store: IndexStore,
    newest: str,
    path: str,
    lines: Sequence[tuple[int, int]],
    *,
    oldest: str,
    scanners: Scanners,
) -> list[Blamed]:
    """Return `git.blame`, from the store if the newest commit is the same."""
    name = f"blame {newest} {oldest} {list(lines)} {path}"
    name = f"blame {newest} {hashlib.blake2b(name.encode('utf-8', 'replace'), digest_size=16).hexdigest()}"
    stored = store.rows("SELECT value FROM facts WHERE name = ?", (name,))
    if stored:
        return [Blamed(*row) for row in store.decode(stored[0][0])]
    found = git.blame(path, lines, oldest=oldest)
    blamed = [line._replace(subject=scanners.redact(without_marks(line.subject)).text) for line in found]
    text = json.dumps(blamed)

    def write(connection: Connection) -> None:
        other = "DELETE FROM facts WHERE name LIKE 'blame %' AND name NOT LIKE ?"
        connection.execute(other, (f"blame {newest} %",))
        connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, text))

    store.remember(write)
    return blamed
