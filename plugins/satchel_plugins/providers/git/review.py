"""For a review: the files that use a change's definitions, and the tests and pages that name them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import attrs

from satchel.plugin_api import (
    ContextItem,
    asks_about_changes,
    asks_about_conflicts,
    asks_for_entry,
    find_compound_names,
    split_words,
)
from satchel_plugins.providers.files import file_item, role_of, text_of_file
from satchel_plugins.representers.diffs import find_definition, indent_of, name_of_hunk

if TYPE_CHECKING:
    from satchel.plugin_api import FileDiff, Hunk, Task, Workspace

_NO_NAMES = frozenset(
    {"main", "init", "new", "run", "test", "setup", "if", "for", "while", "switch", "return"}
)
_MOST_NAMES = 40
_MOST_LINES = 400
"""Changed lines of one file whose definitions are looked for."""
_MOST_READ = 80
"""Most files that are searched for the changed names."""
_COMMON = 30
"""A name in more files says nothing about a change."""


@attrs.frozen(eq=False, repr=False)
class GitReview:
    """Offer the files changed since a commit, their callers and their tests.

    Without `since`, the uncommitted changes count, if the task is about them.
    """

    name, wave = "git_review", 2
    max_items: int = 40
    max_tokens: int = 1_000
    since: str = ""
    """A branch, a tag or a commit whose later changes are reviewed; `--since` sets it."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return files as items, the changed ones first, then those that name most of the change.

        Raises:
            WorkspaceError: `since` names no commit.
        """
        diffs = self._find_diffs(task, workspace)
        if not diffs:
            return []
        changed = {diff.path for diff in diffs}
        scores = companions(find_changed_names(diffs, workspace), workspace, changed)
        for path in _tests_by_name(changed, workspace):
            scores[path] = scores.get(path, 0.0) + 1.0
        ordered = sorted(scores, key=lambda path: (-scores[path], path))
        tests = [path for path in ordered if role_of(path) == "test"]
        callers = [path for path in ordered if role_of(path) != "test"]
        room = max(self.max_items // 2, 1)
        half = max(room // 2, 1)
        chosen = [*callers[: max(half, room - len(tests))], *tests[:half]]
        chosen = sorted(chosen, key=lambda path: (-scores[path], path))[:room]
        present = [diff.path for diff in diffs if workspace.files.document(diff.path) is not None]
        if asks_for_entry(task.text):
            chosen = [*_find_changelog(workspace), *chosen]
        shown = (*present[: self.max_items - len(chosen)], *chosen)
        return [file_item(workspace, path, self.name) for path in shown]

    def _find_conflicts(self, task: Task, workspace: Workspace) -> Collection[str]:
        """Return the paths in conflict if the task is about them."""
        from satchel_plugins.providers.git.conflicts import is_about_conflicts

        if not asks_about_conflicts(task.text):
            return ()
        status = workspace.history.status()
        return status.conflicts if is_about_conflicts(task, status) else ()

    def _find_diffs(self, task: Task, workspace: Workspace) -> Sequence[FileDiff]:
        """Return the changes that the task is about."""
        from satchel_plugins.providers.git.asked_commits import find_asked_commits

        if workspace.git is None:
            return []
        if self.since:
            return workspace.history.diff(workspace.git.resolve(self.since))
        if conflicts := self._find_conflicts(task, workspace):
            return [diff for diff in workspace.history.diff() if diff.path in conflicts]
        if asked := find_asked_commits(task, workspace):
            return [diff for one in asked for diff in one.shown]
        is_asked = asks_about_changes(task.text) and workspace.history.commits()
        return workspace.history.diff() if is_asked else []


def find_changed_names(diffs: Sequence[FileDiff], workspace: Workspace) -> list[str]:
    """Return the names of definitions that a change touches, in the order of the files.

    After them come the other names in its lines that have the form of code, such as `max_connections`.
    """
    names: dict[str, None] = {}
    written: dict[str, None] = {}
    for diff in diffs:
        if role_of(diff.path) == "test":
            continue
        around = _definitions(diff, workspace)
        for hunk in diff.hunks:
            for name in (*_enclosing(hunk, around), *_find_written_names(hunk)):
                if len(name) > 2 and name.lower() not in _NO_NAMES and not name.startswith("__"):
                    names[name] = None
            for _, line in _list_changed_lines(hunk)[:_MOST_LINES]:
                written.update(dict.fromkeys(find_compound_names(line)))
    return list(names | written)[:_MOST_NAMES]


def _definitions(diff: FileDiff, workspace: Workspace) -> list[tuple[int, int, str]]:
    """Return line, indentation and name of each apparent definition in the present file."""
    found = []
    for number, line in enumerate(text_of_file(workspace, diff.path).split("\n"), 1):
        definition = find_definition(line)
        if definition is not None:
            found.append((number, indent_of(line), definition[1]))
    return found


def _enclosing(hunk: Hunk, definitions: Sequence[tuple[int, int, str]]) -> Iterable[str]:
    """Yield the innermost definition around each changed line; of `__init__` the class around it."""
    numbers = [number for number, _, _ in definitions]
    for number, line in _list_changed_lines(hunk)[:_MOST_LINES]:
        indent = indent_of(line)
        for at in range(bisect_right(numbers, number) - 1, max(-1, bisect_right(numbers, number) - 50), -1):
            start, depth, name = definitions[at]
            if (depth < indent or start == number) and not name.startswith("__"):
                yield name
                break


def _list_changed_lines(hunk: Hunk) -> list[tuple[int, str]]:
    """Return the changed lines with their numbers in the new file, removed ones with the next line's."""
    number, changed = hunk.new[0], []
    for line in hunk.text.decode(errors="replace").split("\n")[1:]:
        if line[:1] in ("+", "-") and line[1:].strip():
            changed.append((number, line[1:]))
        number += line[:1] in ("+", " ")
    return changed


def _find_written_names(hunk: Hunk) -> Iterable[str]:
    """Yield the definition that a hunk changes first, and the names that its changed lines define."""
    first, *lines = hunk.text.decode(errors="replace").split("\n")
    named = name_of_hunk(first.split("@@", 2)[-1], lines)
    if named:
        yield named
    for line in lines:
        definition = find_definition(line[1:]) if line[:1] in ("+", "-") else None
        if definition is not None:
            yield definition[1]


def companions(names: Sequence[str], workspace: Workspace, changed: Iterable[str]) -> dict[str, float]:
    """Score the files that name some of `names`, rare names more; files of the change itself are left out."""
    left_out = set(changed)
    by_id = {document.id: path for path, document in workspace.index.documents.items()}
    holding: dict[str, list[str]] = {}
    for name, terms in zip(names, split_words(names), strict=True):
        found = [by_id[id_] for id_ in workspace.index.postings(terms[-1]) if id_ in by_id]
        if len(found) <= max(_COMMON, len(by_id) // 20):
            holding[name] = [path for path in found if path not in left_out]
    candidates: dict[str, list[str]] = {}
    for name in sorted(holding, key=lambda name: len(holding[name])):
        for path in sorted(holding[name]):
            candidates.setdefault(path, []).append(name)
    scores = {}
    for path in list(candidates)[:_MOST_READ]:
        score = sum(1 / (1 + len(holding[name])) for name in _naming(path, candidates[path], workspace))
        if score:
            scores[path] = score
    return scores


def _naming(path: str, names: Sequence[str], workspace: Workspace) -> list[str]:
    """Return the names that are whole words in a file that can be shown."""
    text = "" if role_of(path) in ("changes", "data") else text_of_file(workspace, path)
    if role_of(path) == "document":
        names = [name for name in names if find_compound_names(name) == [name]]
    return [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)]


def _tests_by_name(changed: Iterable[str], workspace: Workspace) -> list[str]:
    """Return tests that are named after a changed file: `test_cart.py`, `cart_test.go`, `cart.spec.ts`."""
    stems = {_stem(path) for path in changed if role_of(path) == "code"}
    documents = workspace.index.documents
    return [path for path in documents if role_of(path) == "test" and _stem(path) in stems - {"", "index"}]


def _find_changelog(workspace: Workspace) -> Sequence[str]:
    """Return the changelog nearest to the root, if there is one."""
    found = [path for path in workspace.index.documents if role_of(path) == "changes"]
    return sorted(found, key=lambda path: (path.count("/"), path))[:1]


def _stem(path: str) -> str:
    name = path.rpartition("/")[2].split(".")[0].lower()
    return re.sub(r"^tests?_|[_-](?:tests?|spec)$|tests?$", "", name).strip("_")
