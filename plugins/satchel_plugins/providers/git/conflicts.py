"""The places in conflict of a merge, a rebase or the like, and the changes of both sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from satchel.plugin_api import (
    ContextItem,
    WorkspaceError,
    asks_about_conflicts,
    conflict_id,
    format_count,
    safe_text,
)
from satchel_plugins.representers.diffs import find_definition, find_enclosing, indent_of

if TYPE_CHECKING:
    from satchel.plugin_api import Commit, FileDiff, Git, Status, Task, Workspace

_OTHER_SIDES = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "REBASE_HEAD": "a rebase",
}
"""Names of git's refs to the incoming commit, and of the operation in progress."""
_SIDES = {
    "UU": "changed on both sides",
    "AA": "added on both sides",
    "DD": "deleted on both sides",
    "DU": "deleted on this side, changed on the other",
    "UD": "changed on this side, deleted on the other",
    "AU": "added on this side",
    "UA": "added on the other side",
}
_AROUND = 10
"""Lines shown before and after a place in conflict."""
_MOST = 60
"""Most places that are shown."""
_COMMITS, _BODY_LINES = 5, 8
"""Most commits of each side, and most lines of a message, that are shown."""


class OtherSide(NamedTuple):
    """The commit brought into the current branch."""

    what: str
    sha: str
    base: str
    """The newest common commit of both sides, "" if there is none; for a single commit its parent."""
    is_one: bool
    """Whether it is one commit, and not a branch."""


def is_about_conflicts(task: Task, status: Status | None) -> bool:
    """Return whether there are conflicts, and a task is about them."""
    return status is not None and bool(status.conflicts) and asks_about_conflicts(task.text)


def find_conflicts(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the lines from `<<<<<<<` to `>>>>>>>` of each place with one `=======` between them."""
    found: list[tuple[int, int]] = []
    first = middle = 0
    for number, line in enumerate(lines, 1):
        marker = line[:8].rstrip("\r")
        if marker == "<<<<<<< ":
            first, middle = number, 0
        elif marker == "=======" and first:
            middle = number
        elif marker in (">>>>>>> ", ">>>>>>>") and middle:
            found.append((first, number))
            first = middle = 0
    return found


def find_other_side(git: Git) -> OtherSide | None:
    """Return the incoming side, None if git does not know: after `git stash pop`."""
    head = git.head()
    for ref, what in _OTHER_SIDES.items():
        if not (git.git_dir / ref).exists():
            continue
        try:
            sha = git.resolve(ref)
        except WorkspaceError:  # a file that is being written, or is damaged: the next may do
            continue
        is_one = ref != "MERGE_HEAD"
        base = git.revisions.find_parent(sha) if is_one else git.revisions.find_merge_base(head, sha)
        return OtherSide(what, sha, base, is_one)
    return None


def conflict_items(
    status: Status, workspace: Workspace, git: Git, other: OtherSide | None
) -> list[ContextItem]:
    """Return a summary with the messages of both sides, then each place in conflict with its lines."""
    summary: list[str] = []
    items: list[ContextItem] = []
    for path in status.conflicts:
        lines, reason = _read(path, workspace)
        places = find_conflicts(lines)
        how = _SIDES.get(status.sides.get(path, ""), "in conflict")
        at = ", ".join(f"{first}-{last}" for first, last in places)
        where = f", lines {at}" if at else f", {reason}" if reason else ""
        summary.append(f"{safe_text(path)} {how}{where}")
        for number, place in enumerate(places, 1):
            name = _find_name(lines, place)
            title = f"conflict {number} of {len(places)} in {path}, lines {place[0]}-{place[1]}"
            text = "".join(f"{line}\n" for line in _cut_out(lines, places, number - 1))
            id_ = conflict_id(path, number)
            items.append(ContextItem(id_, "git", "diff", f"{title}, in {name}" if name else title, text=text))
    left = items[_MOST:]
    if left:
        summary.append(f"not shown: {format_count(len(left), 'more place')} in conflict")
    text = "".join(
        f"{line}\n" for line in (_head_line(status, other), *summary, *_messages(status, git, other))
    )
    return [ContextItem("review:conflicts", "git", "status", "conflicts", text=text), *items[:_MOST]]


def _read(path: str, workspace: Workspace) -> tuple[list[str], str]:
    """Return the lines of a file, or [] and the reason."""
    document = workspace.files.document(path)
    if document is None:
        return [], "not in the working tree"
    if document.kind in ("binary", "credentials"):
        return [], str(document.kind)
    try:
        return workspace.texts.read(path).split("\n"), ""
    except WorkspaceError as error:
        return [], error.reason


def _cut_out(lines: Sequence[str], places: Sequence[tuple[int, int]], at: int) -> Sequence[str]:
    """Return the lines of a place with some around it, but not of another place."""
    before = places[at - 1][1] if at else 0
    after = places[at + 1][0] - 1 if at + 1 < len(places) else len(lines)
    first, last = places[at]
    return lines[max(before, first - 1 - _AROUND) : min(after, last + _AROUND)]


def _find_name(lines: Sequence[str], place: tuple[int, int]) -> str:
    """Return the name of the definition around a place, or of the first one in it."""
    first, last = place
    inside = [line for line in lines[first - 1 : last] if line.strip() and not _is_marker(line)]
    depth = min(map(indent_of, inside), default=0)
    above = [line for line in lines[max(0, first - 400) : first - 1] if not _is_marker(line)]
    name = find_enclosing(above, depth)[0]
    return name or next((found[1] for found in map(find_definition, inside) if found is not None), "")


def _is_marker(line: str) -> bool:
    return line[:7] in ("<<<<<<<", "|||||||", "=======", ">>>>>>>")


def _head_line(status: Status, other: OtherSide | None) -> str:
    where = f"branch {safe_text(status.branch[:80])}" if status.branch else f"commit {status.head[:10]}"
    files = f"{format_count(len(status.conflicts), 'file')} in conflict on {where}"
    if other is None:
        return files
    sides = "HEAD is this side, that commit the other"
    if other.what == "a rebase":
        sides = "HEAD, onto which you rebase, is this side, your own commit the other"
    return f"{files}: {other.what} of commit {other.sha[:10]} is in progress; {sides}"


def _messages(status: Status, git: Git, other: OtherSide | None) -> Iterator[str]:
    """Yield the messages of both sides' commits that touched the files in conflict."""
    if other is None:
        return
    head = git.head()
    start = git.revisions.find_merge_base(head, other.sha) if other.is_one else other.base
    ours = git.log_since(start, head, status.conflicts, _COMMITS + 1) if start else []
    theirs = (
        git.log(1, head=other.sha)
        if other.is_one
        else git.log_since(other.base, other.sha, status.conflicts, _COMMITS + 1)
        if other.base
        else []
    )
    for name, commits in (("this side", ours), ("the other side", theirs)):
        if commits:
            yield f"commits of {name}:"
            for commit in commits[:_COMMITS]:
                yield from _describe_commit(commit)
            if len(commits) > _COMMITS:
                yield "and older ones"


def _describe_commit(commit: Commit) -> Iterator[str]:
    from satchel_plugins.providers.git.commits import one_line

    yield one_line(commit)
    body = [line for line in commit.body.split("\n") if line.strip()]
    yield from (f"  {safe_text(line)}" for line in body[:_BODY_LINES])
    if len(body) > _BODY_LINES:
        yield f"  [cut here; satchel expand commit:{commit.sha[:10]}]"


class Side(NamedTuple):
    """The changes of one side to the files in conflict, between two commits."""

    name: str
    base: str
    tip: str
    diffs: Sequence[FileDiff]


def diffs_of_sides(status: Status, git: Git, other: OtherSide | None) -> Iterator[Side]:
    """Yield how each side changed the files in conflict."""
    if other is None or not other.base:
        return
    paths = set(status.conflicts)
    for name, tip in (("this side", git.head()), ("the other side", other.sha)):
        found = git.diff(other.base, until=tip)
        yield Side(
            name, other.base, tip, [one for one in found if not paths.isdisjoint((one.path, one.old_path))]
        )
