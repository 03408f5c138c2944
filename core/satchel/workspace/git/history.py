"""Score files by past commits: when a file last changed, and which files similar commits touched."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from satchel.errors import WorkspaceError
from satchel.escaping import without_marks
from satchel.redaction.scanning import Scanners
from satchel.workspace.git.patches import Blamed
from satchel.workspace.git.repository import Commit, Git
from satchel.workspace.git.similar_commits import Messages, ReadMessages, StoredMessages
from satchel.workspace.index.store import IndexStore
from satchel.workspace.index.terms import normalize

Wanted = tuple[str, str]
"""A commit's id and a path."""

_SHORTEST = 8
"""Characters of a stripped line below which it is too common to be attributed."""


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
    wanted = {
        f"hunk {one.sha} {path}": (one.sha, path) for one in commits for path in one.paths if path in contents
    }

    def find(names: Collection[str]) -> dict[str, tuple[int, ...]]:
        found = _find_lines(git, [wanted[name] for name in names], read)
        return {name: found[wanted[name]] for name in names}

    made_from = {name: contents[path] for name, (_, path) in wanted.items()}
    return {wanted[name]: tuple(numbers) for name, numbers in store.all_again(made_from, find).items()}


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
    messages: Messages


NO_PAST = Past((), ReadMessages.of(()))


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
        return Past(known, StoredMessages(store, head))
    newest = git.log(COMMITS, head=head)
    older = git.log(PAST - COMMITS, head=head, skip=COMMITS, paths=False) if len(newest) == COMMITS else []
    read = _clean([*newest, *older], scanners)
    commits, messages = tuple(read[: len(newest)]), ReadMessages.of(read)
    rows = {**messages.rows(), "history": commits}
    store.keep(dict.fromkeys(rows, head), rows)
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
    sha_of = {f"paths {sha}": sha for sha in shas}

    def ask(names: Collection[str]) -> dict[str, Sequence[str]]:
        found = git.paths_of([sha_of[name] for name in names])
        return {name: found.get(sha_of[name], ()) for name in names}

    return {sha_of[name]: paths for name, paths in store.all_again(dict.fromkeys(sha_of, ""), ask).items()}


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

    def ask() -> list[Blamed]:
        found = git.blame(path, lines, oldest=oldest)
        return [line._replace(subject=scanners.redact(without_marks(line.subject)).text) for line in found]

    name = hashlib.blake2b(path.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    return [Blamed(*row) for row in store.again(f"blame {name}", f"{newest} {oldest} {list(lines)}", ask)]
