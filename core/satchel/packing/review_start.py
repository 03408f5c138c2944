"""Find from which commit on a task wants to see changes: the last commits, or those of the branch."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from satchel.errors import WorkspaceError
from satchel.patterns import lazily
from satchel.questions import (
    asks_about_changes,
    asks_since_release,
    count_commits_to_review,
    find_named_commits,
    find_since,
)

if TYPE_CHECKING:
    from satchel.workspace import Workspace
    from satchel.workspace.git.repository import Git

_LONGEST = 300
"""Characters of a task that is about a branch as such."""
_BRANCH = lazily(
    r"(?i)\b(review|describe|summari[sz]e|explain|check|look at|look over|merge|merging|read|go through"
    r"|what|which|is|does|did|anything|ready|risks?|break|breaks)\b"
    r".{0,60}\b(this|my|our|the (current|whole|entire)) ((feature|topic|working|git) )?branch\b"
    r"(?! (of the|in the|statement|condition|point|predict|instruction))"
    r"|\bbranch (diff|changes)\b"
    r"|\b(review|describe|summari[sz]e|check|merge|merging|for|of|open|in)\b.{0,40}"
    r"\b(this|my|our|the) (pr|mr|(pull|merge) request)\b"
    r"|\b(pr|mr|(pull|merge) request) (description|title|message|body|summary)\b"
)
"""A task about all that a branch changed, committed or not."""
_UNCOMMITTED = lazily(
    r"(?i)\b(uncommitted|(un)?staged|commit|working (tree|copy))\b|\bgit (diff|status|stash)\b"
    r"|\bcommit-?(nachricht|beschreibung)|未提交|未コミット|提交(信息|说明|消息)|コミットメッセージ"
)
"""A task about what is not committed alone."""


def find_review_start(workspace: Workspace, task: str) -> str:
    """Return the commit since which a task wants to see the changes, "" where it says nothing of that."""
    git = workspace.git
    if git is None:
        return ""
    if asks_since_release(task) and (tag := git.revisions.find_newest_tag()):
        return tag
    since = find_since(task)
    if since:
        with suppress(WorkspaceError):  # "since yesterday" names no commit
            git.resolve(since)
            return since
    asked = count_commits_to_review(task)
    return _name_last_commits(workspace, git, asked) if asked else _name_branch_start(workspace, git, task)


def _name_last_commits(workspace: Workspace, git: Git, asked: int) -> str:
    """Return `HEAD~3`, of a history that is shorter than what is asked for the first commit."""
    for count in range(min(asked, len(workspace.history.commits()) - 1), 0, -1):
        with suppress(WorkspaceError):  # merges make a line of parents shorter than the history
            git.resolve(f"HEAD~{count}")
            return f"HEAD~{count}"
    return ""


def _name_branch_start(workspace: Workspace, git: Git, task: str) -> str:
    """Return `main...`, the merge base with the default branch, for a task about what a branch changed.

    A task about somebody's changes is about the branch if everything is committed.
    """
    is_about_branch = len(task) <= _LONGEST and _BRANCH.search(task) is not None
    is_about_changes = asks_about_changes(task) and not _UNCOMMITTED.search(task)
    if not (is_about_branch or is_about_changes) or find_named_commits(task):
        return ""
    with suppress(WorkspaceError):  # the providers ask git again, and tell what is wrong
        status = workspace.history.status()
        is_clean = not (status.staged or status.unstaged or workspace.files.untracked())
        if not status.head or status.conflicts or not (is_about_branch or is_clean):
            return ""
        default = git.revisions.find_default_branch(status.branch)
        if default and git.resolve(f"{default}...") != status.head:
            return f"{default}..."
    return ""
