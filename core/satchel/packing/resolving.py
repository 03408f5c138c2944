"""Resolve the names in a task: the lines of a pinned symbol, the files of a change, the start of a review."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING

import attrs

from satchel.errors import PointerError, WorkspaceError
from satchel.items import ContextItem, Reference, Task
from satchel.packing.representing import split_all
from satchel.parts import NO_LINES, Lines, lines_of
from satchel.patterns import lazily
from satchel.questions import (
    asks_about_changes,
    asks_since_release,
    count_commits_to_review,
    find_named_commits,
    find_since,
)
from satchel.references.mentions import IDENTIFIER, normalize_name
from satchel.references.paths import KnownPaths
from satchel.references.tasks import find_commits, make_task, resolve_symbol
from satchel.runs import WorkspaceRun
from satchel.spelling import format_count
from satchel.workspace.index.documents import BODY, NAME
from satchel.workspace.index.terms import split_words

if TYPE_CHECKING:
    from satchel.workspace import Workspace
    from satchel.workspace.git.repository import Git

_MOST_FILES = 60
"""Most files that are split in search of a definition: those with the most occurrences of its name."""


def resolve_pins(run: WorkspaceRun, task: Task) -> Task:
    """Return the task with symbol and number pins resolved to paths.

    Raises:
        PointerError: nothing defines the symbol, or no commit mentions the number.
    """
    if all(pin.path and pin.kind != "symbol" for pin in task.pins):
        return task
    return attrs.evolve(task, pins=tuple(chain.from_iterable(_resolve_pin(run, pin) for pin in task.pins)))


def check_pin(run: WorkspaceRun, written: str) -> None:
    """Raise PointerError if a pin names nothing in the workspace."""
    task = make_task("", run.workspace.files.of_paths(KnownPaths), pins=[written])
    for pin in resolve_pins(run, task).pins:
        check_lines(run, pin.path, pin.lines, written=written)


def check_lines(run: WorkspaceRun, path: str, lines: Lines, *, written: str) -> None:
    """Raise PointerError if the lines are after the last one of a text file."""
    document = run.workspace.files.document(path)
    if lines == NO_LINES or document is None or document.kind != "text":
        return
    last = len(lines_of(run.workspace.texts.read(path)))
    if lines[0] > last:
        raise PointerError(written, f"the file has {format_count(last, 'line')}")


def _resolve_pin(run: WorkspaceRun, pin: Reference) -> Sequence[Reference]:
    if pin.kind == "symbol":
        items = [_make_item(run, path) for path in ([pin.path] if pin.path else _find_files(run, pin.name))]
        splits = split_all(run, items)
        return resolve_symbol(pin, {item.path: splits[item.id].parts for item in items if item.id in splits})
    if pin.kind == "number":
        touched = chain.from_iterable(
            commit.paths for commit in find_commits(run.workspace.history.commits(), pin.name)
        )
        paths = [path for path in dict.fromkeys(touched) if run.workspace.files.document(path) is not None]
        if not paths:
            raise PointerError(pin.text, "no commit that mentions it touched a file that is still there")
        return [Reference(pin.text, "path", path) for path in paths]
    return [pin]


def find_definitions(run: WorkspaceRun, written: str) -> tuple[Reference, ...]:
    """Return the lines that define a name: `Class.method`, `path::name`, `module:Class.method`.

    A place before a colon may be a path, a module or a package (a folder), or the end of one.

    Raises:
        PointerError: nothing in the workspace defines it.
    """
    place, name = _split_name(written)
    if IDENTIFIER.fullmatch(name) is None:
        is_file = place and run.workspace.files.document(place) is not None
        told = "its lines are not a range; write 10-40" if is_file else "no such file in the workspace"
        raise PointerError(written, told)
    found = _resolve_pin(run, Reference(written, "symbol", name=normalize_name(name.removesuffix("()"))))
    wanted = [one for one in re.split(r"[/.]|::", place) if one]
    fitting = [one for one in found if _lies_at(one.path, wanted)]
    if not fitting:
        paths = ", ".join(dict.fromkeys(one.path for one in found))
        raise PointerError(written, f"{place} does not define it; it is in {paths}")
    return tuple(fitting)


def _split_name(written: str) -> tuple[str, str]:
    """Return the place and the name in a written definition; the place is "" if it has none."""
    if "::" in written:
        pieces = written.split("::")
        cut = next((at for at, piece in enumerate(pieces) if "." not in piece and "/" not in piece), 1)
        cut = cut or (1 if "/" in pieces[0] or "." in pieces[0] else 0)
        return "::".join(pieces[:cut]), ".".join(pieces[cut:])
    place, _, name = written.rpartition(":")
    return place, name


def _lies_at(path: str, wanted: Sequence[str]) -> bool:
    """Return whether a path, with or without its suffix, or its folder ends in the names of a place."""
    whole, folder = path.replace(".", "/").split("/"), path.split("/")[:-1]
    return not wanted or any(own[-len(wanted) :] == list(wanted) for own in (whole, whole[:-1], folder))


def _find_files(run: WorkspaceRun, name: str) -> list[str]:
    """Return the files that may define a name, likeliest first."""
    (terms,) = split_words([name.rpartition(".")[2]])
    term = terms[-1]
    counts = {id_: (1, count) for id_, count in run.workspace.index.postings(term, NAME).items()}
    for id_, count in run.workspace.index.postings(term, BODY).items():
        counts[id_] = (counts.get(id_, (0, 0))[0], count)
    documents = run.workspace.index.numbered.by_id
    found = sorted(
        (id_ for id_ in counts if id_ in documents), key=lambda id_: (counts[id_], documents[id_].path)
    )
    return [documents[id_].path for id_ in reversed(found)][:_MOST_FILES]


def _make_item(run: WorkspaceRun, path: str) -> ContextItem:
    document = run.workspace.files.document(path)
    content = document.content if document is not None else ""
    note = "" if document is not None and document.kind == "text" else "no text"
    return ContextItem(f"file:{path}", "files", "file", title=path, path=path, content=content, note=note)


_LONGEST_ON_BRANCH = 300
"""Characters of the longest task about a branch as such."""
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
"""A task about all changes of a branch, committed or not."""
_UNCOMMITTED = lazily(
    r"(?i)\b(uncommitted|(un)?staged|commit|working (tree|copy))\b|\bgit (diff|status|stash)\b"
    r"|\bcommit-?(nachricht|beschreibung)|未提交|未コミット|提交(信息|说明|消息)|コミットメッセージ"
)
"""A task about uncommitted changes alone."""


def find_review_start(workspace: Workspace, task: str) -> str:
    """Return the commit since which a task wants to see the changes, "" if it names none."""
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
    """Return `HEAD~3` for the last 3 commits, the first commit if the history is shorter."""
    for count in range(min(asked, len(workspace.history.commits()) - 1), 0, -1):
        with suppress(WorkspaceError):  # merges make a line of parents shorter than the history
            git.resolve(f"HEAD~{count}")
            return f"HEAD~{count}"
    return ""


def _name_branch_start(workspace: Workspace, git: Git, task: str) -> str:
    """Return `main...`, the merge base with the default branch, for a task about the changes of a branch.

    A task about somebody's changes is about the branch if everything is committed.
    """
    is_about_branch = len(task) <= _LONGEST_ON_BRANCH and _BRANCH.search(task) is not None
    is_about_changes = asks_about_changes(task) and not _UNCOMMITTED.search(task)
    if not (is_about_branch or is_about_changes) or find_named_commits(task):
        return ""
    with suppress(WorkspaceError):  # the providers ask git again, and report the problem
        status = workspace.history.status()
        is_clean = not (status.staged or status.unstaged or workspace.files.untracked())
        if not status.head or status.conflicts or not (is_about_branch or is_clean):
            return ""
        default = git.revisions.find_default_branch(status.branch)
        if default and git.resolve(f"{default}...") != status.head:
            return f"{default}..."
    return ""
