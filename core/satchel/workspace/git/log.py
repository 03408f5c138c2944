"""Answer questions about a workspace's git history, each once; a damaged history is a problem."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar, cast

from satchel.errors import Problem, WorkspaceError
from satchel.escaping import marks_in
from satchel.redaction.scanning import Scanners
from satchel.workspace.git import history as _history
from satchel.workspace.git.patches import Blamed
from satchel.workspace.git.repository import Commit, Git
from satchel.workspace.git.similar_commits import similar_commits
from satchel.workspace.index.documents import Document, Index

T = TypeVar("T")


class GitHistory:
    """Asks git, caches its answers while HEAD stays, and reports to `note` what git can't read."""

    def __init__(
        self, git: Git | None, index: Index, scanners: Scanners, note: Callable[[Problem], None]
    ) -> None:
        self._git = git
        self._index = index
        self._scanners = scanners
        self._note = note
        self._lock = threading.RLock()
        self._memo: dict[tuple[str, str], object] = {}

    def _once(self, name: tuple[str, str], make: Callable[[], T]) -> T:
        with self._lock:
            if name not in self._memo:
                self._memo[name] = make()
            return cast("T", self._memo[name])

    def _try_git(self, ask: Callable[[], T], otherwise: T) -> T:
        """Return git's answer; if git fails, note a problem and return `otherwise`."""
        try:
            return ask()
        except WorkspaceError as error:
            self._note(Problem("git", "history", str(error)))
            return otherwise

    def _past(self) -> _history.Past:
        """Return the past commits; a damaged history is a problem, and gives none."""

        def read() -> _history.Past:
            return _history.read_history(self._git, self._index.store, self._scanners)

        return self._once(("past", ""), lambda: self._try_git(read, _history.NO_PAST))

    def history(self, marks: set[str]) -> Sequence[Commit]:
        """Return the newest commits of HEAD, newest first; add the marks in their messages to `marks`."""

        def read() -> Sequence[Commit]:
            commits = self._past().commits
            marks.update(mark for one in commits for mark in marks_in(f"{one.subject}\n{one.body}"))
            return commits

        return self._once(("history", ""), read)

    def blame(
        self, newest: str, path: str, lines: Sequence[tuple[int, int]], *, oldest: str
    ) -> Sequence[Blamed]:
        """Return what `git.blame` does for the file at the newest commit."""
        if self._git is None:
            return ()
        return _history.load_or_ask_blame(
            self._git, self._index.store, newest, path, lines, oldest=oldest, scanners=self._scanners
        )

    def recency(self, commits: Sequence[Commit]) -> Mapping[str, float]:
        """Score files by how recently one of the commits touched them, counted from the newest: 0..1."""
        return self._once(("recency", ""), lambda: _history.recency(commits))

    def similar(self, text: str, query: Mapping[str, float]) -> Sequence[tuple[float, Commit]]:
        """Return past commits whose messages resemble the terms of a text, most similar first."""

        def compare() -> Sequence[tuple[float, Commit]]:
            return similar_commits(self._past().messages, query, self._paths_of)

        return self._once(("similar", text), compare)

    def votes(self, text: str, query: Mapping[str, float]) -> Mapping[str, float]:
        """Score files by past commits whose messages resemble the terms of a text: 0..1."""
        return self._once(("votes", text), lambda: _history.votes(self.similar(text, query)))

    def _paths_of(self, shas: Sequence[str]) -> Mapping[str, Sequence[str]]:
        git = self._git
        if git is None:
            return {}
        return self._try_git(lambda: _history.load_or_ask_paths(git, self._index.store, shas), {})

    def find_brought_lines(
        self, commits: Sequence[Commit], documents: Mapping[str, Document], read: Callable[[str], str]
    ) -> Mapping[tuple[str, str], Sequence[int]]:
        """Return, by commit id and path, the numbers of lines that a commit added and that still exist."""
        git = self._git
        if git is None:
            return {}
        from satchel.workspace.git import history

        contents = {path: document.content for path, document in documents.items()}
        return self._try_git(
            lambda: history.find_standing_lines(git, self._index.store, commits, contents, read),
            dict[tuple[str, str], tuple[int, ...]](),
        )

    def count_changed_words(self, commits: Sequence[Commit]) -> Mapping[str, Mapping[str, int]]:
        """Return, by commit id, the commonest folded terms of the lines that a commit changed."""
        git = self._git
        if git is None:
            return {}

        from satchel.workspace.git.similar_commits import count_changed_words

        def read() -> Mapping[str, Mapping[str, int]]:
            return count_changed_words(git, self._index.store, commits, self._scanners)

        shas = " ".join(commit.sha for commit in commits)
        return self._once(("words", shas), lambda: self._try_git(read, {}))

    def forget(self) -> None:
        """Forget everything, because HEAD may have moved."""
        with self._lock:
            self._memo.clear()


def documents_of(index: Index, paths: Collection[str]) -> dict[str, Document]:
    """Return the index's documents of some paths; skip paths that it does not have."""
    return {path: one for path in paths if (one := index.documents.get(path)) is not None}
