"""Replace the secrets of texts by marks, and count them by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from satchel.escaping import marks_in, shown, without_marks
from satchel.redaction.scanning import Scanners
from satchel.workspace.index.documents import NOT_SCANNED, Document, Index

if TYPE_CHECKING:
    from satchel.redaction import Redacted

_CLEAN = "secrets"
"""Key of texts without a secret; the index is rebuilt when the rules change."""
_LONGEST_KEPT = 1_000_000
"""Most characters of a redacted text that is stored; a longer one is redacted each time."""


class Redactor:
    """Puts a mark in place of each secret of a workspace's texts, and counts the secrets of those shown."""

    def __init__(self, index: Index, scanners: Scanners) -> None:
        self.scanners = scanners
        self._index = index
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
        """Return what `redact` does, as documents show it; remember a text without secrets."""
        hash_ = blake2b(text.encode("utf-8", "replace"), digest_size=12).digest()
        query = "SELECT tokens FROM counts WHERE key = ? AND hash = ?"
        if self._index.store.rows(query, (_CLEAN, hash_)):
            return shown(text)
        redacted = self.redact(text)
        if redacted == text:
            insert = "INSERT OR REPLACE INTO counts VALUES (?, ?, 0)"
            self._index.store.remember(lambda connection: connection.execute(insert, (_CLEAN, hash_)))
        return shown(redacted)

    def redact_file(self, text: str, path: str, document: Document | None) -> str:
        """Return the text of a file with a mark in place of each secret; they count once it is shown."""
        if document is None or not document.content:
            return self._redact_new(text, path)
        return without_marks(text) if document.secrets == 0 else self._redact_once(text, document)

    def is_clean(self, document: Document) -> bool:
        """Tell whether a file was scanned for secrets and has none."""
        if document.secrets != NOT_SCANNED:
            return not document.secrets
        return [*self._recall(document)[:1]] == [None]

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
        """Return a text in which nothing looks like a mark but the marks of removed secrets."""
        return without_marks(text, self._marks)

    def forget(self, *, files: bool) -> None:
        """Reset the counts of secrets; with `files` forget those of files, too."""
        self._brought.clear()
        self._asked.clear()
        if files:
            self._found.clear()

    def _redact_once(self, text: str, document: Document) -> str:
        """Redact a file that may hold secrets, and store the text with their kinds."""
        known = self._recall(document)
        if known:
            clean, kinds = known
            if clean is None:
                return without_marks(text)
            self._found[document.path] = Counter(kinds)
            self.note_marks(clean)
            return str(clean)
        clean = self._redact_new(text, document.path)
        found = self._found[document.path]
        if found and len(clean) > _LONGEST_KEPT:
            return clean
        name = _name_of_clean_text(document)
        self._index.store.keep({name: ""}, {name: [clean if found else None, found]})
        return clean

    def _recall(self, document: Document) -> Sequence[Any]:
        """Return a file's text without its secrets, None if it has none, and their kinds; () if not known."""
        name = _name_of_clean_text(document)
        known: Sequence[Any] = self._index.store.recall({name: ""}).get(name, ())
        return known

    def _redact_new(self, text: str, path: str) -> str:
        redacted = self._redact(text, path)
        self._found[path] = Counter(finding.kind for finding in redacted.found)
        return redacted.text

    def _redact(self, text: str, path: str) -> Redacted:
        redacted = self.scanners.redact(self.escape_marks(text), path=path)
        self.note_marks(redacted.text)
        return redacted


def _name_of_clean_text(document: Document) -> str:
    """Return the name under which the index keeps a file's text without its secrets."""
    return f"{_CLEAN} {document.content} {document.path}"
