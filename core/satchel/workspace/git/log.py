"""Answer questions about a workspace's git history, each once; a damaged history is a problem."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from satchel.errors import Problem, WorkspaceError
from satchel.escaping import marks_in
from satchel.workspace.files.redactor import Redactor
from satchel.workspace.files.texts import Texts, find_hidden_lines_before, remove_hidden_lines
from satchel.workspace.git import history as _history
from satchel.workspace.git.patches import Blamed, Status
from satchel.workspace.git.repository import Commit, Git, StatusCache
from satchel.workspace.git.similar_commits import similar_commits
from satchel.workspace.index.documents import Index
from satchel.workspace.index.memo import Memo
from satchel.workspace.index.task_ranking import TaskRanking

if TYPE_CHECKING:
    from satchel.items import Task

T = TypeVar("T")


class GitHistory:
    """What git knows of a workspace: its commits, its status, and how they bear on files and on a task.

    Answers are cached while HEAD stays; what git can't read is reported to `note`.
    """

    def __init__(
        self,
        git: Git | None,
        index: Index,
        texts: Texts,
        redactor: Redactor,
        ranking: TaskRanking,
        *,
        memo: Memo,
        note: Callable[[Problem], None],
    ) -> None:
        self._index = index
        self._texts = texts
        self._redactor = redactor
        self._ranking = ranking
        self._note = note
        self._memo = memo
        self._git: Git | None = None
        self._status: StatusCache | None = None
        self.forget(git)

    def _once(self, name: str, asked: str, make: Callable[[], T]) -> T:
        """Return what was made for this reading of the repository, or make it."""
        return self._memo.again(name, (self._git, asked), make)

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
            return _history.read_history(self._git, self._index.store, self._redactor.scanners)

        return self._once("past", "", lambda: self._try_git(read, _history.NO_PAST))

    def commits(self) -> Sequence[Commit]:
        """Return the newest commits of HEAD, newest first; () without a repository."""

        def read() -> Sequence[Commit]:
            commits = self._past().commits
            for one in commits:
                self._redactor.note_marks(f"{one.subject}\n{one.body}")
            return commits

        return self._once("history", "", read)

    def status(self) -> Status:
        """Return what `git.status` does; in a watched workspace git checks only the touched files.

        Raises:
            WorkspaceError: there is no repository, or git fails.
        """
        if self._status is None:
            raise WorkspaceError(str(self._texts.root), "is not a git repository")
        found = self._status.status()
        branch = self._redactor.show(found.branch) if found.branch else ""
        return found._replace(branch=branch) if marks_in(branch) else found

    def touch(self, paths: Collection[str]) -> None:
        """Note files that may have changed since `status` was asked."""
        if self._status is not None:
            self._status.touch(paths)

    def blame(self, path: str, lines: Sequence[tuple[int, int]], *, oldest: str = "") -> Sequence[Blamed]:
        """Return what `git.blame` does, cached while HEAD stays; () without a history.

        Raises:
            WorkspaceError: git fails.
        """
        commits = self.commits()
        if self._git is None or not commits:
            return ()
        store, scanners = self._index.store, self._redactor.scanners
        newest = commits[0].sha
        return _history.load_or_ask_blame(
            self._git, store, newest, path, lines, oldest=oldest, scanners=scanners
        )

    def recency(self) -> Mapping[str, float]:
        """Score files by how recently a commit touched them, counted from the newest commit: 0..1."""
        commits = self.commits()
        return MappingProxyType(self._once("recency", "", lambda: _history.recency(commits)))

    def similar(self, task: Task) -> Sequence[tuple[float, Commit]]:
        """Return past commits whose messages resemble the task, most similar first, scored 1 to 0."""
        query = self._ranking.query(task)

        def paths_of(shas: Sequence[str]) -> Mapping[str, Sequence[str]]:
            git = self._git
            if git is None:
                return {}
            return self._try_git(lambda: _history.load_or_ask_paths(git, self._index.store, shas), {})

        def compare() -> Sequence[tuple[float, Commit]]:
            return similar_commits(self._past().messages, query, paths_of)

        return self._once("similar", task.text, compare)

    def votes(self, task: Task) -> Mapping[str, float]:
        """Score files by past commits whose messages resemble the task: 0..1."""
        similar = self.similar(task)
        return self._once("votes", task.text, lambda: _history.votes(similar))

    def brought_lines(
        self, commits: Sequence[Commit], paths: Collection[str]
    ) -> Mapping[tuple[str, str], Sequence[int]]:
        """Return, by commit id and path, the numbers of lines that a commit added and that still exist.

        If git can't read the history, that is a problem and the result is empty.
        """
        git = self._git
        if git is None:
            return {}
        known = self._index.documents
        contents = {path: one.content for path in paths if (one := known.get(path)) is not None}
        store, read = self._index.store, self._texts.read_ahead
        return self._try_git(
            lambda: _history.find_standing_lines(git, store, commits, contents, read),
            dict[tuple[str, str], tuple[int, ...]](),
        )

    def changed_words(self, commits: Sequence[Commit]) -> Mapping[str, Mapping[str, int]]:
        """Return, by commit id, the commonest folded terms of the lines that a commit changed in its paths.

        The key "" has the number of all terms. If git can't read the history, that is a problem and the
        result is empty.
        """
        git = self._git
        if git is None:
            return {}

        from satchel.workspace.git.similar_commits import count_changed_words

        def read() -> Mapping[str, Mapping[str, int]]:
            return count_changed_words(git, self._index.store, commits, self._redactor.scanners)

        shas = " ".join(commit.sha for commit in commits)
        return self._once("words", shas, lambda: self._try_git(read, {}))

    def show_diff(self, text: str, path: str, *, before: str = "", old_path: str = "") -> str:
        """Return a diff of a file without secrets that only the whole file reveals, before or after.

        `before` is the commit, a full id or HEAD, whose lines the diff also holds, "" if it holds none, and
        `old_path` is the file's path in it. `redactor.show` removes the other secrets.

        Raises:
            WorkspaceError: a whole file can't be read.
        """
        hidden, git = dict(self._texts.hidden_lines(path)), self._git
        if git is not None and before == "HEAD":
            newest = self.commits()
            before = newest[0].sha if newest else git.head()
        if git is not None and before:
            store, scanners, old = self._index.store, self._redactor.scanners, old_path or path
            old_hidden = find_hidden_lines_before(store, scanners, before, old, lambda: git.show(before, old))
            self._redactor.note_marks("\n".join(old_hidden.values()))
            hidden.update(old_hidden)
        return remove_hidden_lines(text, hidden)

    def forget(self, git: Git | None) -> None:
        """Ask `git` from now on, and nothing of what was asked before: HEAD may have moved."""
        if git is not self._git:
            self._git, self._status = git, StatusCache(git) if git is not None else None
