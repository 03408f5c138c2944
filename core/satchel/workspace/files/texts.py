"""Read the texts of a workspace's files as documents show them: decoded, without secrets, once each."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from satchel.errors import WorkspaceError
from satchel.escaping import marks_in, shown, without_marks
from satchel.redaction.scanning import Scanners
from satchel.workspace.files.contents import is_binary, read_bytes, text_of
from satchel.workspace.files.kinds import Kind
from satchel.workspace.index.documents import NOT_SCANNED, Document, Index, content_hash

if TYPE_CHECKING:
    from satchel.redaction import Redacted


Hidden = Mapping[str, str]
"""What is shown of a line, by the hash of the line without surrounding blanks."""
_SHORTEST = 4
_HEADING = 80
"""Bytes of a line that git shows after the position of a hunk."""


def hidden_lines(text: str, clean: str) -> dict[str, str]:
    """Return what redaction changed, line by line; both texts have the same number of lines."""
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

_CLEAN = "secrets"
"""Key of texts without a secret; the index is rebuilt when the rules change."""
_LONGEST_KEPT = 1_000_000
"""Most characters of a redacted text that is stored; a longer one is redacted each time."""
_LARGEST_FILE = 64 * 1024 * 1024
"""Most bytes of a file that are read."""
_MOST_MADE = 200
"""Derived values that a process keeps in memory."""
_LONGEST_MADE = 200_000
"""Most characters of the JSON of one of them."""
_MOST_CLEAN = 10_000
"""Texts without a secret that a process caches."""
_CREDENTIALS = "holds credentials, which are never shown"
_KNOWN = "SELECT value FROM facts WHERE name = ?"
_KEEP = "INSERT OR REPLACE INTO facts VALUES (?, ?)"


class Texts:
    """Reads files inside the root, and caches their texts and the secrets removed from them."""

    def __init__(self, root: Path, index: Index, scanners: Scanners, lock: threading.RLock) -> None:
        self.root = root
        self._brought: Counter[str] = Counter()
        """Secrets of texts that are not files."""
        self._found: dict[str, Counter[str]] = {}
        """Secrets of files, by path."""
        self._asked: set[str] = set()
        """Files whose text was read to be shown, not only to be split."""
        self.marks: set[str] = set()
        """Marks of removed secrets: other text that looks like a mark is shown as `\\u{...}`."""
        self._index = index
        self._scanners = scanners
        self._lock = lock
        self._shown: dict[str, str] = {}
        self._sources: dict[str, str] = {}
        self._made: dict[str, object] = {}
        """Derived values by name and content, shared by all callers."""
        self._clean: set[bytes] = set()
        """Hashes of texts without a secret."""

    @property
    def secrets(self) -> Counter[str]:
        """Secrets in the texts read to be shown, by kind: the same with a new index as with an old one."""
        return sum((self._found.get(path, Counter()) for path in sorted(self._asked)), self._brought.copy())

    def forget(self, changed: Collection[str] | None = None) -> None:
        """Forget all texts, or those of changed files and of files with secrets; reset the counts of secrets.

        Texts with secrets are read again on demand, so that their secrets are counted again.
        """
        self._brought.clear()
        self._asked.clear()
        if changed is None:
            self._shown.clear()
            self._sources.clear()
            self._found.clear()
            self._made.clear()
            self._clean.clear()
            return
        known = {path: self._index.documents.get(path) for path in self._sources.keys() - set(changed)}
        plain = {path for path, document in known.items() if document and not document.secrets}
        self._sources = {path: self._sources[path] for path in plain}
        self._shown = {path: text for path, text in self._shown.items() if path in plain}

    def paths(self) -> Sequence[str]:
        """Return the paths of the files whose text was read since they were listed."""
        return tuple(self._sources)

    def is_read(self, path: str) -> bool:
        """Tell whether the text of a file is cached as documents show it."""
        return path in self._shown

    def read_bytes(self, path: str) -> bytes:
        """Return the bytes of a file inside the root."""
        return read_bytes(self.root, path, _LARGEST_FILE)

    def read(self, path: str) -> str:
        """Return the text of a file as a document shows it; see `Workspace.read`."""
        self._asked.add(path)
        return self.read_ahead(path)

    def read_ahead(self, path: str) -> str:
        """Return what `read` does, without counting the file's secrets; see `Workspace.read_ahead`."""
        with self._lock:
            if path not in self._shown:
                self._shown[path] = shown(self._source(path))
            return self._shown[path]

    def source(self, path: str) -> str:
        """Return the decoded text of a file, with a mark in place of each secret; see `Workspace.source`."""
        self._asked.add(path)
        with self._lock:
            return self._source(path)

    def _source(self, path: str) -> str:
        if path not in self._sources:
            self._found.pop(path, None)
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
        text = text_of(path, data)
        if document is None or not document.content:
            return self._clean_file(text, path)
        return without_marks(text) if document.secrets == 0 else self._clean_once(text, document)

    def derived(self, path: str, name: str, make: Callable[[str], T]) -> T:
        """Return a function's result for a file's text, from the index if the content is known.

        A file with secrets is read each time, so that its secrets are counted.
        """
        document = self._index.documents.get(path)
        self._asked.add(path)
        if document is None or not document.content or not self._is_clean(document):
            return cast("T", json.loads(json.dumps(make(self.read_ahead(path)))))
        fact = f"{name} of {document.content}"
        if fact in self._made:
            return cast("T", self._made[fact])
        value = self.load_or_store(fact, lambda: make(self.read_ahead(path)))
        made = cast("T", self._index.store.decode(value))
        if len(self._made) >= _MOST_MADE:
            self._made.clear()
        if len(value) <= _LONGEST_MADE:
            self._made[fact] = made
        return made

    def _is_clean(self, document: Document) -> bool:
        """Tell whether a file was scanned for secrets and has none."""
        if document.secrets != NOT_SCANNED:
            return not document.secrets
        rows = self._index.store.rows(_KNOWN, (_name_of_clean_text(document),))
        return bool(rows) and json.loads(str(rows[0][0]))[0] is None

    def load_or_store(self, fact: str, make: Callable[[], object]) -> str:
        """Return a fact from the index as JSON, or make and store it."""
        rows = self._index.store.rows(_KNOWN, (fact,))
        if rows:
            return str(rows[0][0])
        value = json.dumps(make())
        self._index.store.remember(lambda connection: connection.execute(_KEEP, (fact, value)))
        return value

    def _clean_once(self, text: str, document: Document) -> str:
        """Return what `cleaned` does for a file that may hold secrets, and store it with their kinds."""
        name = _name_of_clean_text(document)
        rows = self._index.store.rows(_KNOWN, (name,))
        if rows:
            clean, kinds = self._index.store.decode(rows[0][0])
            if clean is None:
                return without_marks(text)
            self._found[document.path] = Counter(kinds)
            self.marks.update(marks_in(clean))
            return str(clean)
        clean = self._clean_file(text, document.path)
        found = self._found[document.path]
        if found and len(clean) > _LONGEST_KEPT:
            return clean
        value = json.dumps([clean if found else None, found])
        self._index.store.remember(lambda connection: connection.execute(_KEEP, (name, value)))
        return clean

    def cleaned(self, text: str, path: str = "") -> str:
        """Return a text with a mark in place of each secret, and count the secrets by kind."""
        redacted = self._redact(text, path)
        self._brought.update(finding.kind for finding in redacted.found)
        return redacted.text

    def _clean_file(self, text: str, path: str) -> str:
        """Do what `cleaned` does for the text of a file, whose secrets count once it is shown."""
        redacted = self._redact(text, path)
        self._found[path] = Counter(finding.kind for finding in redacted.found)
        return redacted.text

    def _redact(self, text: str, path: str) -> Redacted:
        redacted = self._scanners.redact(without_marks(text, self.marks), path=path)
        self.marks.update(marks_in(redacted.text))
        return redacted

    def hidden_lines(self, path: str) -> Hidden:
        """Return the lines of a file that hold a secret, or a piece of one; see `fragments`."""
        document = self._index.documents.get(path)
        if document is not None and document.kind == Kind.CREDENTIALS:
            raise WorkspaceError(path, _CREDENTIALS)
        if document is None or not document.content or document.secrets == 0:
            return {}
        with self._lock:
            clean = self._source(path)
            return hidden_lines(without_marks(text_of(path, self.read_bytes(path)), self.marks), clean)

    def hidden_before(self, commit: str, path: str, read: Callable[[], bytes | None]) -> Hidden:
        """Return the same for a file's content at a commit, which is read once."""

        def look() -> Hidden:
            data = read()
            if data is None or is_binary(data):
                return {}
            text = without_marks(text_of(path, data, is_text=True))
            return hidden_lines(text, self._scanners.redact(text, path=path).text)

        name = content_hash(f"{commit}:{path}".encode("utf-8", "surrogatepass"))
        hidden = cast("Hidden", json.loads(self.load_or_store(f"hidden lines {name}", look)))
        self.marks.update(marks_in("\n".join(hidden.values())))
        return hidden

    def clean(self, text: str) -> str:
        """Return what `cleaned` does, as documents show it; remember a text without secrets."""
        hash_ = blake2b(text.encode("utf-8", "replace"), digest_size=12).digest()
        query = "SELECT tokens FROM counts WHERE key = ? AND hash = ?"
        if hash_ in self._clean or self._index.store.rows(query, (_CLEAN, hash_)):
            if len(self._clean) < _MOST_CLEAN:
                self._clean.add(hash_)
            return shown(text)
        redacted = self.cleaned(text)
        if redacted == text:
            insert = "INSERT OR REPLACE INTO counts VALUES (?, ?, 0)"
            self._index.store.remember(lambda connection: connection.execute(insert, (_CLEAN, hash_)))
        return shown(redacted)


def _name_of_clean_text(document: Document) -> str:
    """Return the name under which the index keeps a file's text without its secrets."""
    return f"{_CLEAN} {document.content} {document.path}"
