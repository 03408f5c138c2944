"""Answer questions about a workspace's git history, each once: past commits, their changes, likeness."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from zlib import crc32

from satchel.errors import Problem, WorkspaceError
from satchel.escaping import escape_marks, marks_in
from satchel.redaction.scanning import Scanners
from satchel.workspace.files.texts import Redactor, Texts, find_hidden_lines_in, remove_hidden_lines
from satchel.workspace.git.patches import Blamed, FileDiff, Status, find_added_lines, find_changed_lines
from satchel.workspace.git.repository import Commit, Git
from satchel.workspace.git.running import find_common_dir
from satchel.workspace.index.documents import Index
from satchel.workspace.index.ranking import Bm25, TaskRanking, mean_length
from satchel.workspace.index.store import IndexStore, Memo
from satchel.workspace.index.terms import (
    count_terms,
    inverse_document_frequency,
    normalize,
    place_terms,
    vocabulary,
    words_in,
)

if TYPE_CHECKING:
    from satchel.items import Task

_MOST_LINES = 150
"""Lines added to a file, and lines removed from it, that are counted."""
_MOST_TERMS = 200
"""Terms of a commit that are stored: the commonest."""


def count_changed_words(commit: Commit, changes: Sequence[FileDiff], scanners: Scanners) -> dict[str, int]:
    """Return the counted terms of the lines that a commit changed in its `paths`, without secrets.

    The key "" has the number of all terms.
    """
    wanted = set(commit.paths)
    lines = [line for one in changes if one.path in wanted for line in find_changed_lines(one, _MOST_LINES)]
    counts = count_terms(scanners.redact(escape_marks("\n".join(lines))).text)
    commonest = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_TERMS]
    return {"": counts.total(), **dict(commonest)}


SIMILAR = 20
"""Most commits that are returned."""
_ROWS_OF_TERMS = 256
_COMMITS_A_ROW = 25
_ASKED_AT_ONCE = 32
"""Commits whose paths are requested together."""

Counts = Mapping[int, int]
"""Commit number, the newest 0 -> number of occurrences of a term in its message."""
PathsOf = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]
"""Returns the paths of commits by id."""


class Messages(NamedTuple):
    """The messages of past commits in the index, read only as far as needed."""

    store: IndexStore
    head: str
    """The newest of the commits."""

    @classmethod
    def write(cls, store: IndexStore, head: str, commits: Sequence[Commit]) -> Messages:
        """Put messages into the index; each word is split once."""
        words = [words_in(f"{commit.subject}\n{commit.body}") for commit in commits]
        places, lengths = place_terms(words, vocabulary().knowing(words))
        rows: dict[str, Any] = {"messages": lengths}
        for term, held in places.items():
            rows.setdefault(_row_of(term), {})[term] = held
        for at in range(0, len(commits), _COMMITS_A_ROW):
            rows[f"past {at // _COMMITS_A_ROW}"] = commits[at : at + _COMMITS_A_ROW]
        store.keep(dict.fromkeys(rows, head), rows)
        return cls(store, head)

    def lengths(self) -> Sequence[int]:
        """Return the number of terms in each message, that of the newest commit first."""
        return list(*self._read(["messages"]).values())

    def holding(self, terms: Collection[str]) -> Mapping[str, Counts]:
        """Return the messages that hold each term; terms that no message holds are left out."""
        row_of = {term: _row_of(term) for term in terms}
        said = self._read(sorted(set(row_of.values())))
        places = {term: said.get(row, {}).get(term) for term, row in row_of.items()}
        return {term: _counts(found) for term, found in places.items() if found is not None}

    def commits(self, numbers: Sequence[int]) -> Mapping[int, Commit]:
        """Return commits by number; unknown ones are left out."""
        rows = self._read([f"past {row}" for row in {number // _COMMITS_A_ROW for number in numbers}])
        found: dict[int, Commit] = {}
        for number in numbers:
            row = rows.get(f"past {number // _COMMITS_A_ROW}", ())
            if number % _COMMITS_A_ROW < len(row):
                sha, time, subject, body, paths = row[number % _COMMITS_A_ROW]
                found[number] = Commit(sha, time, subject, body, tuple(paths))
        return found

    def _read(self, names: Sequence[str]) -> dict[str, Any]:
        return self.store.recall(dict.fromkeys(names, self.head))


def _row_of(term: str) -> str:
    return f"said {crc32(term.encode()) % _ROWS_OF_TERMS}"


def _counts(places: Sequence[int]) -> Counts:
    return dict(zip(places[::2], places[1::2], strict=True))


def similar_commits(
    messages: Messages, query: Mapping[str, float], paths_of: PathsOf
) -> list[tuple[float, Commit]]:
    """Return the commits whose messages are most similar to a query by BM25, best first, scored 1 to 0.

    `paths_of` returns the paths of commits that were read without; a commit without any path is skipped.
    """
    lengths = messages.lengths()
    rows = range(len(lengths))
    holding = {
        term: {number: count for number, count in held.items() if number in rows}
        for term, held in messages.holding(query).items()
    }
    worths = {
        term: query[term] * inverse_document_frequency(len(lengths), len(held))
        for term, held in holding.items()
    }
    postings = [(worths[term], holding[term]) for term in query if term in holding]
    scores = Bm25().score_postings(postings, lengths, mean_length(lengths))
    ranked = sorted(scores, key=lambda number: (-scores[number], number))
    nearest = _with_paths(messages, ranked, paths_of)
    found = [(scores[number], commit) for number, commit in islice(nearest, SIMILAR)]
    best = found[0][0] if found else 1.0
    return [(score / best, commit) for score, commit in found]


def _with_paths(
    messages: Messages, numbers: Sequence[int], paths_of: PathsOf
) -> Iterator[tuple[int, Commit]]:
    """Yield the commits that have paths, in the order of the numbers."""
    for at in range(0, len(numbers), _ASKED_AT_ONCE):
        commits = messages.commits(numbers[at : at + _ASKED_AT_ONCE])
        asked = [commit.sha for commit in commits.values() if not commit.paths]
        told = paths_of(asked) if asked else {}
        for number, commit in commits.items():
            paths = commit.paths or tuple(told.get(commit.sha, ()))
            if paths:
                yield number, commit._replace(paths=paths)


Wanted = tuple[str, str]
"""A commit's id and a path."""
ChangesOf = Callable[[Sequence[str]], Mapping[str, Sequence[FileDiff]]]
"""Returns the changes of commits by id; commits that git can't read are left out."""

_SHORTEST = 8
"""Characters of a stripped line below which it is too common to be attributed."""
_ATTRIBUTES = ".gitattributes"


class PastChanges:
    """The changes of commits, in relation to the current files.

    A commit never changes, so git is asked once for each. Results that depend on more are stored with their
    other conditions: the content of a file, the visible paths, and git's settings for kinds of files. A
    failure is not stored.
    """

    def __init__(self, index: Index, scanners: Scanners, changes_of: ChangesOf) -> None:
        self._index = index
        self._scanners = scanners
        self._changes_of = changes_of
        self._read: dict[str, Sequence[FileDiff]] = {}
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Free the memory of git's answers."""
        with self._lock:
            self._read.clear()

    def find_standing_lines(
        self, git: Git, wanted: Sequence[Wanted], read: Callable[[str], str]
    ) -> dict[Wanted, Sequence[int]]:
        """Return for each wanted commit and path the numbers of the commit's added lines that still exist.

        `read` returns the text of a path, as the index knows it.
        """
        documents = self._index.documents
        given = dict.fromkeys((f"lines {sha}" for sha, _ in wanted), self._describe_settings(git))
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
        """Yield the numbers of lines that still exist; None if git or the file can't be read."""
        changes = {
            sha: {one.path: one for one in diffs}
            for sha, diffs in self._ask(sha for sha, _ in wanted).items()
        }
        for path, pairs in groupby(sorted(wanted, key=itemgetter(1)), key=itemgetter(1)):
            added = {sha: _find_added(changes.get(sha, {}).get(path)) for sha, _ in pairs}
            lines = _number_lines(path, read, frozenset[str]().union(*added.values()))
            for sha, mine in added.items():
                if lines is None or sha not in changes:
                    yield (sha, path), None
                else:
                    yield (sha, path), sorted(number for line in mine for number in lines.get(line, ()))

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
        """Return the changes of commits, each requested once until `forget`."""
        with self._lock:
            asked = dict.fromkeys(shas)
            unread = [sha for sha in asked if sha not in self._read]
            self._read.update(self._changes_of(unread) if unread else {})
            return {sha: self._read[sha] for sha in asked if sha in self._read}

    def _describe_settings(self, git: Git) -> str:
        """Return the settings that, besides a commit, determine git's output: attributes, history's end."""
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


def _find_added(diff: FileDiff | None) -> Collection[str]:
    """Return the lines that a diff adds, without those too common to be attributed."""
    return () if diff is None else [line for line in find_added_lines(diff) if len(line) >= _SHORTEST]


def _number_lines(
    path: str, read: Callable[[str], str], wanted: Collection[str]
) -> dict[str, list[int]] | None:
    """Return the numbers of each wanted line, without blanks around it; None if a file can't be read."""
    try:
        lines = read(path).split("\n")
    except (OSError, WorkspaceError):  # gone or changed since it was listed: packing reports that
        return None
    found: dict[str, list[int]] = {}
    for number, line in enumerate(map(str.strip, lines), start=1):
        if line in wanted:
            found.setdefault(line, []).append(number)
    return found


T = TypeVar("T")


class GitHistory:
    """A workspace's git data: its commits, its status, and their relation to files and a task.

    Answers are cached while HEAD stays; failures of git are reported to `note`.
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
        self._changes = PastChanges(
            index, redactor.scanners, lambda shas: _read_changes(self._git, shas, note)
        )
        self._begun = 0
        """Number of packs begun; git's status is requested once in each."""
        self._diffs: dict[tuple[str, bool], Sequence[FileDiff]] = {}
        """Changes since a commit, with or without the lines of deleted files, for this pack."""

    def _once(self, name: str, asked: str, make: Callable[[], T]) -> T:
        """Return the result for this state of the repository, made once."""
        return self._memo.again(name, (self._git, asked), make)

    def _past(self) -> Past:
        """Return the past commits; a damaged history is a problem and returns no commits."""

        def read() -> Past:
            return read_history(self._git, self._index.store, self._redactor.scanners)

        return self._once("past", "", lambda: _try_git(read, NO_PAST, self._note))

    def commits(self) -> Sequence[Commit]:
        """Return the newest commits of HEAD, newest first; () without a repository."""

        def read() -> Sequence[Commit]:
            commits = self._past().commits
            for one in commits:
                self._redactor.note_marks(f"{one.subject}\n{one.body}")
            return commits

        return self._once("history", "", read)

    def status(self) -> Status:
        """Return the result of `git.status`, requested once for a pack.

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
        self._diffs.clear()
        if self._git is not None:
            self._git.program.forget_settings()
            self._git.touched = None

    def diff(self, rev: str = "HEAD", *, deleted: bool = True) -> Sequence[FileDiff]:
        """Return the result of `git.diff`, requested once for a pack.

        Raises:
            WorkspaceError: there is no repository, or git fails.
        """
        if self._git is None:
            raise WorkspaceError(str(self._texts.root), "is not a git repository")
        if (rev, deleted) not in self._diffs:
            self._diffs[rev, deleted] = tuple(self._git.diff(rev, deleted=deleted))
        return self._diffs[rev, deleted]

    def blame(self, path: str, lines: Sequence[tuple[int, int]], *, oldest: str = "") -> Sequence[Blamed]:
        """Return the result of `git.blame`, without secrets; () without a history.

        Raises:
            WorkspaceError: git fails.
        """
        if self._git is None or not self.commits():
            return ()
        redact = self._redactor.scanners.redact
        found = self._git.blame(path, lines, oldest=oldest)
        return [line._replace(subject=redact(escape_marks(line.subject)).text) for line in found]

    def recency(self) -> Mapping[str, float]:
        """Score files by how recently a commit touched them, counted from the newest commit: 0..1."""
        commits = self.commits()
        return MappingProxyType(self._once("recency", "", lambda: recency(commits)))

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
        return self._once("votes", task.text, lambda: votes(similar))

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

    def show_diff(
        self, text: str, path: str, *, before: str = "", old_path: str = "", after: str = ""
    ) -> str:
        """Return a diff of a file without secrets that only the whole file reveals, before or after.

        `before` is the commit, a full id or HEAD, whose lines the diff also holds, "" if it holds none, and
        `old_path` is the file's path in it. `after` is the commit whose lines the diff adds, "" for the
        working tree. `redactor.show` removes the other secrets.

        Raises:
            WorkspaceError: a whole file can't be read.
        """
        git = self._git
        hidden = dict(self._texts.hidden_lines(path)) if not after else {}
        if git is not None and before == "HEAD":
            newest = self.commits()
            before = newest[0].sha if newest else git.head()
        sides = ((before, old_path or path), (after, path))
        for rev, held in sides if git is not None else ():
            if git is not None and rev:
                past = find_hidden_lines_in(git.show(rev, held), held, self._redactor.scanners)
                self._redactor.note_marks("\n".join(past.values()))
                hidden.update(past)
        return remove_hidden_lines(text, hidden)

    def forget(self, git: Git | None) -> None:
        """Use `git` from now on, and forget all earlier answers: HEAD may have moved."""
        self._git = git
        self._changes.forget()


def _try_git(ask: Callable[[], T], otherwise: T, note: Callable[[Problem], None]) -> T:
    """Return git's answer; if git fails, note a problem and return `otherwise`."""
    try:
        return ask()
    except WorkspaceError as error:
        note(Problem("git", "history", str(error)))
        return otherwise


def _read_changes(
    git: Git | None, shas: Sequence[str], note: Callable[[Problem], None]
) -> Mapping[str, Sequence[FileDiff]]:
    """Return the changes of commits; a history that git can't read is a problem and returns {}."""
    return _try_git(lambda: git.changes_of(shas), {}, note) if git is not None else {}


COMMITS = 600
"""Newest commits that are used for recency and for files that change together."""
PAST = 4_000
"""Commits whose messages are compared with a task: a similar change may be years old."""
_MESSAGE = 2_000
"""Characters of a message that are kept."""
_HALF_LIFE_DAYS = 60.0
_DAY = 86_400.0


class Past(NamedTuple):
    """The newest commits, and the messages of many more."""

    commits: tuple[Commit, ...]
    messages: Messages | None


NO_PAST = Past((), None)


def read_history(git: Git | None, store: IndexStore, scanners: Scanners) -> Past:
    """Return the newest commits of HEAD, from the store if HEAD has not moved."""
    head = git.head() if git is not None else ""
    if git is None or not head:
        return NO_PAST
    stored = store.recall({"history": head})
    if stored:
        known = tuple(
            Commit(sha, time, subject, body, tuple(paths))
            for sha, time, subject, body, paths in stored["history"]
        )
        return Past(known, Messages(store, head))
    newest = git.log(COMMITS, head=head)
    older = git.log(PAST - COMMITS, head=head, skip=COMMITS, paths=False) if len(newest) == COMMITS else []
    read = _clean([*newest, *older], scanners)
    commits, messages = tuple(read[: len(newest)]), Messages.write(store, head, read)
    store.keep({"history": head}, {"history": commits})
    return Past(commits, messages)


def _clean(commits: Sequence[Commit], scanners: Scanners) -> list[Commit]:
    """Return the commits with redacted and shortened messages."""
    return [
        one._replace(
            subject=scanners.redact(escape_marks(one.subject)).text,
            body=scanners.redact(escape_marks(_opening(one.body))).text,
        )
        for one in commits
    ]


def _opening(body: str) -> str:
    """Return the beginning of a message, cut between words, because half a key is not recognized."""
    return body if len(body) <= _MESSAGE else body[: _MESSAGE + 1].rpartition(" ")[0]


def recency(commits: Sequence[Commit]) -> dict[str, float]:
    """Score files by the age of their newest commit, counted from the newest commit of all: 1 to 0."""
    if not commits:
        return {}
    newest = max(commit.time for commit in commits)
    scores: dict[str, float] = {}
    for commit in commits:
        age_days = (newest - commit.time) / _DAY
        for path in commit.paths:
            scores.setdefault(path, 0.5 ** (age_days / _HALF_LIFE_DAYS))
    return scores


def votes(similar: Sequence[tuple[float, Commit]]) -> dict[str, float]:
    """Score files by the similar commits that touched them; a commit that touches many counts less."""
    scores: dict[str, float] = {}
    for likeness, commit in similar:
        for path in commit.paths:
            scores[path] = scores.get(path, 0.0) + likeness**2 / math.sqrt(len(commit.paths))
    return normalize(scores)
