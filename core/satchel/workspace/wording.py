"""The words of what past commits changed: counted once for a commit, and kept in the index."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from sqlite3 import Connection

from satchel.scanning import Scanners
from satchel.showing.marks import without_marks
from satchel.workspace.git import Commit, Git
from satchel.workspace.patches import FileDiff, changed_lines
from satchel.workspace.store import Store
from satchel.workspace.terms import count_terms

_MOST_LINES = 150
"""Lines added to one file, and lines taken from it, that are looked at."""
_MOST_TERMS = 200
"""Terms of a commit that are kept, the commonest."""
_MOST_ROWS = 5_000
"""Commits that are kept; more are forgotten all at once."""


def changed_words(
    git: Git, store: Store, commits: Sequence[Commit], scanners: Scanners
) -> dict[str, dict[str, int]]:
    """Return the terms of the lines that each commit changed in the paths that it is given with, counted.

    The number of all terms stands under "". No secret is among them. Git is not asked twice for a commit.
    """
    names = {one.sha: _name(one) for one in commits if one.paths}
    known = _remembered(store, names)
    missing = [one for one in commits if one.paths and one.sha not in known]
    if missing:
        changes = git.changes_of([one.sha for one in missing])
        found = {one.sha: _counted(one, changes.get(one.sha, ()), scanners) for one in missing}
        _remember(store, {names[sha]: counts for sha, counts in found.items()})
        known |= found
    return known


def _name(commit: Commit) -> str:
    paths = blake2b("\0".join(commit.paths).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return f"wording {commit.sha} {paths}"


def _counted(commit: Commit, changes: Sequence[FileDiff], scanners: Scanners) -> dict[str, int]:
    wanted = set(commit.paths)
    lines = [line for one in changes if one.path in wanted for line in changed_lines(one, _MOST_LINES)]
    counts = count_terms(scanners.redact(without_marks("\n".join(lines))).text)
    commonest = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_TERMS]
    return {"": counts.total(), **dict(commonest)}


def _remembered(store: Store, names: Mapping[str, str]) -> dict[str, dict[str, int]]:
    known = {}
    for sha, name in names.items():
        rows = store.rows("SELECT value FROM facts WHERE name = ?", (name,))
        if rows:
            known[sha] = dict(store.decoded(rows[0][0]))
    return known


def _remember(store: Store, found: Mapping[str, Mapping[str, int]]) -> None:
    rows = [(name, json.dumps(counts)) for name, counts in found.items()]

    def write(connection: Connection) -> None:
        (held,) = connection.execute("SELECT count(*) FROM facts WHERE name LIKE 'wording %'").fetchone()
        if held > _MOST_ROWS:
            connection.execute("DELETE FROM facts WHERE name LIKE 'wording %'")
        connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", rows)

    store.remember(write)
