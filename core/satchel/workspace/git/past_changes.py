"""What past commits changed: worked out once for each commit, and kept in the index."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from satchel.errors import WorkspaceError
from satchel.redaction.scanning import Scanners
from satchel.workspace.git.patches import FileDiff, find_added_lines
from satchel.workspace.git.repository import Commit, Git
from satchel.workspace.git.running import find_common_dir
from satchel.workspace.git.similar_commits import count_changed_words
from satchel.workspace.index.documents import Index

Wanted = tuple[str, str]
"""A commit's id and a path."""
ChangesOf = Callable[[Sequence[str]], Mapping[str, Sequence[FileDiff]]]
"""Returns by id what commits changed; commits that git can't read are left out."""

_SHORTEST = 8
"""Characters of a stripped line below which it is too common to be attributed."""
_ATTRIBUTES = ".gitattributes"


class PastChanges:
    """What commits changed, as it bears on the files of today.

    A commit never changes, so git is asked once for each. What depends on more than the commit is stored with
    it: the content of a file, which paths may be told, and what git was told of the kinds of files. A failure
    is not stored.
    """

    def __init__(self, index: Index, scanners: Scanners, changes_of: ChangesOf) -> None:
        self._index = index
        self._scanners = scanners
        self._changes_of = changes_of
        self._read: dict[str, Sequence[FileDiff]] = {}
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Free the memory of what git answered."""
        with self._lock:
            self._read.clear()

    def find_standing_lines(
        self, git: Git, wanted: Sequence[Wanted], read: Callable[[str], str]
    ) -> dict[Wanted, Sequence[int]]:
        """Return for each wanted commit and path the numbers of lines that the commit added and that stand.

        `read` returns the text of a path, as the index knows it.
        """
        documents = self._index.documents
        given = {f"lines {sha}": self._describe_settings(git) for sha, _ in wanted}
        rows: dict[str, dict[str, Any]] = self._index.store.recall(given)
        found: dict[Wanted, Sequence[int]] = {}
        missing: list[Wanted] = []
        for sha, path in wanted:
            content, numbers = rows.get(f"lines {sha}", {}).get(path, ("", ()))
            if content and content == documents[path].content:
                found[sha, path] = tuple(numbers)
            else:
                missing.append((sha, path))
        fresh: dict[str, dict[str, Any]] = {}
        for (sha, path), numbers in self._find_lines(missing, read):
            found[sha, path] = numbers or ()
            if numbers is not None and (content := documents[path].content):
                row = fresh.setdefault(f"lines {sha}", dict(rows.get(f"lines {sha}", {})))
                row[path] = content, numbers
        self._index.store.keep(given, fresh)
        return {one: found[one] for one in wanted}

    def _find_lines(
        self, wanted: Sequence[Wanted], read: Callable[[str], str]
    ) -> Iterator[tuple[Wanted, Sequence[int] | None]]:
        """Yield the numbers of lines that stand; None where git or the file can't be read."""
        changes = {
            sha: {one.path: one for one in diffs}
            for sha, diffs in self._ask(sha for sha, _ in wanted).items()
        }
        for path, pairs in groupby(sorted(wanted, key=itemgetter(1)), key=itemgetter(1)):
            lines = _number_lines(path, read)
            for sha, _ in pairs:
                numbers = None
                if lines is not None and sha in changes:
                    diff = changes[sha].get(path)
                    added = find_added_lines(diff) if diff is not None else ()
                    numbers = sorted(number for line in added for number in lines.get(line, ()))
                yield (sha, path), numbers

    def count_words(self, git: Git, commits: Sequence[Commit]) -> dict[str, Mapping[str, int]]:
        """Return, by commit id, the commonest terms of the lines that a commit changed in its paths."""
        settings = self._describe_settings(git)
        visible = set(git.choose_visible([path for one in commits for path in one.paths]))
        given = {
            f"words {one.sha}": "\n".join([settings, *sorted(visible.intersection(one.paths))])
            for one in commits
        }
        known = self._index.store.recall(given)
        missing = [one for one in commits if f"words {one.sha}" not in known]
        changes = self._ask(one.sha for one in missing)
        fresh = {
            f"words {one.sha}": count_changed_words(one, changes[one.sha], self._scanners)
            for one in missing
            if one.sha in changes
        }
        self._index.store.keep(given, fresh)
        return {one.sha: {**known, **fresh}.get(f"words {one.sha}", {}) for one in commits}

    def _ask(self, shas: Iterable[str]) -> Mapping[str, Sequence[FileDiff]]:
        """Return what commits changed, each asked for once until `forget`."""
        with self._lock:
            asked = dict.fromkeys(shas)
            unread = [sha for sha in asked if sha not in self._read]
            self._read.update(self._changes_of(unread) if unread else {})
            return {sha: self._read[sha] for sha in asked if sha in self._read}

    def _describe_settings(self, git: Git) -> str:
        """Return what decides, beside a commit, what git shows of it: what is text, where history ends."""
        documents = self._index.documents
        attributes = sorted(
            (path, document.content) for path, document in documents.items() if path.endswith(_ATTRIBUTES)
        )
        common = find_common_dir(str(git.git_dir))
        files = [os.path.join(common, *name) for name in (("config",), ("info", "attributes"), ("shallow",))]
        return repr((attributes, list(map(_describe_state, [*files, str(git.git_dir / "config.worktree")]))))


def _describe_state(file: str) -> tuple[int, ...]:
    try:
        facts = os.stat(file)
    except OSError:
        return ()
    return facts.st_size, facts.st_mtime_ns, facts.st_ino


def _number_lines(path: str, read: Callable[[str], str]) -> dict[str, list[int]] | None:
    """Return the numbers of each line, without the blanks around it; None if the file can't be read."""
    try:
        lines = read(path).split("\n")
    except (OSError, WorkspaceError):  # gone or changed since it was listed: packing reports that
        return None
    found: dict[str, list[int]] = {}
    for number, line in enumerate(map(str.strip, lines), start=1):
        if len(line) >= _SHORTEST:
            found.setdefault(line, []).append(number)
    return found
