"""Give providers and scorers read-only access to a workspace; each subject is a part of its own.

A plugin is lent these parts: it can read everything, and change nothing that others see. Results of its
functions are stored under its own name; shared objects come as read-only views or as copies.
"""

from __future__ import annotations

import copy
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

import attrs

from satchel.errors import Problem, WorkspaceError
from satchel.host.answers import plain_text
from satchel.parts import Part, SplitItem
from satchel.paths import absolute
from satchel.private_files import cache_folder
from satchel.redaction.scanning import NO_SCANNERS, Scanners
from satchel.workspace.files.file_list import FileList
from satchel.workspace.files.listing import FileEntry, Vendored, list_files
from satchel.workspace.files.texts import Redactor, Texts
from satchel.workspace.git.log import GitHistory
from satchel.workspace.git.repository import Git, open_git
from satchel.workspace.index.documents import Document, Index, ReportProgress
from satchel.workspace.index.ranking import Ranking, TaskRanking
from satchel.workspace.index.store import IndexStore, Memo, index_file
from satchel.workspace.index.terms import TermStatistics, count_terms

if TYPE_CHECKING:
    from satchel.items import Task
    from satchel.workspace.git.repository import Commit

T = TypeVar("T")


class Change(NamedTuple):
    """A file that differs from an earlier snapshot; `status` is `new`, `changed` or `deleted`."""

    path: str
    status: str


class Snapshot:
    """The files of a workspace at one moment, by path, without their text."""

    __slots__ = ("_documents",)

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents

    def content(self, path: str) -> str:
        """Return a file's content hash, "" if it did not exist or was not read."""
        document = self._documents.get(path)
        return document.content if document is not None else ""

    def changes(self, later: Snapshot) -> tuple[Change, ...]:
        """Return the files that differ in a later snapshot, sorted by path."""
        old, new = self._documents, later._documents
        if old == new:
            return ()
        both = old.keys() & new.keys()
        found = [Change(path, "changed") for path in both if _differs(old[path], new[path])]
        found += [Change(path, "new") for path in new.keys() - both]
        found += [Change(path, "deleted") for path in old.keys() - both]
        return tuple(sorted(found))


def _differs(old: Document, new: Document) -> bool:
    """Compare content hashes; for unread files kind, size and document id, which is new after each change."""
    if old.content or new.content:
        return old.content != new.content
    return (old.kind, old.size, old.id) != (new.kind, new.size, new.id)


BeforeReading = Callable[[Index, Git | None, Sequence[FileEntry]], None]

_MOST_LEARNED = 2_000
"""Items whose parts a long-lived process keeps in memory between packs."""


class Workspace:
    """Read-only access to the files that are packed, for providers and scorers."""

    root: Path
    """The folder."""
    files: FileList
    """The listed files."""
    texts: Texts
    """The texts of files."""
    redactor: Redactor
    """Replaces secrets in other texts, and counts them."""
    git: Git | None
    """The repository, read through a hardened module; None if there is none."""
    history: GitHistory
    """The facts in its commits and its status about files and a task."""
    index: Index
    """Documents and postings."""
    ranking: TaskRanking
    """Files and parts by the words of a task."""
    terms: TermStatistics
    """The words of parts."""
    memo: Memo
    """Results of pack stages, for the next pack of a long-lived process."""
    problems: list[Problem]
    """Problems with reading."""

    def __init__(
        self,
        root: Path,
        git: Git | None,
        index: Index,
        *,
        entries: Sequence[FileEntry],
        vendored: Sequence[Vendored],
        scanners: Scanners = NO_SCANNERS,
    ) -> None:
        self.root = root
        self.git = git
        self.index = index
        self.problems = []
        self._lock = threading.RLock()
        self.memo = Memo()
        self.terms = TermStatistics()
        self.files = FileList(root, index, entries, vendored)
        self.redactor = Redactor(scanners)
        self.texts = Texts(root, index, self.files, self.redactor, self._lock)
        self.ranking = TaskRanking(index, self.terms, self.memo)
        self.history = GitHistory(
            git, index, self.texts, self.redactor, self.ranking, memo=self.memo, note=self._note
        )
        self._listed: Sequence[Problem] = ()

    def _note(self, problem: Problem) -> None:
        self.problems.append(problem)

    @classmethod
    def open(
        cls,
        root: Path | str,
        *,
        cache_dir: Path | None = None,
        wanted: Sequence[str] = (),
        progress: ReportProgress | None = None,
        scanners: Scanners = NO_SCANNERS,
        before_reading: BeforeReading | None = None,
    ) -> Workspace:
        """List the files under `root` and bring its index up to date.

        Args:
            root: a folder.
            cache_dir: where the index is kept; the user's cache folder by default.
            wanted: path prefixes inside vendored folders to list anyway.
            progress: called with a stage, the number of files done and the total.
            scanners: additional secret scanners; each set of them has its own index.
            before_reading: gets index and listing before files are read; files that it adds are not read.

        Raises:
            WorkspaceError: there is no such folder, or it can't be read.
        """
        folder = _check_root(Path(root))
        store = IndexStore.open(index_file(cache_dir or cache_folder(), folder, scanners.key))
        git, problems = open_git(folder)
        listing = list_files(folder, git, wanted=wanted)
        index = Index(store, scanners)
        if before_reading is not None:
            before_reading(index, git, listing.entries)
        workspace = cls(
            folder, git, index, entries=listing.entries, vendored=listing.vendored, scanners=scanners
        )
        workspace._listed = (*problems, *listing.problems, *store.problems)
        unread = index.refresh(listing.entries, workspace.texts.read_bytes, progress)
        workspace.problems = [*workspace._listed, *unread]
        return workspace

    def refresh(
        self, *, touched: Collection[str] | None = None, progress: ReportProgress | None = None
    ) -> None:
        """Look at the files again, as `open` does, and drop cached results about the old ones.

        `touched` are the only paths that can have changed, all of them listed files; None if that is not
        known: then everything is listed again.
        """
        with self._lock:
            if touched is None:
                self._list_again()
            else:
                self.files.look_at(touched)
            known = self.index.documents.keys()
            unread = self.index.refresh(self.files.entries(), self.texts.read_bytes, progress)
            if known != self.index.documents.keys():
                self.files.forget_paths()
            is_calm = touched is not None and not self.problems and len(self.terms) < _MOST_LEARNED
            self.problems = [*self._listed, *unread]
            if is_calm:
                self.begin(touched or ())
            else:
                self.release()

    def _list_again(self) -> None:
        self.git, problems = open_git(self.root)
        self.history.forget(self.git)
        listing = list_files(self.root, self.git)
        self.files.replace(listing.entries, listing.vendored)
        self._listed = (*problems, *listing.problems)

    def begin(self, changed: Collection[str] = ()) -> None:
        """Reset the counts of the last pack, and drop cached texts and rankings that `changed` affects.

        Texts with secrets are read again on demand, so that their secrets are counted again.
        """
        with self._lock:
            self.texts.forget(changed)
            self.files.forget_places()
            self.history.begin()

    def release(self) -> None:
        """Free the memory of texts and splits; they are read again on demand."""
        with self._lock:
            self.texts.forget()
            self.files.forget_places()
            self.history.forget(self.git)
            self.terms.clear()
            self.memo.forget()

    def snapshot(self) -> Snapshot:
        """Return the current state of the files, for `changed`."""
        return Snapshot(self.index.documents)  # never changed in place, only replaced

    def changed(self, since: Snapshot) -> tuple[Change, ...]:
        """Return the files that are new, changed or deleted since a snapshot.

        A bundle has the snapshot of its pack: `workspace.changed(bundle.snapshot)`.
        """
        return since.changes(self.snapshot())

    def close(self) -> None:
        """Close the index."""
        self.index.store.close()

    def lent(self, owner: str) -> Workspace:
        """Return a view for a third-party plugin, by its full name; it can't close or change anything."""
        return LentWorkspace(self, owner)

    def forget(self, path: str, reason: str) -> None:
        """Treat a file as gone because it vanished or changed while it was read, and report a problem."""
        with self._lock:
            self.files.forget(path)
            self.problems += [Problem(path, "read", reason)] if reason else []

    def forget_changed(self) -> None:
        """Forget every file that changed since it was listed, unless its text was read already."""
        for entry in [entry for entry in self.files.entries() if not self.texts.is_read(entry.path)]:
            try:
                facts = (self.root / entry.path).lstat()
                is_same = (facts.st_size, facts.st_mtime_ns, facts.st_ino) == (
                    entry.size,
                    entry.mtime_ns,
                    entry.inode,
                )
            except OSError:
                is_same = False
            if not is_same:
                self.forget(entry.path, "changed while it was being read")


def _check_root(root: Path) -> Path:
    try:
        if not root.exists():
            raise WorkspaceError(str(root), "no such folder; give an existing one with --root")
        if not root.is_dir():
            raise WorkspaceError(str(root), f"is a file, not a folder; did you mean --root {root.parent}?")
        return absolute(root).resolve()
    except OSError as error:
        raise WorkspaceError(str(root), f"can't be opened: {error.strerror}") from error


def count_text_terms(text: str) -> Mapping[str, int]:
    """Count the folded terms of any text, as the index does."""
    return count_terms(text)


class LentWorkspace(Workspace):
    """A read-only view of a workspace for one plugin; see `lending` for its parts."""

    def __init__(self, real: Workspace, owner: str) -> None:
        self._real, self._owner = real, owner
        self.root = real.root
        self.git = copy.copy(real.git)
        self.index = lend_index(real.index)
        self.problems = LentProblems(real.problems, owner)
        self.memo = LentMemo(real.memo, owner)
        self.files = LentFileList(real.files, owner, self.root)
        self.texts = LentTexts(real.texts, owner, self.root)
        self.redactor = LentRedactor(real.redactor, owner, self.root)
        self.history = LentGitHistory(real.history, owner, self.root)
        self.ranking = LentTaskRanking(real.ranking, owner, self.root)
        self.terms = LentTermStatistics(real.terms, owner, self.root)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise WorkspaceError(str(self.root), "is lent to a plugin, which can't close or change it")

    close = refresh = begin = release = forget = forget_changed = _refuse

    def lent(self, owner: str) -> Workspace:
        """Return a view for another plugin."""
        return self._real.lent(owner)


class _Lent:
    """A part of a workspace: it gets all attributes that it lacks from the real part.

    So an attribute that a plugin sets on it stays on it.
    """

    def __init__(self, real: object, owner: str, root: Path) -> None:
        self._real, self._owner, self._folder = real, owner, root

    def __getattr__(self, name: str) -> object:
        if name.startswith("__") or name == "_real":
            raise AttributeError(name)
        return getattr(self._real, name)


def _refuse(self: Any, *_: object, **__: object) -> NoReturn:
    raise WorkspaceError(str(self._folder), "is lent to a plugin, which can't close or change it")


class LentFileList(_Lent, FileList):
    """The files; results of satchel's functions for the paths come as copies."""

    _real: FileList
    replace = look_at = forget = forget_paths = forget_places = _refuse

    def untracked(self) -> Sequence[str]:
        """Return the workspace's result as a tuple."""
        return tuple(self._real.untracked())

    def of_paths(self, make: Callable[[Collection[str]], T]) -> T:
        """Return a function's result for the paths; a copy if the function is satchel's."""
        return _copy_of(make, self._real.of_paths(make))

    def labels(self, name: str, label: Callable[[str], str]) -> Mapping[str, str]:
        """Return a function's labels for the paths, stored for this plugin alone."""
        return self._real.labels(f"{self._owner} {name}", label)


class LentTexts(_Lent, Texts):
    """The texts."""

    _real: Texts
    forget = _refuse

    def derived(self, path: str, name: str, make: Callable[[str], T]) -> T:
        """Return a copy of a function's result for a text, stored for this plugin alone."""
        return copy.deepcopy(self._real.derived(path, f"{self._owner} {name}", make))


class LentRedactor(_Lent, Redactor):
    """The redactor, for texts that are not files."""

    _real: Redactor
    redact_file = count_file = forget_file = note_marks = forget = _refuse

    def redact(self, text: str, path: str = "") -> str:
        """Return the workspace's result."""
        return self._real.redact(text, path)

    def show(self, text: str) -> str:
        """Return the workspace's result."""
        return self._real.show(text)


class LentGitHistory(_Lent, GitHistory):
    """The history, in tuples and read-only mappings."""

    _real: GitHistory
    begin = forget = _refuse

    def commits(self) -> Sequence[Commit]:
        """Return the workspace's result as a tuple."""
        return tuple(self._real.commits())

    def similar(self, task: Task) -> Sequence[tuple[float, Commit]]:
        """Return the workspace's result as a tuple."""
        return tuple(self._real.similar(_with_plain_text(task)))

    def votes(self, task: Task) -> Mapping[str, float]:
        """Return the workspace's result, read-only."""
        return MappingProxyType(self._real.votes(_with_plain_text(task)))


class LentTaskRanking(_Lent, TaskRanking):
    """The rankings, read-only."""

    _real: TaskRanking

    def query(self, task: Task) -> Mapping[str, float]:
        """Return the workspace's result."""
        return self._real.query(_with_plain_text(task))

    def files(self, task: Task) -> Ranking:
        """Return the workspace's result, read-only."""
        found = self._real.files(_with_plain_text(task))
        body, path, name, rarity = map(MappingProxyType, found[:4])
        return found._replace(body=body, path=path, name=name, rarity=rarity)

    def parts(
        self, task: Task, parts: Sequence[Part], *, saturation: float = 1.2, length: float = 0.6
    ) -> Sequence[float]:
        """Return the workspace's result as a tuple."""
        found = self._real.parts(_with_plain_text(task), tuple(parts), saturation=saturation, length=length)
        return tuple(found)


class LentTermStatistics(_Lent, TermStatistics):
    """The words of parts, read-only."""

    _real: TermStatistics
    learn = clear = _refuse

    def term_counts(self, parts: Sequence[Part], terms: Sequence[str]) -> list[Mapping[str, int]]:
        """Return the workspace's result, read-only."""
        return list(map(MappingProxyType, self._real.term_counts(parts, terms)))

    def vocabulary(self, parts: Sequence[Part]) -> list[Mapping[str, int]]:
        """Return the workspace's result, read-only."""
        return list(map(MappingProxyType, self._real.vocabulary(parts)))

    def of_split(self, split: SplitItem, name: str, make: Callable[[SplitItem], T]) -> T:
        """Return a function's result for a split, stored for this plugin alone."""
        return self._real.of_split(split, f"{self._owner} {name}", make)

    def of_items(self, parts: Sequence[Part], make: Callable[[Sequence[Part]], T]) -> list[T]:
        """Return a function's results for the parts of each item; copies if the function is satchel's."""
        return _copy_of(make, self._real.of_items(tuple(parts), make))


def _copy_of(make: object, made: T) -> T:
    """Return a copy if satchel's own function made the result, because others share it."""
    module = getattr(make, "__module__", "")
    return copy.deepcopy(made) if type(module) is str and module.partition(".")[0] == "satchel" else made


def _with_plain_text(task: Task) -> Task:
    """Return the task with a plain `str` as its text, because the text is a cache key."""
    text = plain_text(task.text, "the task's text")
    return task if text is task.text else attrs.evolve(task, text=text)


def lend_index(index: Index) -> Index:
    """Return a read-only view of an index."""
    lent = copy.copy(index)
    lent.documents = MappingProxyType(index.documents)  # type: ignore[assignment]
    lent._numbered = (lent.documents, index.numbered)
    lent.store = _LentStore(index.store)
    lent.refresh = None  # type: ignore[assignment,method-assign]
    return lent


class _LentStore(IndexStore):
    """A read-only view of an index."""

    def __init__(self, real: IndexStore) -> None:
        self._real = real
        self.path, self.problems, self.lock = real.path, real.problems, real.lock
        self.closed_to_writing, self.is_damaged = True, False

    def rows(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        """Return all rows of a SELECT; refuse any other statement."""
        asked = plain_text(query, "a query").lstrip()
        if not asked[:6].upper() == "SELECT":
            raise sqlite3.ProgrammingError("a plugin can only SELECT from the index")
        return self._real.rows(asked, values)

    def close(self) -> None:
        """Refuse, because the index belongs to the workspace."""
        raise WorkspaceError(str(self.path), "is lent to a plugin, which can't close it")


class LentProblems(list[Problem]):
    """The problems so far; a problem that a plugin adds is recorded under its name."""

    def __init__(self, real: list[Problem], owner: str) -> None:
        super().__init__(real)
        self._real, self._owner = real, owner

    def append(self, problem: Problem) -> None:
        """Add a problem of this plugin."""
        _, stage, error, *_ = tuple(problem)
        distribution, _, name = self._owner.partition(":")
        told = " ".join(plain_text(error, "a problem's error").split())[:300]
        self._real.append(Problem(name, plain_text(stage, "a problem's stage")[:60], told, distribution))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add problems."""
        for problem in list(problems)[:100]:
            self.append(problem)


class LentMemo(Memo):
    """One plugin's own part of the memo."""

    def __init__(self, real: Memo, owner: str) -> None:
        super().__init__()
        self._real, self._owner = real, owner

    def recall(self, name: str, given: object) -> object:
        """Return the result for an equal input, None if there is none."""
        return self._real.recall(f"{self._owner} {name}", given)

    def keep(self, name: str, given: object, made: T) -> T:
        """Keep a result with its input."""
        return self._real.keep(f"{self._owner} {name}", given, made)

    def forget(self) -> None:
        """Do nothing, because other plugins share the memo."""
