"""Give providers and scorers read-only access to a workspace: its files, index and git history."""

from __future__ import annotations

import copy
import json
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeVar, cast

import attrs

from satchel.errors import Problem, WorkspaceError
from satchel.escaping import marks_in
from satchel.host.answers import plain_text
from satchel.parts import Part, SplitItem
from satchel.paths import absolute, safe_text
from satchel.private_files import cache_folder
from satchel.questions import inflect, read_question
from satchel.redaction.scanning import NO_SCANNERS, Scanners
from satchel.workspace.files.contents import kind_of, read_bytes, text_of
from satchel.workspace.files.kinds import Kind
from satchel.workspace.files.listing import (
    FileEntry,
    Look,
    Vendored,
    find_hidden_files,
    list_files,
    refresh_entry,
)
from satchel.workspace.files.texts import Hidden, Texts, remove_hidden_lines
from satchel.workspace.git.log import GitHistory, documents_of
from satchel.workspace.git.repository import Git, open_git
from satchel.workspace.index.documents import Document, Index, Progress
from satchel.workspace.index.ranking import Ranking, rank, rank_parts
from satchel.workspace.index.statistics import TermStatistics
from satchel.workspace.index.store import IndexStore, index_file
from satchel.workspace.index.terms import count_terms, fold, query_terms
from satchel.workspace.memo import Memo

if TYPE_CHECKING:
    from collections import Counter

    from satchel.items import Task
    from satchel.parts import Part, SplitItem
    from satchel.workspace.git.patches import Blamed, Status
    from satchel.workspace.git.repository import Commit, StatusCache


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


_Passages = tuple[Sequence[Part], Sequence[float]]

BeforeReading = Callable[[Index, Git | None, Sequence[FileEntry]], None]

_MOST_LEARNED = 2_000
"""Items whose parts a long-lived process keeps in memory between packs."""
_SHORT_LIST = 400
"""Query terms that are looked up: those with the largest weights."""


class Workspace:
    """Read-only access to the files that are packed, for providers and scorers.

    Attributes:
        root: the folder.
        git: its repository, read through a hardened module; None where there is none.
        index: documents and terms.
        problems: what could not be read.
        kept: results of pack stages, for the next pack of a long-lived process.
        is_passing: whether the next answer may differ although nothing changed; a plugin whose source did not
        answer in time sets it, and no answer that depends on it is cached.
    """

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
        self.vendored = tuple(vendored)
        self.problems: list[Problem] = []
        self.is_passing = False
        self.kept = Memo()
        self._scanners = scanners
        self._lock = threading.RLock()
        self._texts = Texts(root, index, scanners, self._lock)
        self._git_history = GitHistory(git, index, scanners, self._note)
        self._statistics = TermStatistics()
        self._status_cache: StatusCache | None = None
        self._untracked: Sequence[str] | None = None
        self._entries = {entry.path: entry for entry in entries}
        self._memo: dict[tuple[str, str], object] = {}
        self._of_paths: dict[object, object] = {}
        self._places_seen: set[str] = set()
        self._listed: Sequence[Problem] = ()
        self._unread: list[Problem] = []

    def _note(self, problem: Problem) -> None:
        self.problems.append(problem)

    @property
    def secrets(self) -> Counter[str]:
        """Secrets that were removed from texts read to be shown, counted by kind."""
        return self._texts.secrets

    @classmethod
    def open(
        cls,
        root: Path | str,
        *,
        cache_dir: Path | None = None,
        wanted: Sequence[str] = (),
        progress: Progress | None = None,
        scanners: Scanners = NO_SCANNERS,
        look: Look | None = None,
        before_reading: BeforeReading | None = None,
    ) -> Workspace:
        """List the files under `root` and bring its index up to date.

        Args:
            root: a folder.
            cache_dir: where the index is kept; the user's cache folder by default.
            wanted: path prefixes inside vendored folders to list anyway.
            progress: called with a stage, the number of files done and the total.
            scanners: additional secret scanners; each set of them has its own index.
            look: a recent listing; it is used if it has the same root and `wanted`.
            before_reading: is handed index and listing before files are read; what it writes is not.

        Raises:
            WorkspaceError: there is no such folder, or it can't be read.
        """
        folder = _check_root(Path(root))
        store = IndexStore.open(index_file(cache_dir or cache_folder(), folder, scanners.key))
        if look is None or (look.root, look.wanted) != (folder, tuple(wanted)):
            git, problems = open_git(folder)
            listing = list_files(folder, git, wanted=wanted, store=store)
        else:
            (git, listing), problems = look[2:], ()
        index = Index(store, scanners)
        if before_reading is not None:
            before_reading(index, git, listing.entries)
        workspace = cls(
            folder, git, index, entries=listing.entries, vendored=listing.vendored, scanners=scanners
        )
        workspace._listed = (*problems, *listing.problems, *store.problems)
        workspace._unread = index.refresh(listing.entries, workspace.read_bytes, progress)
        workspace.problems = [*workspace._listed, *workspace._unread]
        return workspace

    def refresh(self, *, touched: Collection[str] | None = None, progress: Progress | None = None) -> None:
        """Look at the files again, as `open` does, and drop what was cached about the old ones.

        `touched` are the only paths that can have changed, all of them listed files; None if that is not
        known: then everything is listed again.
        """
        with self._lock:
            looked = None if touched is None else self._look_at_files(touched)
            if looked is None:
                self._list_again()
            known = self.index.documents
            unread = self.index.refresh(self._entries.values(), self.read_bytes, progress, touched=looked)
            if not _has_same_paths(known, self.index.documents, touched):
                self._of_paths.clear()
            is_calm = looked is not None and not self.problems and len(self._statistics) < _MOST_LEARNED
            still = [one for one in self._unread if one.plugin not in (touched or ())]
            self._unread = sorted({*still, *unread})
            self.problems = [*self._listed, *self._unread]
            if is_calm:
                self.begin(touched or ())
            else:
                self.release()

    def _look_at_files(self, touched: Collection[str]) -> list[FileEntry]:
        """Stat single files, and return their current entries."""
        looked = [refresh_entry(self.root, self._entries[path]) for path in sorted(touched)]
        self._entries.update((entry.path, entry) for entry in looked)
        if not all(entry.tracked for entry in looked):
            self._untracked = None
        if self._status_cache is not None:
            self._status_cache.touch(touched)
        return looked

    def _list_again(self) -> None:
        self.git, problems = open_git(self.root)
        self._git_history = GitHistory(self.git, self.index, self._scanners, self._note)
        self._status_cache = self._untracked = None
        listing = list_files(self.root, self.git, store=self.index.store)
        self._entries, self.vendored = {one.path: one for one in listing.entries}, listing.vendored
        self._listed, self._unread = (*problems, *listing.problems), []

    def begin(self, changed: Collection[str] = ()) -> None:
        """Reset the counts of the last pack, and drop cached texts and rankings that `changed` affects.

        Texts with secrets are read again on demand, so that their secrets are counted again.
        """
        with self._lock:
            self._texts.forget(changed)
            self._places_seen.clear()
            if changed:
                self._memo = {key: value for key, value in self._memo.items() if key[0] == "query"}

    def release(self) -> None:
        """Free the memory of texts and splits; they are read again on demand."""
        with self._lock:
            self._texts.forget()
            self._places_seen.clear()
            self._git_history.forget()
            self._statistics.clear()
            self._memo.clear()
            self.kept.forget()

    def is_listed(self, path: str, *, below: bool = False) -> bool:
        """Tell whether this regular file is listed, or with `below` anything in this folder."""
        entry = self._entries.get(path)
        if entry is None:
            return below and any(one.startswith(f"{path}/") for one in self._entries)
        return entry.kind == "file"

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
            self._entries.pop(path, None)
            self._untracked = None
            self.index.documents = {
                known: one for known, one in self.index.documents.items() if known != path
            }
            self._memo.clear()
            self._of_paths.clear()
            self.problems += [Problem(path, "read", reason)] if reason else []

    def forget_changed(self) -> None:
        """Forget every file that changed since it was listed, unless its text was read already."""
        for entry in [entry for entry in self.files() if not self._texts.is_read(entry.path)]:
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

    def entry(self, path: str) -> FileEntry | None:
        """Return the entry of a file that is not ignored, None if there is none."""
        return self._entries.get(path)

    def files(self) -> Sequence[FileEntry]:
        """Return every file that is not ignored, by path."""
        return tuple(self._entries.values())

    def untracked(self) -> Sequence[str]:
        """Return the paths of all files that git does not track, as they were listed."""
        if self._untracked is None:
            self._untracked = [
                entry.path for entry in self.files() if not entry.tracked and entry.kind != "folder"
            ]
        return self._untracked

    def hidden_files(self, folders: Iterable[str], is_meant: Callable[[str], bool]) -> Sequence[FileEntry]:
        """Return the files directly in these folders that git ignores and `is_meant` takes, by path.

        What `.satchelignore` names stays out. A cached answer expires when one of them, or a folder, changes.
        """
        places = list(folders)
        found = find_hidden_files(self.root, places, is_meant, listed=self._entries)
        self._places_seen.update(places, (entry.path for entry in found))
        return found

    def read_hidden(self, path: str, *, most_bytes: int) -> str:
        """Return the text of a file that `hidden_files` returned, with a mark in place of each secret.

        Raises:
            WorkspaceError: it can't be read, is no text, or is larger.
        """
        if path not in self._places_seen or path in self._entries:
            raise WorkspaceError(safe_text(path), "is not a file that `hidden_files` returned")
        content = read_bytes(self.root, path, most_bytes)
        kind = kind_of(path, content)
        if kind in (Kind.BINARY, Kind.CREDENTIALS):
            raise WorkspaceError(safe_text(path), f"is not read: {kind}")
        return self.cleaned(text_of(path, content), path)

    def places_seen(self) -> Sequence[str]:
        """Return the folders and files that `hidden_files` looked at since `begin`."""
        return sorted(self._places_seen)

    def of_paths(self, make: Callable[[Collection[str]], T], *, kept: str = "") -> T:
        """Return a function's result for the paths of all files; it is called again when one comes or goes.

        `make` is a module-level function that depends on nothing but the paths. Its result is shared, so
        callers must not change it. With `kept`, a JSON result is stored in the index for the next process:
        `kept` is its name there, and changes with the function; tuples come back as lists.
        """
        if make not in self._of_paths:
            paths = self.index.documents.keys()
            self._of_paths[make] = self._load_or_make(make, kept, paths) if kept else make(paths)
        return cast("T", self._of_paths[make])

    def _load_or_make(self, make: Callable[[Collection[str]], T], name: str, paths: Collection[str]) -> T:
        """Return the index's result for exactly these paths, or make and store it."""
        digest = self.of_paths(_digest)
        fact, store = f"of all paths: {name}", self.index.store
        rows = store.rows("SELECT value FROM facts WHERE name = ?", (fact,))
        known, _, value = str(rows[0][0]).partition(" ") if rows else ("", "", "")
        if known != digest:
            value = json.dumps(make(paths))
            insert = "INSERT OR REPLACE INTO facts VALUES (?, ?)"
            store.remember(lambda connection: connection.execute(insert, (fact, f"{digest} {value}")))
        return cast("T", store.decode(value))

    def document(self, path: str) -> Document | None:
        """Return the index's document of a file, None if it has none."""
        return self.index.documents.get(path)

    def read_bytes(self, path: str) -> bytes:
        """Return the bytes of a file inside the root."""
        return self._texts.read_bytes(path)

    def texts_read(self) -> Sequence[str]:
        """Return the paths of the files whose text was read since they were listed."""
        return self._texts.paths()

    def read(self, path: str) -> str:
        r"""Return the text of a file inside the root as a document shows it.

        A mark replaces each secret; hidden characters and text that looks like a mark are shown as `\u{...}`.

        Raises:
            WorkspaceError: it can't be read, or differs from the index, so that counts would be wrong.
        """
        return self._texts.read(path)

    def read_ahead(self, path: str) -> str:
        """Return what `read` does, without counting the file's secrets.

        It is for callers that store what they make of the text in the index. The secrets count once the file
        is read to be shown, so a pack reports the same number whether a file was split for it or before.
        """
        return self._texts.read_ahead(path)

    def source(self, path: str) -> str:
        """Return the decoded text of a file inside the root, with a mark in place of each secret.

        Raises:
            WorkspaceError: as `read`.
        """
        return self._texts.source(path)

    def derived(self, path: str, name: str, make: Callable[[str], T]) -> T:
        """Return a function's result for a file's text, from the index while the content is the same.

        `name` identifies the function, and changes with it. The result is JSON: tuples come back as lists.

        Raises:
            WorkspaceError: as `read`, if the text has to be read.
        """
        return self._texts.derived(path, name, make)

    def cleaned(self, text: str, path: str = "") -> str:
        """Return a text with a mark in place of each secret, and count the secrets by kind."""
        return self._texts.cleaned(text, path)

    def clean(self, text: str) -> str:
        """Return what `cleaned` does, as documents show it; remember a text without secrets."""
        return self._texts.clean(text)

    def clean_lines(self, text: str, path: str, *, before: str = "", old_path: str = "") -> str:
        """Return lines of a file, or a diff of it, without secrets that only the whole file reveals.

        An example is the middle of a private key; `clean` removes the rest. `before` is the commit, a full id
        or HEAD, whose lines a diff also holds, and `old_path` is the file's path in it.

        Raises:
            WorkspaceError: a whole file can't be read.
        """
        found = dict(self._texts.hidden_lines(path))
        if before and self.git is not None:
            found.update(self._hidden_before(self.git, before, old_path or path))
        return remove_hidden_lines(text, found)

    def _hidden_before(self, git: Git, commit: str, path: str) -> Hidden:
        if commit == "HEAD":
            newest = self.history()
            commit = newest[0].sha if newest else git.head()
        return self._texts.hidden_before(commit, path, lambda: git.show(commit, path)) if commit else {}

    def status(self) -> Status:
        """Return what `git.status` does; in a watched workspace git checks only the touched files.

        Raises:
            WorkspaceError: there is no repository, or git fails.
        """
        if self.git is None:
            raise WorkspaceError(str(self.root), "is not a git repository")
        with self._lock:
            if self._status_cache is None:
                from satchel.workspace.git.repository import StatusCache

                self._status_cache = StatusCache(self.git)
            standing = self._status_cache
        found = standing.status()
        branch = self.clean(found.branch) if found.branch else ""
        return found._replace(branch=branch) if marks_in(branch) else found

    def history(self) -> Sequence[Commit]:
        """Return the newest commits of HEAD, newest first; () without a repository."""
        with self._lock:
            return self._git_history.history(self._texts.marks)

    def blame(self, path: str, lines: Sequence[tuple[int, int]], *, oldest: str = "") -> Sequence[Blamed]:
        """Return what `git.blame` does, cached while HEAD stays; () without a history.

        Raises:
            WorkspaceError: git fails.
        """
        history = self.history()
        return self._git_history.blame(history[0].sha, path, lines, oldest=oldest) if history else ()

    def recency(self) -> Mapping[str, float]:
        """Score files by how recently a commit touched them, counted from the newest commit: 0..1."""
        return MappingProxyType(self._git_history.recency(self.history()))

    def query(self, task: Task) -> Mapping[str, float]:
        """Return the task's terms with their weights."""
        with self._lock:
            if ("query", task.text) not in self._memo:
                terms = query_terms(_strip_task(task.text))
                heaviest = sorted(terms, key=lambda term: (-terms[term], term))[:_SHORT_LIST]
                asked = {term: terms[term] for term in heaviest}
                self._memo["query", task.text] = MappingProxyType(asked)  # shared by all callers
            return self._memo["query", task.text]  # type: ignore[return-value]

    def ranking(self, task: Task) -> Ranking:
        """Score all files for the task by the words in them, in their paths and in their names.

        For a question, the words that its answer may use count too.
        """
        with self._lock:
            if ("ranking", task.text) not in self._memo:
                ranking = rank(self.index, _add_question_terms(self.query(task), task.text))
                self._memo["ranking", task.text] = self.kept.same("ranking", ranking)
            return self._memo["ranking", task.text]  # type: ignore[return-value]

    def similar(self, task: Task) -> Sequence[tuple[float, Commit]]:
        """Return past commits whose messages resemble the task, most similar first, scored 1 to 0."""
        return self._git_history.similar(task.text, self.query(task))

    def votes(self, task: Task) -> Mapping[str, float]:
        """Score files by past commits whose messages resemble the task: 0..1."""
        return self._git_history.votes(task.text, self.query(task))

    def brought_lines(
        self, commits: Sequence[Commit], paths: Collection[str]
    ) -> Mapping[tuple[str, str], Sequence[int]]:
        """Return, by commit id and path, the numbers of lines that a commit added and that still exist.

        If git can't read the history, that is a problem and the result is empty.
        """
        return self._git_history.find_brought_lines(commits, documents_of(self.index, paths), self.read_ahead)

    def changed_words(self, commits: Sequence[Commit]) -> Mapping[str, Mapping[str, int]]:
        """Return, by commit id, the commonest folded terms of the lines that a commit changed in its paths.

        The key "" has the number of all terms. If git can't read the history, that is a problem and the
        result is empty.
        """
        return self._git_history.count_changed_words(commits)

    def learn(self, item: str, split: SplitItem) -> None:
        """Remember how an item was split, so that scorers can ask for the terms of its parts."""
        self._statistics.learn(item, split)

    def learned(self, item: str) -> SplitItem | None:
        """Return an item's latest split, None if it was not split."""
        return self._statistics.last_split(item)

    def of_split(self, split: SplitItem, name: str, make: Callable[[SplitItem], T]) -> T:
        """Return a function's result for an item's split, made once; `name` identifies the function."""
        return self._statistics.of_split(split, name, make)

    def of_items(self, parts: Sequence[Part], make: Callable[[Sequence[Part]], T]) -> list[T]:
        """Return a function's results for the parts of each item, in the order of the items.

        `make` is a module-level function that depends on nothing but the parts. It is called once for each
        item while its parts stay the same. Its results are shared, so callers must not change them.
        """
        return self._statistics.of_items(parts, make)

    def term_counts(self, parts: Sequence[Part], terms: Sequence[str]) -> list[Mapping[str, int]]:
        """Return for each part how often it holds each of the folded terms; absent ones are left out."""
        return self._statistics.term_counts(parts, terms)

    def passages(
        self, task: Task, parts: Sequence[Part], *, saturation: float = 1.2, length: float = 0.6
    ) -> Sequence[float]:
        """Score parts by the task's words in them, by BM25 with k1 and b: 0..1, the best 1."""
        with self._lock:
            key = ("passages", f"{saturation} {length} {task.text}")
            asked, scores = cast("_Passages", self._memo.get(key, ((), ())))
            if asked != parts or not parts:
                query = self.query(task)
                counts = self.term_counts(parts, list(query))
                scores = rank_parts(query, counts, self.lengths(parts), saturation=saturation, length=length)
                self._memo[key] = tuple(parts), scores
            return scores

    def vocabulary(self, parts: Sequence[Part]) -> list[Mapping[str, int]]:
        """Return for each part how often it holds each of all its folded terms."""
        return self._statistics.vocabulary(parts)

    def holders(self, terms: Iterable[str], items: Collection[str]) -> dict[str, int]:
        """Return how many of the items, by id, hold each of the folded terms."""
        return self._statistics.holders(terms, items)

    def lengths(self, parts: Sequence[Part]) -> list[int]:
        """Return the number of terms in each part."""
        return self._statistics.lengths(parts)


def _has_same_paths(
    before: Mapping[str, Document], after: Mapping[str, Document], touched: Collection[str] | None
) -> bool:
    """Tell whether the paths are the same; if `touched` is given, only those are compared."""
    if touched is not None and len(before) == len(after):
        return all((path in before) == (path in after) for path in touched)
    return before.keys() == after.keys()


def _check_root(root: Path) -> Path:
    try:
        if not root.exists():
            raise WorkspaceError(str(root), "no such folder; give an existing one with --root")
        if not root.is_dir():
            raise WorkspaceError(str(root), f"is a file, not a folder; did you mean --root {root.parent}?")
        return absolute(root).resolve()
    except OSError as error:
        raise WorkspaceError(str(root), f"can't be opened: {error.strerror}") from error


def _add_question_terms(query: Mapping[str, float], text: str) -> Mapping[str, float]:
    """Return a query with the words that the answer to a question may use; unchanged for other tasks."""
    found = read_question(text).terms
    if not found:
        return query
    terms = dict(query)
    for one, weight in found.items():
        for word in inflect(one):
            terms[fold(word)] = max(terms.get(fold(word), 0.0), weight)
    return terms


def _strip_task(text: str) -> str:
    """Return a task without the boilerplate of a report form; a single line has none."""
    if "\n" not in text:
        return text
    from satchel.references.boilerplate import strip_boilerplate

    return strip_boilerplate(text)


def _digest(paths: Collection[str]) -> str:
    return blake2b("\0".join(paths).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def count_text_terms(text: str) -> Mapping[str, int]:
    """Count the folded terms of any text, as the index does."""
    return count_terms(text)


T = TypeVar("T")


class LentWorkspace(Workspace):
    """A read-only view of a workspace for one plugin.

    Results of the plugin's functions (`derived`, `of_paths`, `of_split`) are stored under its own name;
    shared results (`query`, `recency`, `ranking`, ...) are read-only views.
    """

    def __init__(self, real: Workspace, owner: str) -> None:
        self.__dict__.update(real.__dict__)
        self._real, self._owner = real, owner
        self.git = copy.copy(real.git)
        self.index = _lent_index(real.index)
        self.problems = _LentProblems(real.problems, owner)
        self.kept = _PluginMemo(real.kept, owner)

    @property
    def is_passing(self) -> bool:
        """Whether the next answer may differ although nothing changed; a plugin can only set it."""
        return self._real.is_passing

    @is_passing.setter
    def is_passing(self, value: bool) -> None:
        self._real.is_passing |= value is True

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise WorkspaceError(str(self.root), "is lent to a plugin, which can't close or change it")

    close = refresh = begin = release = forget = forget_changed = learn = _refuse

    def lent(self, owner: str) -> Workspace:
        """Return a view for another plugin."""
        return self._real.lent(owner)

    def query(self, task: Task) -> Mapping[str, float]:
        """Return what the workspace does."""
        return self._real.query(_with_plain_text(task))

    def recency(self) -> Mapping[str, float]:
        """Return what the workspace does."""
        return self._real.recency()

    def ranking(self, task: Task) -> Ranking:
        """Return what the workspace does, read-only."""
        found = self._real.ranking(_with_plain_text(task))
        body, path, name, rarity = map(MappingProxyType, found[:4])
        return found._replace(body=body, path=path, name=name, rarity=rarity)

    def history(self) -> Sequence[Commit]:
        """Return what the workspace does, as a tuple."""
        return tuple(self._real.history())

    def untracked(self) -> Sequence[str]:
        """Return what the workspace does, as a tuple."""
        return tuple(self._real.untracked())

    def similar(self, task: Task) -> Sequence[tuple[float, Commit]]:
        """Return what the workspace does, as a tuple."""
        return tuple(self._real.similar(_with_plain_text(task)))

    def votes(self, task: Task) -> Mapping[str, float]:
        """Return what the workspace does, read-only."""
        return MappingProxyType(self._real.votes(_with_plain_text(task)))

    def passages(
        self, task: Task, parts: Sequence[Part], *, saturation: float = 1.2, length: float = 0.6
    ) -> Sequence[float]:
        """Return what the workspace does, as a tuple."""
        found = self._real.passages(
            _with_plain_text(task), tuple(parts), saturation=saturation, length=length
        )
        return tuple(found)

    def term_counts(self, parts: Sequence[Part], terms: Sequence[str]) -> list[Mapping[str, int]]:
        """Return what the workspace does, read-only."""
        return list(map(MappingProxyType, self._real.term_counts(parts, terms)))

    def vocabulary(self, parts: Sequence[Part]) -> list[Mapping[str, int]]:
        """Return what the workspace does, read-only."""
        return list(map(MappingProxyType, self._real.vocabulary(parts)))

    def of_paths(self, make: Callable[[Collection[str]], T], *, kept: str = "") -> T:
        """Return a function's result for the paths; a copy if the function is satchel's."""
        return _copy_of(make, self._real.of_paths(make, kept=f"{self._owner} {kept}" if kept else ""))

    def of_split(self, split: SplitItem, name: str, make: Callable[[SplitItem], T]) -> T:
        """Return a function's result for a split, stored for this plugin alone."""
        return self._real.of_split(split, f"{self._owner} {name}", make)

    def of_items(self, parts: Sequence[Part], make: Callable[[Sequence[Part]], T]) -> list[T]:
        """Return a function's results for the parts of each item; copies if the function is satchel's."""
        return _copy_of(make, self._real.of_items(tuple(parts), make))

    def derived(self, path: str, name: str, make: Callable[[str], T]) -> T:
        """Return a copy of a function's result for a text, stored for this plugin alone."""
        return copy.deepcopy(self._real.derived(path, f"{self._owner} {name}", make))


def _copy_of(make: object, made: T) -> T:
    """Return a copy if satchel's own function made the result, because others share it."""
    module = getattr(make, "__module__", "")
    return copy.deepcopy(made) if type(module) is str and module.partition(".")[0] == "satchel" else made


def _with_plain_text(task: Task) -> Task:
    """Return the task with a plain `str` as its text, because the text is a cache key."""
    text = plain_text(task.text, "the task's text")
    return task if text is task.text else attrs.evolve(task, text=text)


def _lent_index(index: Index) -> Index:
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


class _LentProblems(list[Problem]):
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


class _PluginMemo(Memo):
    """One plugin's own part of the memo."""

    def __init__(self, real: Memo, owner: str) -> None:
        self._real, self._owner = real, owner

    def recall(self, name: str, given: object) -> object:
        """Return the result for an equal input, None if there is none."""
        return self._real.recall(f"{self._owner} {name}", given)

    def keep(self, name: str, given: object, made: T) -> T:
        """Keep a result with its input."""
        return self._real.keep(f"{self._owner} {name}", given, made)

    def forget(self) -> None:
        """Do nothing, because other plugins share the memo."""
