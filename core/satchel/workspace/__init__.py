"""A workspace: a folder of files, its git repository, and the index that makes both cheap to ask."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from satchel.errors import Problem, WorkspaceError
from satchel.items import Task
from satchel.parts import Part, Split
from satchel.workspace import history as _history
from satchel.workspace.contents import decode, read_bytes
from satchel.workspace.files import FileEntry, Vendored, list_files
from satchel.workspace.git import Commit, Git, open_git
from satchel.workspace.index import Document, Index, Progress, content_hash
from satchel.workspace.places import cache_folder
from satchel.workspace.ranking import Ranking, rank
from satchel.workspace.store import Store, index_file
from satchel.workspace.terms import count_terms, query_terms

__all__ = ["Commit", "Document", "FileEntry", "Ranking", "Workspace"]

_CLEAN = "secrets 1"
"""Key of the texts that hold no secret; it changes with the rules."""
_LARGEST_FILE = 64 * 1024 * 1024
"""Bytes of a file that are read at most."""
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
    """

    def __init__(
        self,
        root: Path,
        git: Git | None,
        index: Index,
        *,
        entries: Sequence[FileEntry],
        vendored: Sequence[Vendored],
    ) -> None:
        self.root = root
        self.git = git
        self.index = index
        self.vendored = tuple(vendored)
        self.problems: list[Problem] = []
        self.secrets: Counter[str] = Counter()
        self._entries = {entry.path: entry for entry in entries}
        self._texts: dict[str, str] = {}
        self._splits: dict[str, Split] = {}
        self._memo: dict[tuple[str, str], object] = {}
        self._lock = threading.RLock()

    @classmethod
    def open(
        cls,
        root: Path | str,
        *,
        cache_dir: Path | None = None,
        wanted: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> Workspace:
        """List the files under `root` and bring its index up to date.

        Args:
            root: a folder.
            cache_dir: where the index is kept; the user's cache folder by default.
            wanted: path prefixes inside vendored folders that are listed all the same.
            progress: called with a stage, the files done and all files.

        Raises:
            WorkspaceError: there is no such folder, or it can't be read.
        """
        folder = _checked_root(Path(root))
        git, problems = open_git(folder)
        listing = list_files(folder, git, wanted=wanted)
        store = Store.open(index_file(cache_dir or cache_folder(), folder))
        index = Index(store)
        workspace = cls(folder, git, index, entries=listing.entries, vendored=listing.vendored)
        unread = index.refresh(listing.entries, workspace.read_bytes, progress)
        workspace.problems = [*problems, *listing.problems, *store.problems, *unread]
        return workspace

    def close(self) -> None:
        """Close the index."""
        self.index.store.close()

    def files(self) -> Sequence[FileEntry]:
        """Return every file that is not ignored, by path."""
        return tuple(self._entries.values())

    def document(self, path: str) -> Document | None:
        """Return what the index knows of a file."""
        return self.index.documents.get(path)

    def read_bytes(self, path: str) -> bytes:
        """Return the bytes of a file inside the root."""
        return read_bytes(self.root, path, _LARGEST_FILE)

    def read(self, path: str) -> str:
        """Return the decoded text of a file inside the root, a mark in the place of each secret.

        Raises:
            WorkspaceError: it can't be read, or is not what the index has seen: counts would not fit.
        """
        with self._lock:
            if path not in self._texts:
                data, document = self.read_bytes(path), self.document(path)
                if document is not None and document.content not in ("", content_hash(data)):
                    raise WorkspaceError(path, "changed while it was being read; run the command again")
                text = decode(data).text
                is_clean = document is not None and document.content and not document.secrets
                self._texts[path] = text if is_clean else self.cleaned(text, path)
            return self._texts[path]

    def cleaned(self, text: str, path: str = "") -> str:
        """Return a text with a mark in the place of each secret, and remember their kinds."""
        from satchel.redaction import redact

        redacted = redact(text, path=path)
        self.secrets.update(finding.kind for finding in redacted.found)
        return redacted.text

    def clean(self, text: str) -> str:
        """Return what `cleaned` does; that a text holds no secret is remembered from run to run."""
        hash_ = blake2b(text.encode("utf-8", "replace"), digest_size=12).digest()
        query = "SELECT tokens FROM counts WHERE key = ? AND hash = ?"
        if self.index.store.rows(query, (_CLEAN, hash_)):
            return text
        redacted = self.cleaned(text)
        if redacted == text:
            insert = "INSERT OR REPLACE INTO counts VALUES (?, ?, 0)"
            self.index.store.remember(lambda connection: connection.execute(insert, (_CLEAN, hash_)))
        return redacted

    def history(self) -> Sequence[Commit]:
        """Return the newest commits of HEAD, newest first; () without a repository."""
        with self._lock:
            if ("history", "") not in self._memo:
                self._memo["history", ""] = _history.read_history(self.git, self.index.store)
            return self._memo["history", ""]  # type: ignore[return-value]

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
                terms = query_terms(task.text)
                heaviest = sorted(terms, key=lambda term: (-terms[term], term))[:_SHORT_LIST]
                self._memo["query", task.text] = {term: terms[term] for term in heaviest}
            return self._memo["query", task.text]  # type: ignore[return-value]

    def ranking(self, task: Task) -> Ranking:
        """Score all files for the task by the words in them, in their paths and in their names."""
        with self._lock:
            if ("ranking", task.text) not in self._memo:
                self._memo["ranking", task.text] = rank(self.index, self.query(task))
            return self._memo["ranking", task.text]  # type: ignore[return-value]

    def votes(self, task: Task) -> Mapping[str, float]:
        """Score files by past commits whose messages resemble the task: 0..1."""
        with self._lock:
            if ("votes", task.text) not in self._memo:
                similar = _history.similar_commits(self.history(), self.query(task))
                self._memo["votes", task.text] = _history.votes(similar)
            return self._memo["votes", task.text]  # type: ignore[return-value]

    def learn(self, item: str, split: Split) -> None:
        """Remember how an item was split, so that scorers can ask for the terms of its parts."""
        self._splits[item] = split

    def term_counts(self, parts: Sequence[Part], terms: Sequence[str]) -> list[dict[str, int]]:
        """Return for each part how often it holds each of the folded terms; absent ones are left out."""
        wanted: dict[str, dict[tuple[int, int], dict[str, int]]] = {}
        for item in {part.item for part in parts}:
            wanted[item] = self._item_counts(item, terms)
        return [wanted[part.item].get(part.lines, {}) for part in parts]

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


def count_text_terms(text: str) -> Mapping[str, int]:
    """Count the folded terms of any text, as the index does."""
    return count_terms(text)
