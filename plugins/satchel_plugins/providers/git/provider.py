"""Offer the parts of git that a task needs: the state of the tree, uncommitted changes, relevant commits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

import attrs

from satchel.plugin_api import (
    ContextItem,
    Problem,
    WorkspaceError,
    asks_about_changes,
    asks_for_message,
    lazily,
)
from satchel_plugins.providers.texts import BYTES_PER_TOKEN

if TYPE_CHECKING:
    from satchel.plugin_api import Commit, FileDiff, Git, Status, Task, Workspace
    from satchel_plugins.providers.git.asked_commits import AskedCommit
    from satchel_plugins.providers.git.evidence import Evidence

T = TypeVar("T")

_OTHERS = 2_000
"""Tokens of the limit that diffs leave to the summary and the commits."""
_ASIDE = 12_000
"""Tokens of everything if the task is not about changes."""

_STAGED = lazily(r"(?i)(?<![\w-])staged\b|--(?:cached|staged)\b")
"""A task about staged changes."""
_NOT_STAGED = lazily(r"(?i)\b(?:un-?|not (?:yet )?)staged\b")
"""A task about unstaged changes, too."""


@attrs.frozen(eq=False, repr=False)
class GitProvider:
    """Offer a summary of the working tree, diffs of uncommitted work, and the commits nearest to the task.

    With `since` (a branch, a tag or a commit id), it offers the whole diff from there to the working tree,
    for a review. It does the same for uncommitted changes and untracked files if the task is about them. The
    summary then names every changed file. Other changes are left out, or only named in the summary.
    """

    name, wave = "git", 1
    max_items: int = 60
    max_tokens: int = 100_000
    commits: int = 8
    """Maximum number of past commits offered."""
    since: str = ""
    """A branch, a tag or a commit whose later changes are offered; `--since` sets it."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return the summary, the diffs and the commits; nothing without a repository.

        Raises:
            WorkspaceError: `since` names no commit.
        """
        if workspace.git is None:
            if self.since:
                raise WorkspaceError(
                    str(workspace.root), "is not a repository: nothing to compare `since` with"
                )
            return []
        from satchel_plugins.providers.git.asked_commits import find_asked_commits
        from satchel_plugins.providers.git.conflicts import is_about_conflicts
        from satchel_plugins.providers.git.evidence import find_evidence

        evidence = find_evidence(task, workspace)
        if not self.since and (asked := find_asked_commits(task, workspace)):
            return self._show_commits(asked, workspace, evidence)
        base = workspace.git.resolve(self.since) if self.since else "HEAD"
        status = _try_git(workspace, workspace.history.status)
        if status is not None and is_about_conflicts(task, status):
            return self._show_conflicts(workspace, workspace.git, status, evidence)
        if self.since or asks_about_changes(task.text):
            return self._review_changes(task, workspace, evidence, status, base=base)
        return self._show_beside(task, workspace, evidence, status, base=base)

    def _show_commits(
        self, asked: Sequence[AskedCommit], workspace: Workspace, evidence: Evidence
    ) -> list[ContextItem]:
        """Return the commits that a task asks for, messages first."""
        from satchel_plugins.providers.git.asked_commits import commit_message_item
        from satchel_plugins.providers.git.changes import Wanted, diff_items

        room = max(self.max_tokens - _OTHERS, 0) * BYTES_PER_TOKEN // len(asked)
        items = [commit_message_item(one) for one in asked]
        for commit, parent, _, diffs in asked:
            wanted = Wanted(room, commit.sha, parent, commit.sha, f"in commit {commit.sha[:10]}")
            items += diff_items(diffs, workspace, evidence, wanted)
        return items[: self.max_items]

    def _review_changes(
        self, task: Task, workspace: Workspace, evidence: Evidence, status: Status | None, *, base: str
    ) -> list[ContextItem]:
        """Return the changes since a commit: their list, diffs, and lines that they may break.

        Without any changes, the commits before.
        """
        from satchel_plugins.providers.git.changes import (
            diff_untracked,
            find_commits_since,
            mark_staged,
            summary_item,
        )
        from satchel_plugins.providers.git.commits import Found, commit_item
        from satchel_plugins.providers.git.gone import callers_item, gone_item

        diffs = self._diffs(workspace, base, status, deleted=True) + diff_untracked(workspace)
        staged = {path for _, path in status.staged} if status is not None and not self.since else set()
        if staged and _STAGED.search(task.text) and not _NOT_STAGED.search(task.text):
            diffs = [diff for diff in diffs if diff.path in staged]
        changes = self._list_changes(diffs, workspace, evidence, base, most=self.max_tokens)
        history = workspace.history.commits()
        subjects = _list_subjects(task, history)
        if not diffs:
            found = [Found(commit, 1.0) for commit in history[: self.commits]]
            summary = self._summary(workspace, evidence, status, changes)
            return [*summary, *subjects, *changes, *(commit_item(one, evidence) for one in found)]
        branch = status.branch if status is not None else ""
        commits = find_commits_since(base, history)
        marks = mark_staged(diffs, status) if status is not None and not self.since else {}
        summary = [summary_item(diffs, self.since, branch=branch, commits=commits, marks=marks)]
        if not asks_for_message(task.text):
            summary += [*gone_item(diffs, workspace), *callers_item(diffs, workspace)]
        return [*summary, *subjects, *changes]

    def _show_beside(
        self, task: Task, workspace: Workspace, evidence: Evidence, status: Status | None, *, base: str
    ) -> list[ContextItem]:
        """Return status, changes and past commits that a task about something else may need."""
        from satchel_plugins.providers.git.commits import commit_item, find_commits

        diffs = self._diffs(workspace, base, status, deleted=False)
        most = min(self.max_tokens, _ASIDE)
        changes = self._list_changes(diffs, workspace, evidence, base, most=most)
        found = find_commits(task, workspace, evidence, limit=self.commits)
        summary = self._summary(workspace, evidence, status, changes)
        subjects = _list_subjects(task, workspace.history.commits())
        return [*summary, *subjects, *changes, *(commit_item(one, evidence) for one in found)]

    def _list_changes(
        self, diffs: Sequence[FileDiff], workspace: Workspace, evidence: Evidence, base: str, *, most: int
    ) -> list[ContextItem]:
        """Return the diffs as items, so that the summary and the commits have room beside them."""
        from satchel_plugins.providers.git.changes import Wanted, diff_items

        wanted = Wanted(max(most - _OTHERS, 0) * BYTES_PER_TOKEN, self.since, base)
        return diff_items(diffs, workspace, evidence, wanted)[: max(self.max_items - 1 - self.commits, 0)]

    def _show_conflicts(
        self, workspace: Workspace, git: Git, status: Status, evidence: Evidence
    ) -> list[ContextItem]:
        """Return the places in conflict, the messages of both sides, and the changes of each side.

        Beside these, the lines that name definitions that one side removed, and callers of functions whose
        parameters it changed.
        """
        from satchel_plugins.providers.git.changes import Wanted, diff_items
        from satchel_plugins.providers.git.conflicts import conflict_items, diffs_of_sides, find_other_side
        from satchel_plugins.providers.git.gone import callers_item, gone_item

        other = _try_git(workspace, lambda: find_other_side(git))
        items = _try_git(workspace, lambda: conflict_items(status, workspace, git, other)) or []
        room = max(self.max_tokens - _OTHERS, 0) * BYTES_PER_TOKEN // 4
        sides = _try_git(workspace, lambda: list(diffs_of_sides(status, git, other))) or ()
        for side in sides:
            items += gone_item(side.diffs, workspace, side=side.name)
            items += callers_item(side.diffs, workspace, side=side.name)
        for side in sides:
            wanted = Wanted(room, side.base, side.base, side.tip, f"on {side.name}")
            items += diff_items(side.diffs, workspace, evidence, wanted)
        return items

    def _diffs(
        self, workspace: Workspace, base: str, status: Status | None, *, deleted: bool
    ) -> list[FileDiff]:
        """Read the diff if there may be one, with the lines of deleted files if they are wanted."""
        if status is None or not status.head:
            return []
        if base == "HEAD" and not (status.staged or status.unstaged or status.conflicts):
            return []
        return list(_try_git(workspace, lambda: workspace.history.diff(base, deleted=deleted)) or ())

    def _summary(
        self, workspace: Workspace, evidence: Evidence, status: Status | None, changes: Sequence[ContextItem]
    ) -> list[ContextItem]:
        git = workspace.git
        if git is None or status is None:
            return []
        from satchel_plugins.providers.git.changes import status_item

        related = [item.id.partition(":")[2] for item in changes]
        found = _try_git(workspace, lambda: status_item(status, workspace, git, evidence, related=related))
        return [found] if found is not None else []


def _list_subjects(task: Task, history: Sequence[Commit]) -> list[ContextItem]:
    """Return the newest messages, as samples for a task to write one or about how they are written."""
    from satchel_plugins.providers.git.commits import asks_for_convention, subjects_item

    wanted = asks_for_message(task.text) or asks_for_convention(task.text)
    return subjects_item(history) if wanted else []


def _try_git(workspace: Workspace, ask: Callable[[], T]) -> T | None:
    """Return an answer of git, or None and a problem: one failure does not cost the other items."""
    try:
        return ask()
    except WorkspaceError as error:
        workspace.problems.append(Problem("git", "gather", str(error)))
        return None
