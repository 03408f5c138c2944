"""Expand pointers of commits, of what changed in a file, and of files that are not there any more."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from satchel.errors import PointerError, WorkspaceError
from satchel.escaping import shown
from satchel.items import ContextItem
from satchel.packing.rendering import Markdown
from satchel.parts import lines_of
from satchel.paths import safe_text
from satchel.pointers import Pointer
from satchel.workspace.files.contents import decode, text_of
from satchel.workspace.files.kinds import classify, is_binary, is_credentials

if TYPE_CHECKING:
    from satchel.runs import WorkspaceRun
    from satchel.workspace.git.patches import FileDiff
    from satchel.workspace.git.repository import Commit, Git


def find_commit(run: WorkspaceRun, digits: str, written: str) -> Commit:
    """Return the commit whose id begins with these digits: one of HEAD's history, or else any that git knows.

    Raises:
        PointerError: there is none, or several.
    """
    found = [one for one in run.workspace.history.commits() if one.sha.startswith(digits)]
    try:
        if not found and run.workspace.git is not None:
            found = run.workspace.git.log(1, head=run.workspace.git.resolve(digits))
    except WorkspaceError as error:
        raise PointerError(written, "no commit here has that id") from error
    if len(found) != 1:
        raise PointerError(written, "several commits begin so" if found else "no commit here has that id")
    return found[0]


def read_commit(run: WorkspaceRun, digits: str, written: str, *, with_diffs: bool = False) -> str:
    """Return a commit's day, id, message, and its files or their diffs, with secrets redacted.

    Raises:
        PointerError: there is no such commit, or git fails.
    """
    found = find_commit(run, digits, written)
    day = time.strftime("%Y-%m-%d", time.gmtime(max(found.time, 0)))
    files = "".join(f"  {safe_text(path)}\n" for path in found.paths)
    parts = [f"{day} {found.sha} {found.subject}\n", f"{found.body}\n" if found.body else ""]
    if with_diffs:
        git = _need_git(run, written)
        parent = git.revisions.find_parent(found.sha)
        diffs = _read_diffs(git, parent, found.sha, written)
        parts.append("".join(_show_file(run, diff, parent, found.sha) for diff in diffs))
    else:
        parts.append(f"files:\n{files}" if files else "")
    return run.workspace.redactor.show("\n".join(filter(None, parts)))


def show_change(run: WorkspaceRun, pointer: Pointer, written: str) -> str:
    """Return what changed in a file, "" if nothing did.

    Raises:
        PointerError: there is no such commit, or git fails.
    """
    git = _need_git(run, written)
    try:
        since = pointer.since if pointer.since == "HEAD" else git.resolve(pointer.since)
        until = git.resolve(pointer.until) if pointer.until else ""
    except WorkspaceError as error:
        raise PointerError(written, error.reason) from error
    if since == "HEAD" and not git.head():
        return ""
    diffs = _read_diffs(git, since, until, written)
    found = [diff for diff in diffs if pointer.path == diff.path]
    found = found or [diff for diff in diffs if pointer.path == diff.old_path]
    if not found and not until and pointer.path in run.workspace.files.untracked():
        return _show_untracked(run, pointer.path)
    return run.workspace.redactor.show(_show_file(run, found[0], since, until)) if found else ""


def _show_untracked(run: WorkspaceRun, path: str) -> str:
    """Return the diff of a file that git does not know yet; of what can't be shown the reason."""
    document = run.workspace.files.document(path)
    kind = document.kind if document is not None else "empty"
    if kind in ("credentials", "binary", "empty"):
        return f"--- /dev/null\n+++ b/{safe_text(path)}\n{kind}, not shown\n"
    return difference(run, ContextItem(f"file:{path}", "files", "file", title=path, path=path))


def difference(run: WorkspaceRun, item: ContextItem) -> str:
    """Return the changes of a file since HEAD as a unified diff, "" if there are none."""
    import difflib

    before = run.workspace.git.show("HEAD", item.path) if run.workspace.git is not None else None
    old = (
        lines_of(shown(run.workspace.redactor.redact(text_of(item.path, before), item.path)))
        if before
        else []
    )
    new = lines_of(run.workspace.texts.read(item.path))
    path = safe_text(item.path)
    names = (f"HEAD/{path}" if before is not None else "/dev/null", path)
    return "".join(f"{line}\n" for line in difflib.unified_diff(old, new, *names, lineterm=""))


def read_gone(run: WorkspaceRun, path: str) -> str | None:
    """Return the text of a file that is not there any more, as it was last committed; None if it never was.

    Raises:
        PointerError: it can't be shown.
    """
    git = run.workspace.git
    if git is None or not git.head() or not git.choose_visible([path]):
        return None
    try:
        holder = git.revisions.find_last_holder(path)
        data = git.show(holder, path) if holder else None
    except WorkspaceError as error:
        raise PointerError(path, error.reason) from error
    if data is None:
        return None
    if is_credentials(path) or str(classify(path, data)) == "credentials":
        raise PointerError(path, "holds credentials, which are never shown")
    if is_binary(data):
        item = ContextItem(f"file:{path}", "git", "file", title=path)
        return Markdown().pointer(item, f"deleted, binary, {len(data)} bytes")
    return shown(run.workspace.redactor.redact(text_of(path, data), path))


def _need_git(run: WorkspaceRun, written: str) -> Git:
    if run.workspace.git is None:
        raise PointerError(written, "the workspace is not a git repository")
    return run.workspace.git


def _read_diffs(git: Git, since: str, until: str, written: str) -> list[FileDiff]:
    try:
        return git.diff(since, until=until)
    except WorkspaceError as error:
        raise PointerError(written, error.reason) from error


def _show_file(run: WorkspaceRun, diff: FileDiff, since: str, until: str) -> str:
    """Return a file's diff; of what can't be shown only its header with the reason."""
    reason = _find_reason(run, diff)
    if reason or not diff.hunks:
        return diff.header() + (f"{reason}\n" if reason else "")
    text = decode(b"".join(hunk.text for hunk in diff.hunks)).text
    history = run.workspace.history
    return diff.header() + history.show_diff(
        text, diff.path, before=since, old_path=diff.old_path, after=until
    )


def _find_reason(run: WorkspaceRun, diff: FileDiff) -> str:
    sides = [
        b"\n".join(line[1:] for hunk in diff.hunks for line in hunk.text.split(b"\n") if line[:1] == mark)
        for mark in (b"-", b"+")
    ]
    paths = (diff.old_path or diff.path, diff.path)
    document = run.workspace.files.document(diff.path)
    kinds = {str(classify(path, side)) for path, side in zip(paths, sides, strict=True) if side}
    kinds |= {str(document.kind)} if document is not None else set()
    if any(map(is_credentials, paths)) or "credentials" in kinds:
        return "credentials, not shown"
    return "binary, not shown" if diff.binary or "binary" in kinds else ""
