"""The state and changes of a working tree, as items: one small summary, one diff for each file."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.plugin_api import (
    CHANGED_FILES,
    ContextItem,
    WorkspaceError,
    classify,
    decode,
    diff_id,
    is_credentials,
    language_of,
    safe_text,
)
from satchel_plugins.providers.files import role_of
from satchel_plugins.providers.git.commits import join_names, one_line

if TYPE_CHECKING:
    from satchel.plugin_api import Commit, FileDiff, Git, Hunk, Status, Workspace
    from satchel_plugins.providers.git.evidence import Evidence

_NAMES = 6
"""Most files of each sort that the summary names."""
_IN_PROGRESS = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisection",
}
_RELATED = 0.12
"""Share of the task's words from which a diff concerns the task."""
_RELATED_FILE = 0.35
"""Evidence for a file from which its diff concerns the task."""
_READ = 120_000
_READ_EACH = 60_000
"""Bytes of all diffs, and of each, whose words are counted."""
_ROLES = {"changes": 0.3, "data": 0.5, "document": 0.7}
"""How much the task's words count in texts that hold words of every kind."""
_FIRST = {"code": 0.5, "test": 0.3, "document": 0.2, "changes": 0.2}
"""Added to a diff's score by its role, so that code comes first if the task mentions none."""
_NO_CODE = frozenset({"", "csv", "json", "log", "markdown", "text", "xml", "yaml"})
"""Languages of examples that tests read, and of files whose names indicate none."""
_UNCOMMITTED = 0.8
"""Relevance of uncommitted work; the rest depends on the task."""
_RANKED = 200
"""Most hunks of a too large file that are compared with the task."""
_UNTRACKED, _LARGEST_UNTRACKED = 100, 200_000
"""Most untracked files in a review, and the characters of the largest."""
_SUMMARIZED, _NAMED, _FOLDERS = 24, 60, 10
"""Most changed files listed with their numbers, most others named, and most folders in which the rest are
counted: the list is no diff."""
_NAMED_APART = 400
"""Further ones that are named in a paragraph of their own, for which there may be no room."""
_COMMITS_SINCE = 50
"""Most commits of a review that are listed."""
_COMMITS = 16
"""Number of commits listed one by one if there are many."""
_FEW_COMMITS = 8
"""Number of commits listed one by one in any case."""
_MERGES = re.compile(r"(?i)merge (pull request|branch|remote-tracking branch|tag)\b")
_BUMPS = re.compile(
    r"(?i)(?:\w+(?:\([\w-]+\))?!?: )?(?:bump|update) (?:the )?([\w@./-]+) (?:from \S+ )?to \S+"
)
_NEW_LINES = 80
"""Lines of one hunk of a new file: if not all hunks fit, some do."""
_NAMED_ONLY = frozenset({"generated", "minified", "lockfile", "huge"})


class Wanted(NamedTuple):
    """The wanted diffs, and their largest size."""

    bytes: int
    """Maximum bytes of all diffs together; one file gets at most a third."""
    since: str = ""
    """A name for the commit that is compared with; "" for uncommitted work."""
    base: str = "HEAD"
    """That commit's full id, or HEAD."""
    until: str = ""
    """The full id of the last commit whose changes are wanted, "" for the working tree."""
    where: str = ""
    """The end of the titles of diffs, by default these commits."""

    def describe(self) -> str:
        """Return the end of a diff's title, such as "since main"."""
        return self.where or f"since {name_start(self.since)}"


def name_start(since: str) -> str:
    """Return a name for the commit that is compared with: `main...` is the start of a branch."""
    return f"the merge base with {since.removesuffix('...')}" if since.endswith("...") else since


def status_item(
    status: Status, workspace: Workspace, git: Git, evidence: Evidence, *, related: Sequence[str]
) -> ContextItem | None:
    """Return the summary, None if nothing is uncommitted and the task does not ask about git.

    `related` are changed files that concern the task: they are named first.
    """
    progress = next((name for file, name in _IN_PROGRESS.items() if os.path.lexists(git.git_dir / file)), "")
    untracked = _list_new_files(workspace, status)
    is_clean = not (status.staged or status.unstaged or status.conflicts or untracked)
    if is_clean and not progress and not evidence.about_changes:
        return None
    lines = [_branch_line(status), f"{progress} is in progress" if progress else ""]
    lines += [
        _line("in conflict", [("", path) for path in status.conflicts], related),
        _line("staged", status.staged, related),
        _line("not staged", status.unstaged, related),
        _line("untracked", [("", path) for path in untracked], related),
    ]
    lines += ["working tree clean"] if is_clean else []
    text = "".join(f"{line}\n" for line in lines if line)
    relevance = 1.0 if progress else _status_relevance(evidence, related)
    return ContextItem("git:status", "git", "status", "git status", text=text, relevance=relevance)


def _branch_line(status: Status) -> str:
    branch = f"branch {status.branch[:80]}" if status.branch else "no branch: HEAD is detached"
    return branch + (f" at commit {status.head[:10]}" if status.head else ", no commit yet")


def _status_relevance(evidence: Evidence, related: Sequence[str]) -> float:
    if evidence.about_changes:
        return 1.0
    return 0.6 if related else 0.3


def _list_new_files(workspace: Workspace, status: Status) -> list[str]:
    """Return the untracked files of the workspace; its listing has asked git for them."""
    changed = {path for _, path in (*status.staged, *status.unstaged)} | set(status.conflicts)
    return sorted(set(workspace.files.untracked()) - changed)


def _line(what: str, files: Sequence[tuple[str, str]], related: Sequence[str]) -> str:
    ordered = sorted(files, key=lambda file: (file[1] not in related, file[1]))
    names = join_names([f"{how} {path}".lstrip() for how, path in ordered], _NAMES)
    return f"{what}, {len(files)} {'file' if len(files) == 1 else 'files'}: {names}" if files else ""


def summary_item(
    diffs: Sequence[FileDiff],
    since: str,
    *,
    branch: str,
    commits: Sequence[Commit] = (),
    marks: Mapping[str, str] = MappingProxyType({}),
) -> ContextItem:
    """Return the list of changed files, each with its numbers of new and of removed lines, and of commits.

    Of many files, the most changed are listed, code first, others are named by folder, and the rest are
    counted. `marks` has the words for staged and unstaged paths.
    """
    sizes = [_count_lines(diff.hunks) for diff in diffs]
    added, gone = (sum(size[side] for size in sizes) for side in (0, 1))
    where = f"since {safe_text(name_start(since))}" if since else "not committed"
    on = f" on branch {safe_text(branch[:80])}" if branch else ""
    files = f"{len(diffs)} changed {'file' if len(diffs) == 1 else 'files'} {where}{on}"
    lines = [f"{files}: {_describe_lines(added, gone)}"]
    ordered = sorted(zip(diffs, sizes, strict=True), key=_rank_changed)
    for diff, (new, old) in sorted(ordered[:_SUMMARIZED], key=lambda one: one[0].path):
        mark = marks.get(diff.path, "")
        lines.append(_describe_file(diff, new, old) + (mark and f", {mark}"))
    others = [diff.path for diff, _ in ordered[_SUMMARIZED:]]
    lines += [*_name_files(others[:_NAMED]), *_list_commits(commits)]
    lines += ["", *_list_rest(others[_NAMED:])] if others[_NAMED:] else []
    title = f"changes since {safe_text(name_start(since))}" if since else "uncommitted changes"
    return ContextItem(CHANGED_FILES, "git", "status", title, text="".join(f"{line}\n" for line in lines))


def mark_staged(diffs: Sequence[FileDiff], status: Status) -> Mapping[str, str]:
    """Return for each changed path whether it is staged, {} if all or none are."""
    staged, others = ({path for _, path in some} for some in (status.staged, status.unstaged))
    marks = {}
    for diff in diffs if staged else ():
        is_whole = diff.path not in others
        marks[diff.path] = (
            "not staged" if diff.path not in staged else "staged" if is_whole else "staged in part"
        )
    return marks if {*marks.values()} != {"staged"} else {}


def _rank_changed(changed: tuple[FileDiff, tuple[int, int]]) -> tuple[bool, int]:
    """Return the rank of a file in a list of changes: code and tests first, then the most changed."""
    diff, size = changed
    return _sort_of(diff.path) not in ("code", "test"), -sum(size)


def _name_files(paths: Sequence[str]) -> list[str]:
    """Return a line for each folder, with the names of its files."""
    folders: dict[str, list[str]] = {}
    for path in sorted(paths):
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder, []).append(safe_text(name))
    return [f"{safe_text(folder or '.')}/ {', '.join(names)}" for folder, names in folders.items()]


def _list_rest(paths: Sequence[str]) -> list[str]:
    """Return lines that name the first of some files, a line for each folder, and count the others."""
    lines = _name_files(paths[:_NAMED_APART])
    counts = Counter(path.rpartition("/")[0] or "." for path in paths[_NAMED_APART:])
    lines += [f"{safe_text(folder)}/ {count} more" for folder, count in counts.most_common(_FOLDERS)]
    rest = counts.total() - sum(count for _, count in counts.most_common(_FOLDERS))
    return [*lines, f"{rest} more elsewhere"] if rest else lines


def _list_commits(commits: Sequence[Commit]) -> list[str]:
    """Return a line for each commit; of many, merges are left out and bumps of dependencies are counted."""
    if len(commits) <= _FEW_COMMITS:
        return [f"commit {one_line(commit)}" for commit in commits]
    telling = [commit for commit in commits if not _MERGES.match(commit.subject)]
    bumps = [commit for commit in telling if _BUMPS.match(commit.subject)]
    others = [commit for commit in telling if commit not in bumps]
    lines = [f"commit {one_line(commit)}" for commit in others[:_COMMITS]]
    lines += [f"{len(others) - _COMMITS} older commits"] if len(others) > _COMMITS else []
    bumped = ", ".join(dict.fromkeys(found[1] for one in bumps if (found := _BUMPS.match(one.subject))))
    merges = len(commits) - len(telling)
    lines += [f"{len(bumps)} commits bump dependencies: {bumped}"] if bumps else []
    return [*lines, f"{merges} merges"] if merges else lines


def describe_file(diff: FileDiff) -> str:
    """Return a changed file with its numbers of new and of removed lines."""
    return _describe_file(diff, *_count_lines(diff.hunks))


def _describe_file(diff: FileDiff, new: int, old: int) -> str:
    how = "" if diff.status == "changed" else f", {_how(diff)}"
    size = "binary" if diff.binary else f"+{new} -{old}"
    modes = f", mode {diff.modes}" if diff.modes else ""
    return f"{safe_text(diff.path)} {size}{how}{modes}"


def find_commits_since(base: str, history: Sequence[Commit]) -> Sequence[Commit]:
    """Return the commits after a base, newest first, () if it is far back or not in the history."""
    newest = [commit.sha for commit in history[: _COMMITS_SINCE + 1]]
    return history[: newest.index(base)] if base in newest else ()


def diff_untracked(workspace: Workspace) -> list[FileDiff]:
    """Return the diffs of untracked texts as git would show them once they were added."""
    from satchel.plugin_api import FileDiff, Hunk

    found = []
    for path in workspace.files.untracked()[:_UNTRACKED]:
        document = workspace.files.document(path)
        if document is None:
            continue
        text = workspace.texts.read(path) if document.kind == "text" else ""
        hunks = [Hunk(*hunk) for hunk in _hunks_of_new(text)] if len(text) <= _LARGEST_UNTRACKED else []
        found.append(FileDiff(path, "", "new", tuple(hunks), binary=document.kind == "binary"))
    return found


def _hunks_of_new(text: str) -> Iterator[tuple[bytes, tuple[int, int]]]:
    """Yield hunks of a few lines that add a text, each with its first and last line."""
    lines = text.removesuffix("\n").split("\n") if text else []
    for start in range(0, len(lines), _NEW_LINES):
        some = lines[start : start + _NEW_LINES]
        body = "".join(f"+{line}\n" for line in some)
        is_open = start + len(some) == len(lines) and not text.endswith("\n")
        ending = "\\ No newline at end of file\n" if is_open else ""
        head = f"@@ -0,0 +{start + 1},{len(some)} @@\n"
        yield (head + body + ending).encode("utf-8", "replace"), (start + 1, start + len(some))


def diff_items(
    diffs: Sequence[FileDiff], workspace: Workspace, evidence: Evidence, wanted: Wanted
) -> list[ContextItem]:
    """Return the diffs that concern the task, best first; with `since`, all of them."""
    shown = [diff for diff in diffs if wanted.since or _tells_more(diff, evidence)]
    scored = list(zip(_scores(shown, evidence), shown, strict=True))
    if not wanted.since:
        scored = [(score, diff) for score, diff in scored if score > 0 or evidence.about_changes]
    scored.sort(key=lambda one: (-one[0] - _FIRST.get(_sort_of(one[1].path), 0.0), one[1].path))
    room = wanted.bytes
    items = []
    for score, diff in scored:
        item = _item(diff, workspace, evidence, wanted, room=min(room, wanted.bytes // 3))
        room -= len((item.text or "").encode("utf-8", "replace"))
        relevance = 1.0 if wanted.since else _UNCOMMITTED + (1 - _UNCOMMITTED) * score
        title = f"{item.title} {wanted.describe()}" if wanted.since else item.title
        id_ = diff_id(diff.path, wanted.base, wanted.until) if wanted.since else item.id
        items.append(attrs.evolve(item, id=id_, relevance=min(1.0, relevance), title=title))
    return items


def _sort_of(path: str) -> str:
    """Return the role of a file, "data" for code or tests in no programming language."""
    role = role_of(path)
    return "data" if role in ("code", "test") and language_of(path) in _NO_CODE else role


def _tells_more(diff: FileDiff, evidence: Evidence) -> bool:
    """Return whether a diff says more than the file and the summary: of a new file only if asked for."""
    if diff.status in ("changed", "new"):
        return diff.status == "changed" or evidence.about_changes
    return bool(diff.hunks) or diff.path in evidence.named or evidence.about_changes


def _scores(diffs: Sequence[FileDiff], evidence: Evidence) -> list[float]:
    """Return how much each diff concerns the task, 0 if it does not.

    Words are counted in the most relevant files, until enough is read.
    """
    of_files = [
        max(evidence.files.get(diff.path, 0.0), evidence.files.get(diff.old_path, 0.0)) for diff in diffs
    ]
    scores = [score if score >= _RELATED_FILE else 0.0 for score in of_files]
    room = _READ
    for at in sorted(range(len(diffs)), key=lambda at: -of_files[at]):
        text = b"".join(hunk.text for hunk in diffs[at].hunks[:200])[: min(room, _READ_EACH)]
        room -= len(text)
        words = f"{diffs[at].path}\n{text.decode(errors='replace')}" if room > 0 else diffs[at].path[:200]
        share = evidence.share(words) * _ROLES.get(role_of(diffs[at].path), 1.0)
        scores[at] = max(scores[at], share) if share >= _RELATED else scores[at]
    return scores


def _item(
    diff: FileDiff, workspace: Workspace, evidence: Evidence, wanted: Wanted, *, room: int
) -> ContextItem:
    item = ContextItem(f"diff:{diff.path}", "git", "diff", f"diff of {diff.path}", note="changed")
    reason = _reason(diff, workspace)
    if reason:
        return attrs.evolve(item, note=f"{reason}, {diff.status}")
    hunks = _fitting(diff.hunks, evidence, room)
    if not hunks:
        counted = f", {_describe_size(diff.hunks)}" if diff.hunks else ""
        return attrs.evolve(item, note=f"{_how(diff)}{counted}")
    text = decode(b"".join(hunk.text for hunk in hunks)).text
    before = wanted.base if "\n-" in text else ""
    try:
        text = workspace.history.show_diff(
            text, diff.path, before=before, old_path=diff.old_path, after=wanted.until
        )
    except WorkspaceError as error:
        return attrs.evolve(item, note=f"{_how(diff)}, not shown: {error.reason}")
    left = len(diff.hunks) - len(hunks)
    title = f"{item.title} without {left} of {len(diff.hunks)} hunks" if left else item.title
    return attrs.evolve(item, text=diff.header() + text, note="", title=title) if text else item


def _how(diff: FileDiff) -> str:
    return f"renamed from {safe_text(diff.old_path)}" if diff.status == "renamed" else diff.status


def _reason(diff: FileDiff, workspace: Workspace) -> str:
    """Return why a diff is only named, "" if it may be shown."""
    if any(is_credentials(path) for path in (diff.path, diff.old_path) if path):
        return "credentials"
    if diff.binary:
        return "binary"
    document = workspace.files.document(diff.path)
    if document is not None and document.kind in (*_NAMED_ONLY, "credentials", "binary"):
        return document.kind
    sides = [_side(diff.hunks, mark) for mark in (b"-", b"+")]
    paths = (diff.old_path or diff.path, diff.path)
    kinds = {str(classify(path, side)) for path, side in zip(paths, sides, strict=True) if side}
    return next((kind for kind in ("credentials", "binary", "minified") if kind in kinds), "")


def _side(hunks: Sequence[Hunk], mark: bytes) -> bytes:
    """Return the lines of one side of a diff alone."""
    lines = (line for hunk in hunks for line in hunk.text.split(b"\n"))
    return b"\n".join(line[1:] for line in lines if line.startswith(mark))


def _fitting(hunks: Sequence[Hunk], evidence: Evidence, room: int) -> list[Hunk]:
    """Return the hunks that fit in `room` bytes, in order; if not all do, those nearest the task."""
    if sum(len(hunk.text) for hunk in hunks) <= room:
        return list(hunks)
    share = {hunk: evidence.share(hunk.text[:1_000].decode(errors="replace")) for hunk in hunks[:_RANKED]}
    kept = set()
    for hunk in sorted(share, key=lambda hunk: -share[hunk]):
        if len(hunk.text) <= room:
            room -= len(hunk.text)
            kept.add(hunk)
    return [hunk for hunk in hunks if hunk in kept]


def _describe_size(hunks: Sequence[Hunk]) -> str:
    added, gone = _count_lines(hunks)
    return _describe_lines(added, gone)


def _describe_lines(added: int, gone: int) -> str:
    return f"{added} {'line' if added == 1 else 'lines'} added, {gone} removed"


def _count_lines(hunks: Sequence[Hunk]) -> tuple[int, int]:
    """Return how many lines are new and how many are gone."""
    added, gone = (
        sum(line.startswith(mark) for hunk in hunks for line in hunk.text.split(b"\n"))
        for mark in (b"+", b"-")
    )
    return added, gone
