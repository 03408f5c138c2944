"""Replace the secrets of texts by marks, and count them by kind."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from satchel.escaping import marks_in, shown, without_marks
from satchel.redaction.scanning import Scanners
from satchel.workspace.index.documents import Document

if TYPE_CHECKING:
    from satchel.redaction import Redacted


class Redactor:
    """Puts a mark in place of each secret of a workspace's texts, and counts the secrets of those shown."""

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
        """Return what `redact` does, as documents show it."""
        return shown(self.redact(text))

    def redact_file(self, text: str, path: str, document: Document | None) -> str:
        """Return the text of a file with a mark in place of each secret; they count once it is shown."""
        if document is not None and document.content and document.secrets == 0:
            return without_marks(text)
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
        """Return a text in which nothing looks like a mark but the marks of removed secrets."""
        return without_marks(text, self._marks)

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
