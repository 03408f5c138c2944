"""Read the texts of a workspace's files as documents show them: decoded, secrets replaced, once each."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar, cast

from satchel.errors import WorkspaceError
from satchel.escaping import escape_for_document, escape_marks, marks_in
from satchel.paths import safe_text
from satchel.redaction import Redacted
from satchel.redaction.scanning import Scanners
from satchel.workspace.files.contents import kind_of, read_bytes, text_of
from satchel.workspace.files.file_list import FileList
from satchel.workspace.files.kinds import Kind, is_binary
from satchel.workspace.index.documents import Document, Index, content_hash


class Redactor:
    """Replaces each secret of a workspace's texts with a mark, and counts the secrets of shown texts."""

    def __init__(self, scanners: Scanners) -> None:
        self.scanners = scanners
        self._brought: Counter[str] = Counter()
        """Secrets of texts that are not files."""
        self._found: dict[str, Counter[str]] = {}
        """Secrets of files, by path."""
        self._asked: set[str] = set()
        """Files whose text was read to be shown, not only to be split."""
        self._marks: set[str] = set()
        """Marks of removed secrets: other text that looks like a mark is shown as `\\u{...}`."""

    @property
    def secrets(self) -> Counter[str]:
        """Secrets that were removed from texts read to be shown, counted by kind.

        The numbers are the same with a new index as with an old one.
        """
        return sum((self._found.get(path, Counter()) for path in sorted(self._asked)), self._brought.copy())

    def redact(self, text: str, path: str = "") -> str:
        """Return a text with a mark in place of each secret, and count the secrets by kind."""
        redacted = self._redact(text, path)
        self._brought.update(finding.kind for finding in redacted.found)
        return redacted.text

    def show(self, text: str) -> str:
        """Return the result of `redact`, as documents show it."""
        return escape_for_document(self.redact(text))

    def redact_file(self, text: str, path: str, document: Document | None) -> str:
        """Return the text of a file with a mark in place of each secret; they count once it is shown."""
        if document is not None and document.content and document.secrets == 0:
            return escape_marks(text)
        redacted = self._redact(text, path)
        self._found[path] = Counter(finding.kind for finding in redacted.found)
        return redacted.text

    def count_file(self, path: str) -> None:
        """Count the secrets of a file, because its text is shown."""
        self._asked.add(path)

    def forget_file(self, path: str) -> None:
        """Forget the secrets of a file, because it is read again."""
        self._found.pop(path, None)

    def note_marks(self, text: str) -> None:
        """Remember the marks in a text that was redacted before: they are shown as they are."""
        self._marks.update(marks_in(text))

    def escape_marks(self, text: str) -> str:
        """Return a text in which only the marks of removed secrets look like marks."""
        return escape_marks(text, self._marks)

    def forget(self, *, files: bool) -> None:
        """Reset the counts of secrets; with `files` forget those of files, too."""
        self._brought.clear()
        self._asked.clear()
        if files:
            self._found.clear()

    def _redact(self, text: str, path: str) -> Redacted:
        redacted = self.scanners.redact(self.escape_marks(text), path=path)
        self.note_marks(redacted.text)
        return redacted


Hidden = Mapping[str, str]
"""The shown form of a line, by the hash of the line without surrounding blanks."""
_SHORTEST = 4
_HEADING = 80
"""Bytes of a line that git shows after the position of a hunk."""


def find_hidden_lines(text: str, clean: str) -> dict[str, str]:
    """Return the changes of redaction, line by line; both texts have the same number of lines."""
    hidden: dict[str, str] = {}
    for line, left in zip(text.split("\n"), clean.split("\n"), strict=True):
        bare = line.strip()
        if line != left and len(bare) >= _SHORTEST:
            hidden[_hash(bare)] = left.strip()
            hidden.setdefault(_hash(_heading(bare)), "")
    return hidden


def remove_hidden_lines(text: str, hidden: Hidden) -> str:
    """Return lines of a file, or a diff of it, with the hidden lines replaced."""
    if not hidden:
        return text
    return "\n".join([_show_line(line, hidden) for line in text.split("\n")])


def _show_line(line: str, hidden: Hidden) -> str:
    if line.startswith("@@ "):
        place, end, heading = line[3:].partition("@@")
        return f"@@ {place}{end}" if _hash(heading.strip()) in hidden else line
    for bare in (line.strip(), line[1:].strip() if line[:1] in ("+", "-") else ""):
        known = hidden.get(_hash(bare)) if len(bare) >= _SHORTEST else None
        if known:
            return line.replace(bare, known)
    return line


def _heading(bare: str) -> str:
    return bare.encode("utf-8", "replace")[:_HEADING].decode("utf-8", "replace").strip()


def _hash(line: str) -> str:
    return blake2b(line.encode("utf-8", "replace"), digest_size=9).hexdigest()


T = TypeVar("T")

_LARGEST_FILE = 64 * 1024 * 1024
"""Most bytes of a file that are read."""
_CREDENTIALS = "holds credentials, which are never shown"


class Texts:
    """Reads files inside the root as documents show them, and caches their texts."""

    def __init__(
        self, root: Path, index: Index, files: FileList, redactor: Redactor, lock: threading.RLock
    ) -> None:
        self.root = root
        self._index = index
        self._files = files
        self._redactor = redactor
        self._lock = lock
        self._shown: dict[str, str] = {}
        self._sources: dict[str, str] = {}

    def forget(self, changed: Collection[str] | None = None) -> None:
        """Forget all texts, or those of changed files and of files with secrets; reset the counts of secrets.

        Texts with secrets are read again on demand, so that their secrets are counted again.
        """
        self._redactor.forget(files=changed is None)
        if changed is None:
            self._shown.clear()
            self._sources.clear()
            return
        known = {path: self._index.documents.get(path) for path in self._sources.keys() - set(changed)}
        plain = {path for path, document in known.items() if document and not document.secrets}
        self._sources = {path: self._sources[path] for path in plain}
        self._shown = {path: text for path, text in self._shown.items() if path in plain}

    def is_read(self, path: str) -> bool:
        """Return whether the text of a file is cached as documents show it."""
        return path in self._shown

    def read_bytes(self, path: str) -> bytes:
        """Return the bytes of a file inside the root."""
        return read_bytes(self.root, path, _LARGEST_FILE)

    def read(self, path: str) -> str:
        r"""Return the text of a file inside the root as a document shows it.

        A mark replaces each secret; hidden characters and text that looks like a mark are shown as `\u{...}`.

        Raises:
            WorkspaceError: it can't be read, or differs from the index, so that counts would be wrong.
        """
        self._redactor.count_file(path)
        return self.read_ahead(path)

    def read_ahead(self, path: str) -> str:
        """Return the result of `read`, without counting the file's secrets.

        It is for callers that store results for the text in the index. The secrets count once the file is
        read to be shown, so a pack reports the same number whether a file was split for it or before.
        """
        with self._lock:
            if path not in self._shown:
                self._shown[path] = escape_for_document(self._source(path))
            return self._shown[path]

    def read_hidden(self, path: str, *, most_bytes: int) -> str:
        """Return the text of a file that `files.hidden` returned, with a mark in place of each secret.

        Raises:
            WorkspaceError: it can't be read, is not text, or is larger.
        """
        if path not in self._files.places_seen() or self._files.entry(path) is not None:
            raise WorkspaceError(safe_text(path), "is not a file that `files.hidden` returned")
        content = read_bytes(self.root, path, most_bytes)
        kind = kind_of(path, content)
        if kind in (Kind.BINARY, Kind.CREDENTIALS):
            raise WorkspaceError(safe_text(path), f"is not read: {kind}")
        return self._redactor.redact(text_of(path, content), path)

    def source(self, path: str) -> str:
        """Return the decoded text of a file inside the root, with a mark in place of each secret.

        Raises:
            WorkspaceError: as `read`.
        """
        self._redactor.count_file(path)
        with self._lock:
            return self._source(path)

    def _source(self, path: str) -> str:
        if path not in self._sources:
            self._redactor.forget_file(path)
            self._sources[path] = self._read(path, self._index.documents.get(path))
        return self._sources[path]

    def _read(self, path: str, document: Document | None) -> str:
        if document is not None and document.kind == Kind.CREDENTIALS:
            raise WorkspaceError(path, _CREDENTIALS)
        data = self.read_bytes(path)
        if document is not None and document.content not in ("", content_hash(data)):
            raise WorkspaceError(path, "changed while it was being read; run the command again")
        if is_binary(data):
            raise WorkspaceError(path, f"is binary, {len(data):,} bytes: there is no text to show")
        return self._redactor.redact_file(text_of(path, data), path, document)

    def derived(self, path: str, name: str, make: Callable[[str], T]) -> T:
        """Return a function's result for a file's text, from the index while the content is the same.

        `name` identifies the function, and changes with it. The result is JSON: tuples come back as lists.
        A file with secrets is read each time, so that its secrets are counted.

        Raises:
            WorkspaceError: as `read`, if the text has to be read.
        """
        document = self._index.documents.get(path)
        self._redactor.count_file(path)
        if document is None or not document.content or document.secrets:
            return cast("T", json.loads(json.dumps(make(self.read_ahead(path)))))
        fact = f"{name} of {document.content}"
        return cast("T", self._index.store.again(fact, "", lambda: make(self.read_ahead(path))))

    def show_lines(self, text: str, path: str) -> str:
        """Return lines of a file without secrets that only the whole file reveals.

        An example is the middle of a private key; `redactor.show` removes the rest.

        Raises:
            WorkspaceError: the whole file can't be read.
        """
        return remove_hidden_lines(text, self.hidden_lines(path))

    def hidden_lines(self, path: str) -> Hidden:
        """Return the lines of a file that hold a secret, or a piece of one.

        Raises:
            WorkspaceError: the whole file can't be read.
        """
        document = self._index.documents.get(path)
        if document is not None and document.kind == Kind.CREDENTIALS:
            raise WorkspaceError(path, _CREDENTIALS)
        if document is None or not document.content or document.secrets == 0:
            return {}
        with self._lock:
            clean = self._source(path)
            whole = self._redactor.escape_marks(text_of(path, self.read_bytes(path)))
            return find_hidden_lines(whole, clean)


def find_hidden_lines_in(data: bytes | None, path: str, scanners: Scanners) -> Hidden:
    """Return the lines with secrets of a file's earlier content, None if there was no file."""
    if data is None or is_binary(data):
        return {}
    text = escape_marks(text_of(path, data, is_text=True))
    return find_hidden_lines(text, scanners.redact(text, path=path).text)
