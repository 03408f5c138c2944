"""The commits that a task asks to explain, by their names or as the last to change a line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from satchel.plugin_api import (
    ContextItem,
    Problem,
    WorkspaceError,
    asks_why_lines,
    find_named_commits,
    safe_text,
)

if TYPE_CHECKING:
    from satchel.plugin_api import Commit, FileDiff, Git, Task, Workspace

_MOST = 3
"""Most commits that are explained."""
_MOST_LINES = 200
"""Most lines of a file that git is asked to blame."""
_LISTED = 100
"""Most changed files of a commit that are listed."""
_LONGEST = 8_000
"""Most characters of a message that are shown."""


class AskedCommit(NamedTuple):
    """A commit that a task is about."""

    commit: Commit
    parent: str
    diffs: Sequence[FileDiff]
    shown: Sequence[FileDiff]
    """Diffs that the task is about: for a commit that changed a line, the diff of that file."""


def find_asked_commits(task: Task, workspace: Workspace) -> Sequence[AskedCommit]:
    """Return the commits that a task asks about, with their diffs; made once for a task."""
    git = workspace.git
    if git is None or not (find_named_commits(task.text) or asks_why_lines(task.text)):
        return ()
    return workspace.memo.again(
        "asked commits",
        (task.text, task.references, task.pins, task.open_files, git.head()),
        lambda: _find(task, workspace, git),
    )


def _find(task: Task, workspace: Workspace, git: Git) -> Sequence[AskedCommit]:
    try:
        found: dict[str, set[str]] = {sha: set() for sha in _resolve_names(task, workspace, git)}
        for sha, path in _blame_lines(task, workspace) if not found else ():
            found.setdefault(sha, set()).add(path)
        return [_read(sha, paths, git) for sha, paths in list(found.items())[:_MOST]]
    except WorkspaceError as error:
        workspace.problems.append(Problem("git", "gather", str(error)))
        return ()


def _read(sha: str, paths: set[str], git: Git) -> AskedCommit:
    parent = git.revisions.find_parent(sha)
    diffs = git.diff(parent, until=sha)
    shown = [diff for diff in diffs if diff.path in paths] if paths else []
    return AskedCommit(git.log(1, head=sha)[0], parent, diffs, shown or diffs)


def _resolve_names(task: Task, workspace: Workspace, git: Git) -> Iterable[str]:
    """Yield the full ids of commits that the task names, skipping names of no commit."""
    for name in find_named_commits(task.text):
        if name.startswith("#"):
            ends = re.compile(rf"\(#{name[1:]}\)\s*\Z|\bpull request #{name[1:]}\b")
            yield from [one.sha for one in workspace.history.commits() if ends.search(one.subject)][:1]
            continue
        known = [one.sha for one in workspace.history.commits() if one.sha.startswith(name)]
        try:
            yield known[0] if len(known) == 1 else git.resolve(name)
        except WorkspaceError:  # a word that looks like an id
            continue


def _blame_lines(task: Task, workspace: Workspace) -> Iterable[tuple[str, str]]:
    """Yield the commits that changed the lines whose reasons the task asks for, by number of lines."""
    if not asks_why_lines(task.text):
        return
    places = [ref for ref in (*task.references, *task.pins, *task.open_files) if ref.path and any(ref.lines)]
    for place in places[:1]:
        first, last = place.lines
        blamed = workspace.history.blame(place.path, [(first, min(last, first + _MOST_LINES))])
        counts = Counter(line.sha for line in blamed)
        yield from ((sha, place.path) for sha, _ in counts.most_common(_MOST))


def commit_message_item(asked: AskedCommit) -> ContextItem:
    """Return a commit as an item: date, full message, and each file with its numbers of lines."""
    from satchel_plugins.providers.git.changes import describe_file
    from satchel_plugins.providers.git.commits import one_line

    commit = asked.commit
    body = commit.body.strip()
    if len(body) > _LONGEST:
        body = (
            f"{body[:_LONGEST].rpartition(chr(10))[0]}\n[cut here; satchel expand commit:{commit.sha[:10]}]"
        )
    files = [describe_file(diff) for diff in asked.diffs[:_LISTED]]
    left = len(asked.diffs) - len(files)
    more = [f"{left} more"] if left else []
    beside = len(asked.diffs) - len(asked.shown)
    rest = (
        [f"[other diffs left out: {beside}; satchel expand commit:{commit.sha[:10]} --level diff]"]
        if beside
        else []
    )
    lines = [
        one_line(commit),
        *([safe_text(line) for line in body.split("\n")] if body else []),
        *files,
        *more,
        *rest,
    ]
    return ContextItem(
        id=f"commit:{commit.sha}",
        provider="git",
        kind="commit",
        title=f"commit {commit.sha[:10]}",
        text="".join(f"{line}\n" for line in lines),
        modified=float(commit.time),
    )
