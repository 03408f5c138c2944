"""The workspace as providers and scorers see it: its files, what the index and the history tell of them."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from satchel.errors import Problem, WorkspaceError
from satchel.items import Task
from satchel.parts import Part, Split
from satchel.scanning import NO_SCANNERS, Scanners
from satchel.showing.marks import marks_in, shown, without_marks
from satchel.workspace import history as _history
from satchel.workspace import hunks as _hunks
from satchel.workspace import wording as _wording
from satchel.workspace.contents import is_binary, read_bytes, text_of
from satchel.workspace.files import FileEntry, Vendored, list_files, looked_at
from satchel.workspace.git import Commit, Git, open_git
from satchel.workspace.index import Document, Index, Progress, content_hash
from satchel.workspace.likeness import similar_commits
from satchel.workspace.patches import Blamed
from satchel.workspace.places import cache_folder
from satchel.workspace.ranking import Ranking, rank, rank_parts
from satchel.workspace.snapshots import Change, Snapshot
from satchel.workspace.store import Store, index_file
from satchel.workspace.terms import count_terms, query_terms

T = TypeVar("T")

_CLEAN = "secrets 1"
"""Key of the texts that hold no secret; it changes with the rules."""
_LARGEST_FILE = 64 * 1024 * 1024
"""Bytes of a file that are read at most."""
_MOST_LEARNED = 2_000
"""Items whose parts a long-lived process keeps at hand from one pack to the next."""
_OF_HISTORY = frozenset({"history", "past", "query", "recency", "similar"})
"""What does not change with the files."""
_SHORT_LIST = 400
"""Terms of a query that are looked up: the heaviest."""


class Workspace:
    """What providers and scorers may ask of the files that are packed. Read-only.

    Attributes:
        root: the folder.
        git: its repository, read through a hardened module; None where there is none.
        index: documents and terms.
        problems: what could not be read.
        secrets: how many secrets of each kind were taken out of the texts that were read.
        is_passing: whether what was told of it may be otherwise the next time although nothing changed;
            a plugin that got no answer in time sets it, and no answer made of it is kept.
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
        self._scanners = scanners
        self.secrets: Counter[str] = Counter()
        self.is_passing = False
        self._entries = {entry.path: entry for entry in entries}
        self._texts: dict[str, str] = {}
        self._sources: dict[str, str] = {}
        self._marks: set[str] = set()
        self._splits: dict[str, Split] = {}
        self._memo: dict[tuple[str, str], object] = {}
        self._of_paths: dict[object, object] = {}
        self._listed: Sequence[Problem] = ()
        self._unread: list[Problem] = []
        self._lock = threading.RLock()

    @classmethod
    def open(
        cls,
        root: Path | str,
        *,
        cache_dir: Path | None = None,
        wanted: Sequence[str] = (),
        progress: Progress | None = None,
        scanners: Scanners = NO_SCANNERS,
    ) -> Workspace:
        """List the files under `root` and bring its index up to date.

        Args:
            root: a folder.
            cache_dir: where the index is kept; the user's cache folder by default.
            wanted: path prefixes inside vendored folders that are listed all the same.
            progress: called with a stage, the files done and all files.
            scanners: what finds secrets beside what satchel finds; the index is kept for each set of them.

        Raises:
            WorkspaceError: there is no such folder, or it can't be read.
        """
        folder = _checked_root(Path(root))
        git, problems = open_git(folder)
        store = Store.open(index_file(cache_dir or cache_folder(), folder, scanners.key))
        listing = list_files(folder, git, wanted=wanted, store=store)
        index = Index(store, scanners)
        workspace = cls(
            folder, git, index, entries=listing.entries, vendored=listing.vendored, scanners=scanners
        )
        workspace._listed = (*problems, *listing.problems, *store.problems)
        workspace._unread = index.refresh(listing.entries, workspace.read_bytes, progress)
        workspace.problems = [*workspace._listed, *workspace._unread]
        return workspace

    def refresh(self, *, touched: Collection[str] | None = None, progress: Progress | None = None) -> None:
        """Look at the files again, as `open` does; what was remembered of the old ones is forgotten.

        `touched` are the only paths that can have changed, all of them listed files; None where that
        is not known: then everything is listed anew.
        """
        with self._lock:
            looked = None if touched is None else self._looked(touched)
            if looked is None:
                self._list_again()
            known = self.index.documents.keys()
            entries = tuple(self._entries.values())
            unread = self.index.refresh(entries, self.read_bytes, progress, touched=looked)
            if self.index.documents.keys() != known:
                self._of_paths.clear()
            is_calm = looked is not None and not self.problems and len(self._splits) < _MOST_LEARNED
            still = [one for one in self._unread if one.plugin not in (touched or ())]
            self._unread = sorted({*still, *unread})
            self.problems = [*self._listed, *self._unread]
            if is_calm:
                self.begin(touched or ())
            else:
                self.release()

    def _looked(self, touched: Collection[str]) -> list[FileEntry]:
        """Look at single files, and return how they stand now."""
        looked = [looked_at(self.root, self._entries[path]) for path in sorted(touched)]
        self._entries.update((entry.path, entry) for entry in looked)
        return looked

    def _list_again(self) -> None:
        self.git, problems = open_git(self.root)
        listing = list_files(self.root, self.git, store=self.index.store)
        self._entries, self.vendored = {one.path: one for one in listing.entries}, listing.vendored
        self._listed, self._unread = (*problems, *listing.problems), []

    def begin(self, changed: Collection[str] = ()) -> None:
        """Forget what was counted for the last pack, and of what was read and ranked what `changed` changes.

        Texts with secrets are read again by whoever wants them, so that the secrets are counted again.
        """
        with self._lock:
            self.secrets.clear()
            known = {path: self.document(path) for path in self._sources.keys() - set(changed)}
            plain = {path for path, document in known.items() if document and not document.secrets}
            self._sources = {path: self._sources[path] for path in plain}
            self._texts = {path: text for path, text in self._texts.items() if path in plain}
            if changed:
                self._memo = {key: value for key, value in self._memo.items() if key[0] in _OF_HISTORY}

    def release(self) -> None:
        """Give back the memory of what was read and split; it is read again where somebody asks again."""
        with self._lock:
            self.secrets.clear()
            for remembered in (self._texts, self._sources, self._splits, self._memo):
                remembered.clear()

    def is_listed(self, path: str, *, below: bool = False) -> bool:
        """Tell whether a regular file of this path is listed, or with `below` anything in such a folder."""
        entry = self._entries.get(path)
        if entry is None:
            return below and any(one.startswith(f"{path}/") for one in self._entries)
        return entry.kind == "file"

    def snapshot(self) -> Snapshot:
        """Return what the files hold now, for `changed`."""
        return Snapshot(dict(self.index.documents))

    def changed(self, since: Snapshot) -> tuple[Change, ...]:
        """Return the files that are new, changed or deleted since a snapshot, or since a pack's.

        A bundle has the snapshot of its pack: `workspace.changed(bundle.snapshot)`.
        """
        return since.changes(self.snapshot())

    def close(self) -> None:
        """Close the index."""
        self.index.store.close()

    def forget(self, path: str, reason: str) -> None:
        """Take a file for gone, because it vanished or changed while it was read; that is a problem."""
        with self._lock:
            self._entries.pop(path, None)
            self.index.documents.pop(path, None)
            self._memo.clear()
            self._of_paths.clear()
            self.problems += [Problem(path, "read", reason)] if reason else []

    def forget_changed(self) -> None:
        """Forget every file that is not what was listed any more, unless its text is known already."""
        for entry in [entry for entry in self.files() if entry.path not in self._texts]:
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

    def files(self) -> Sequence[FileEntry]:
        """Return every file that is not ignored, by path."""
        return tuple(self._entries.values())

    def of_paths(self, make: Callable[[Collection[str]], T]) -> T:
        """Return what a function makes of the paths of all files; it is asked again when one comes or goes.

        `make` is a function of a module and looks at nothing but the paths. What it returns is shared:
        whoever takes it changes nothing in it.
        """
        if make in self._of_paths:
            return self._of_paths[make]  # type: ignore[return-value]
        made = self._of_paths[make] = make(self.index.documents.keys())
        return made

    def document(self, path: str) -> Document | None:
        """Return what the index knows of a file."""
        return self.index.documents.get(path)

    def read_bytes(self, path: str) -> bytes:
        """Return the bytes of a file inside the root."""
        return read_bytes(self.root, path, _LARGEST_FILE)

    def texts_read(self) -> Sequence[str]:
        """Return the paths of the files whose text was read since they were listed."""
        return tuple(self._sources)

    def read(self, path: str) -> str:
        r"""Return the text of a file inside the root as a document shows it.

        A mark stands in the place of each secret; what hides in the text, or looks like a mark
        and is none, is shown as `\u{...}`.

        Raises:
            WorkspaceError: it can't be read, or is not what the index has seen: counts would not fit.
        """
        with self._lock:
            if path not in self._texts:
                self._texts[path] = shown(self.source(path))
            return self._texts[path]

    def source(self, path: str) -> str:
        """Return the decoded text of a file inside the root, a mark in the place of each secret.

        Raises:
            WorkspaceError: as `read`.
        """
        with self._lock:
            if path not in self._sources:
                data, document = self.read_bytes(path), self.document(path)
                if document is not None and document.content not in ("", content_hash(data)):
                    raise WorkspaceError(path, "changed while it was being read; run the command again")
                if is_binary(data):
                    raise WorkspaceError(path, f"is binary, {len(data):,} bytes: there is no text to show")
                text = text_of(path, data)
                if document is None or not document.content:
                    self._sources[path] = self.cleaned(text, path)
                elif document.secrets:
                    self._sources[path] = self._cleaned_once(text, document)
                else:
                    self._sources[path] = without_marks(text)
            return self._sources[path]

    def _cleaned_once(self, text: str, document: Document) -> str:
        """Return what `cleaned` does of a file with secrets, remembered with their kinds."""
        name = f"{_CLEAN} {document.content} {document.path}"
        rows = self.index.store.rows("SELECT value FROM facts WHERE name = ?", (name,))
        if rows:
            clean, kinds = json.loads(str(rows[0][0]))
            self.secrets.update(kinds)
            self._marks.update(marks_in(clean))
            return str(clean)
        before = self.secrets.copy()
        clean = self.cleaned(text, document.path)
        value = json.dumps([clean, self.secrets - before])
        insert = "INSERT OR REPLACE INTO facts VALUES (?, ?)"
        self.index.store.remember(lambda connection: connection.execute(insert, (name, value)))
        return clean

    def cleaned(self, text: str, path: str = "") -> str:
        """Return a text with a mark in the place of each secret, and remember their kinds."""
        redacted = self._scanners.redact(without_marks(text, self._marks), path=path)
        self.secrets.update(finding.kind for finding in redacted.found)
        self._marks.update(marks_in(redacted.text))
        return redacted.text

    def clean(self, text: str) -> str:
        """Return what `cleaned` does as a document shows it; that no secret is in it is remembered."""
        hash_ = blake2b(text.encode("utf-8", "replace"), digest_size=12).digest()
        query = "SELECT tokens FROM counts WHERE key = ? AND hash = ?"
        if self.index.store.rows(query, (_CLEAN, hash_)):
            return shown(text)
        redacted = self.cleaned(text)
        if redacted == text:
            insert = "INSERT OR REPLACE INTO counts VALUES (?, ?, 0)"
            self.index.store.remember(lambda connection: connection.execute(insert, (_CLEAN, hash_)))
        return shown(redacted)

    def history(self) -> Sequence[Commit]:
        """Return the newest commits of HEAD, newest first; () without a repository."""
        with self._lock:
            if ("history", "") not in self._memo:
                commits = self._past().commits
                told = (marks_in(f"{commit.subject}\n{commit.body}") for commit in commits)
                self._marks.update(mark for marks in told for mark in marks)
                self._memo["history", ""] = commits
            return self._memo["history", ""]  # type: ignore[return-value]

    def _past(self) -> _history.Past:
        """A damaged history is a problem; what stands in the files is shown all the same."""
        if ("past", "") not in self._memo:
            try:
                past = _history.read_history(self.git, self.index.store, self._scanners)
            except WorkspaceError as error:
                self.problems.append(Problem("git", "history", str(error)))
                past = _history.NO_PAST
            self._memo["past", ""] = past
        return self._memo["past", ""]  # type: ignore[return-value]

    def blame(self, path: str, lines: Sequence[tuple[int, int]], *, oldest: str = "") -> Sequence[Blamed]:
        """Return what `git.blame` does, as long as HEAD stays without asking git again; () without history.

        Raises:
            WorkspaceError: git can't tell.
        """
        history = self.history()
        if self.git is None or not history:
            return ()
        return _history.remembered_blame(self.git, self.index.store, history[0].sha, path, lines, oldest)

    def recency(self) -> Mapping[str, float]:
        """Score files by how recently a commit touched them, counted from the newest commit: 0..1."""
        with self._lock:
            if ("recency", "") not in self._memo:
                self._memo["recency", ""] = _history.recency(self.history())
            return self._memo["recency", ""]  # type: ignore[return-value]

    def query(self, task: Task) -> Mapping[str, float]:
        """Return the task's terms with their weights."""
        with self._lock:
            if ("query", task.text) not in self._memo:
                terms = query_terms(_asked(task.text))
                heaviest = sorted(terms, key=lambda term: (-terms[term], term))[:_SHORT_LIST]
                self._memo["query", task.text] = {term: terms[term] for term in heaviest}
            return self._memo["query", task.text]  # type: ignore[return-value]

    def ranking(self, task: Task) -> Ranking:
        """Score all files for the task by the words in them, in their paths and in their names."""
        with self._lock:
            if ("ranking", task.text) not in self._memo:
                self._memo["ranking", task.text] = rank(self.index, self.query(task))
            return self._memo["ranking", task.text]  # type: ignore[return-value]

    def similar(self, task: Task) -> Sequence[tuple[float, Commit]]:
        """Return past commits whose messages resemble the task, the nearest first, likeness 1 to 0."""
        with self._lock:
            if ("similar", task.text) not in self._memo:
                messages, query = self._past().messages, self.query(task)
                self._memo["similar", task.text] = similar_commits(messages, query, self._paths_of)
            return self._memo["similar", task.text]  # type: ignore[return-value]

    def _paths_of(self, shas: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return the paths of commits; where git can't tell, that is a problem, and none are known."""
        if self.git is None:
            return {}
        try:
            return _history.remembered_paths(self.git, self.index.store, shas)
        except WorkspaceError as error:
            self.problems.append(Problem("git", "history", str(error)))
            return {}

    def votes(self, task: Task) -> Mapping[str, float]:
        """Score files by past commits whose messages resemble the task: 0..1."""
        return _history.votes(self.similar(task))

    def brought_lines(
        self, commits: Sequence[Commit], paths: Collection[str]
    ) -> Mapping[tuple[str, str], Sequence[int]]:
        """Return, by commit id and path, the numbers of lines that a commit added and that still stand.

        A history that git can't read is a problem, and no lines are found.
        """
        contents = {path: one.content for path in paths if (one := self.document(path)) is not None}
        if self.git is None:
            return {}
        try:
            return _hunks.standing(self.git, self.index.store, commits, contents, self.read)
        except WorkspaceError as error:
            self.problems.append(Problem("git", "history", str(error)))
            return {}

    def changed_words(self, commits: Sequence[Commit]) -> Mapping[str, Mapping[str, int]]:
        """Return, by commit id, the commonest folded terms of the lines that a commit changed in its paths.

        What "" has is the number of all of them. A history that git can't read is a problem, and no words
        are found.
        """
        if self.git is None:
            return {}
        try:
            return _wording.changed_words(self.git, self.index.store, commits, self._scanners)
        except WorkspaceError as error:
            self.problems.append(Problem("git", "history", str(error)))
            return {}

    def learn(self, item: str, split: Split) -> None:
        """Remember how an item was split, so that scorers can ask for the terms of its parts."""
        self._splits[item] = split

    def learned(self, item: str) -> Split | None:
        """Return how an item was split the last time, None where it was not."""
        return self._splits.get(item)

    def term_counts(self, parts: Sequence[Part], terms: Sequence[str]) -> list[dict[str, int]]:
        """Return for each part how often it holds each of the folded terms; absent ones are left out."""
        wanted: dict[str, dict[tuple[int, int], dict[str, int]]] = {}
        for item in {part.item for part in parts}:
            wanted[item] = self._item_counts(item, terms)
        return [wanted[part.item].get(part.lines, {}) for part in parts]

    def passages(
        self, task: Task, parts: Sequence[Part], *, saturation: float = 1.2, length: float = 0.6
    ) -> Sequence[float]:
        """Score parts by the task's words in them, by BM25 with k1 and b: 0..1, the best 1."""
        with self._lock:
            places = hash(tuple((part.item, part.lines) for part in parts))
            key = ("passages", f"{saturation} {length} {places} {task.text}")
            if key not in self._memo:
                query = self.query(task)
                counts = self.term_counts(parts, list(query))
                self._memo[key] = rank_parts(
                    query, counts, self.lengths(parts), saturation=saturation, length=length
                )
            return self._memo[key]  # type: ignore[return-value]

    def vocabulary(self, parts: Sequence[Part]) -> list[dict[str, int]]:
        """Return for each part how often it holds each of all its folded terms."""
        wanted = {(part.item, part.lines) for part in parts}
        found: dict[tuple[str, tuple[int, int]], dict[str, int]] = {key: {} for key in wanted}
        for item in {part.item for part in parts} & self._splits.keys():
            split = self._splits[item]
            for term, listed in split.terms.items():
                for at in range(0, len(listed), 2):
                    key = (item, split.parts[listed[at]].lines)
                    if key in found:
                        found[key][term] = listed[at + 1]
        return [found[part.item, part.lines] for part in parts]

    def holders(self, terms: Iterable[str], items: Iterable[str]) -> dict[str, int]:
        """Return how many of the items, by id, hold each of the folded terms."""
        counts = dict.fromkeys(terms, 0)
        for item in items:
            if item in self._splits:
                for term in counts.keys() & self._splits[item].terms.keys():
                    counts[term] += 1
        return counts

    def _item_counts(self, item: str, terms: Sequence[str]) -> dict[tuple[int, int], dict[str, int]]:
        split = self._splits.get(item)
        counts: dict[tuple[int, int], dict[str, int]] = {}
        if split is None:
            return counts
        for term in terms:
            listed = split.terms.get(term, ())
            for at in range(0, len(listed), 2):
                counts.setdefault(split.parts[listed[at]].lines, {})[term] = listed[at + 1]
        return counts

    def lengths(self, parts: Sequence[Part]) -> list[int]:
        """Return the number of terms in each part."""
        by_lines = {
            (item, part.lines): length
            for item in {part.item for part in parts}
            if (split := self._splits.get(item)) is not None
            for part, length in zip(split.parts, split.lengths, strict=True)
        }
        return [by_lines.get((part.item, part.lines), 0) for part in parts]


def _checked_root(root: Path) -> Path:
    try:
        if not root.exists():
            raise WorkspaceError(str(root), "no such folder; give an existing one with --root")
        if not root.is_dir():
            raise WorkspaceError(str(root), f"is a file, not a folder; did you mean --root {root.parent}?")
        return root.resolve()
    except OSError as error:
        raise WorkspaceError(str(root), f"can't be opened: {error.strerror}") from error


def _asked(text: str) -> str:
    """Return a task without what the form of a report brings; one line brings nothing of that kind."""
    if "\n" not in text:
        return text
    from satchel.references.boilerplate import without_boilerplate

    return without_boilerplate(text)


def count_text_terms(text: str) -> Mapping[str, int]:
    """Count the folded terms of any text, as the index does."""
    return count_terms(text)
