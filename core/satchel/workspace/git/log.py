"""Answer questions about a workspace's git history, each once; a damaged history is a problem."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from satchel.errors import Problem, WorkspaceError
from satchel.escaping import marks_in, without_marks
from satchel.workspace.files.redactor import Redactor
from satchel.workspace.files.texts import Texts, find_hidden_lines_in, remove_hidden_lines
from satchel.workspace.git import history as _history
from satchel.workspace.git.past_changes import PastChanges
from satchel.workspace.git.patches import Blamed, FileDiff, Status
from satchel.workspace.git.repository import Commit, Git
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
        self._git = git
        self._changes = PastChanges(index, redactor.scanners, self._changes_of)
        self._begun = 0
        """How often a pack began; git's status is asked for once in each."""

    def _once(self, name: str, asked: str, make: Callable[[], T]) -> T:
        """Return what was made for this reading of the repository, or make it."""
        return self._memo.again(name, (self._git, asked), make)

    def _past(self) -> _history.Past:
        """Return the past commits; a damaged history is a problem, and gives none."""

        def read() -> _history.Past:
            return _history.read_history(self._git, self._index.store, self._redactor.scanners)

        return self._once("past", "", lambda: _try_git(read, _history.NO_PAST, self._note))

    def commits(self) -> Sequence[Commit]:
        """Return the newest commits of HEAD, newest first; () without a repository."""

        def read() -> Sequence[Commit]:
            commits = self._past().commits
            for one in commits:
                self._redactor.note_marks(f"{one.subject}\n{one.body}")
            return commits

        return self._once("history", "", read)

    def status(self) -> Status:
        """Return what `git.status` does, asked once for a pack.

        Raises:
            WorkspaceError: there is no repository, or git fails.
        """
        if self._git is None:
            raise WorkspaceError(str(self._texts.root), "is not a git repository")
        found = self._once("status", str(self._begun), self._git.status)
        branch = self._redactor.show(found.branch) if found.branch else ""
        return found._replace(branch=branch) if marks_in(branch) else found

    def begin(self) -> None:
        """Ask for the status again, because another pack begins."""
        self._begun += 1
        self._changes.forget()
        if self._git is not None:
            self._git.program.forget_settings()

    def blame(self, path: str, lines: Sequence[tuple[int, int]], *, oldest: str = "") -> Sequence[Blamed]:
        """Return what `git.blame` does, without secrets; () without a history.

        Raises:
            WorkspaceError: git fails.
        """
        if self._git is None or not self.commits():
            return ()
        redact = self._redactor.scanners.redact
        found = self._git.blame(path, lines, oldest=oldest)
        return [line._replace(subject=redact(without_marks(line.subject)).text) for line in found]

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
            return _try_git(lambda: git.paths_of(shas), {}, self._note)

        def compare() -> Sequence[tuple[float, Commit]]:
            messages = self._past().messages
            return similar_commits(messages, query, paths_of) if messages is not None else ()

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
        known = self._index.documents.keys() & paths
        wanted = [(one.sha, path) for one in commits for path in one.paths if path in known]
        if self._git is None or not wanted:
            return {}
        return self._changes.find_standing_lines(self._git, wanted, self._texts.read_ahead)

    def changed_words(self, commits: Sequence[Commit]) -> Mapping[str, Mapping[str, int]]:
        """Return, by commit id, the commonest folded terms of the lines that a commit changed in its paths.

        The key "" has the number of all terms. If git can't read the history, that is a problem and the
        result is empty.
        """
        asked = [commit for commit in commits if commit.paths]
        return self._changes.count_words(self._git, asked) if self._git is not None and asked else {}

    def _changes_of(self, shas: Sequence[str]) -> Mapping[str, Sequence[FileDiff]]:
        """Return what commits changed; a history that git can't read is a problem, and gives nothing."""
        git = self._git
        return _try_git(lambda: git.changes_of(shas), {}, self._note) if git is not None else {}

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
            old = old_path or path
            old_hidden = find_hidden_lines_in(git.show(before, old), old, self._redactor.scanners)
            self._redactor.note_marks("\n".join(old_hidden.values()))
            hidden.update(old_hidden)
        return remove_hidden_lines(text, hidden)

    def forget(self, git: Git | None) -> None:
        """Ask `git` from now on, and nothing of what was asked before: HEAD may have moved."""
        self._git = git
        self._changes.forget()


def _try_git(ask: Callable[[], T], otherwise: T, note: Callable[[Problem], None]) -> T:
    """Return git's answer; if git fails, note a problem and return `otherwise`."""
    try:
        return ask()
    except WorkspaceError as error:
        note(Problem("git", "history", str(error)))
        return otherwise
