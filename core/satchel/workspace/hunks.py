"""Which lines of today's files past commits brought: found by their text, so that they survive drift."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from sqlite3 import Connection

from satchel.errors import WorkspaceError
from satchel.workspace.git import Commit, Git
from satchel.workspace.store import Store

Wanted = tuple[str, str]
"""A commit's id and a path."""

_SHORTEST = 8
"""Characters of a line, without the blanks around it, below which it stands anywhere."""
_ASKED = 900
_MOST_ROWS = 5_000
"""Answers that are kept; more are forgotten all at once."""


def standing(
    git: Git,
    store: Store,
    commits: Sequence[Commit],
    contents: Mapping[str, str],
    read: Callable[[str], str],
) -> dict[Wanted, tuple[int, ...]]:
    """Return for each commit and each of its paths in `contents` the numbers of lines that it added.

    Answers are kept in the store for as long as a file's content stays the same; then neither git is
    asked nor a file read.

    Args:
        git: the repository.
        store: the index.
        commits: whose lines are looked for.
        contents: path -> hash of its content; other paths are not looked at.
        read: gives the text of a path.
    """
    wanted = [(one.sha, path) for one in commits for path in one.paths if path in contents]
    known = _remembered(store, wanted, contents)
    missing = [key for key in wanted if key not in known]
    if missing:
        found = _found(git, missing, read)
        _remember(store, found, contents)
        known |= found
    return known


def _name(key: Wanted) -> str:
    return f"hunk {key[0]} {key[1]}"


def _remembered(
    store: Store, wanted: Iterable[Wanted], contents: Mapping[str, str]
) -> dict[Wanted, tuple[int, ...]]:
    named = {_name(key): key for key in wanted}
    known = {}
    for some in _batched(list(named)):
        query = f"SELECT name, value FROM facts WHERE name IN ({','.join('?' * len(some))})"  # noqa: S608
        for name, value in store.rows(query, tuple(some)):
            key = named[str(name)]
            content, numbers = store.decoded(value)
            if content == contents[key[1]]:
                known[key] = tuple(numbers)
    return known


def _batched(names: Sequence[str]) -> Iterator[Sequence[str]]:
    return (names[start : start + _ASKED] for start in range(0, len(names), _ASKED))


def _found(git: Git, missing: Sequence[Wanted], read: Callable[[str], str]) -> dict[Wanted, tuple[int, ...]]:
    added = git.added(list(dict.fromkeys(sha for sha, _ in missing)))
    lines: dict[str, list[str]] = {}
    found = {}
    for sha, path in missing:
        if path not in lines:
            lines[path] = _stripped(path, read)
        texts = added.get(sha, {}).get(path, frozenset())
        found[sha, path] = tuple(
            number
            for number, line in enumerate(lines[path], start=1)
            if len(line) >= _SHORTEST and line in texts
        )
    return found


def _stripped(path: str, read: Callable[[str], str]) -> list[str]:
    try:
        return [line.strip() for line in read(path).split("\n")]
    except (OSError, WorkspaceError):  # gone or changed since it was listed: the road reports that
        return []


def _remember(store: Store, found: Mapping[Wanted, Sequence[int]], contents: Mapping[str, str]) -> None:
    rows = [(_name(key), json.dumps([contents[key[1]], list(numbers)])) for key, numbers in found.items()]

    def write(connection: Connection) -> None:
        (held,) = connection.execute("SELECT count(*) FROM facts WHERE name LIKE 'hunk %'").fetchone()
        if held > _MOST_ROWS:
            connection.execute("DELETE FROM facts WHERE name LIKE 'hunk %'")
        connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", rows)

    store.remember(write)
