"""Long-term memory: the notes of a person or an agent that concern the task."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from satchel.plugin_api import (
    ContextItem,
    Problem,
    WorkspaceError,
    agree,
    decode,
    format_count,
    read_bytes,
    safe_text,
)
from satchel_plugins.providers.instructions import InstructionFile, cut
from satchel_plugins.providers.texts import Relation

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace

_MOST_NOTES = 300
_MOST_BYTES = 1 << 20
_LARGEST_NOTE = 64 * 1024
_BREAK = "\n"


class _NoteRecord(NamedTuple):
    id: str
    name: str
    text: str
    order: float
    """Larger is newer: seconds since the epoch of a file, the line of a JSON Lines file."""
    modified: float


@attrs.frozen(eq=False, repr=False)
class Notes:
    """Offer the notes that share words with the task, the closest first, newer before older."""

    name, wave = "notes", 1
    max_items: int = 8
    max_tokens: int = 2_000
    path: str = ".satchel/notes"
    """A folder of Markdown files, or a JSON Lines file of `{"text": ..., "title": ..., "time": seconds}`."""
    note_tokens: int = 400
    """Maximum tokens of a note, estimated at 3 bytes a token; a longer one is cut."""
    least_shared: float = 0.12
    """Share of the task's words, by weight, that a note must hold."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return one item per note."""
        notes = _notes(workspace, self.path)
        relation = Relation(task, workspace) if notes else None
        shares = [(relation.share(f"{note.name} {note.text}"), note) for note in notes] if relation else []
        related = [(share, note) for share, note in shares if share >= self.least_shared and share > 0]
        related.sort(key=lambda one: (-round(one[0], 2), -one[1].order, one[1].id))
        return [self._item(note, share, workspace) for share, note in related[: self.max_items]]

    def _item(self, note: _NoteRecord, share: float, workspace: Workspace) -> ContextItem:
        whole = workspace.redactor.show(
            note.text.strip("\n")
        )  # before it is cut: half a key is not recognized
        document = InstructionFile(note.name, whole, whole.count("\n") + 1, trusted=False)
        text = cut(document, self.note_tokens)
        if text != whole:
            text = f"{text.rpartition(_BREAK)[0]}\n[the rest of this note is left out]"
        return ContextItem(
            f"note:{note.id}",
            self.name,
            "note",
            f"note {safe_text(note.name)}",
            text=f"{text}\n",
            relevance=round(min(1.0, 0.3 + share), 4),
            modified=note.modified,
        )


def _notes(workspace: Workspace, path: str) -> list[_NoteRecord]:
    """Return the newest notes; a file that can't be read is a problem of the run."""
    place = Path(workspace.root, Path(path).expanduser())
    top = workspace.root if place.is_relative_to(workspace.root) else place.parent
    if not path or not place.exists() or not place.resolve().is_relative_to(Path(top).resolve()):
        return []
    try:
        if place.is_dir():
            return list(_of_folder(workspace, place))
        data = read_bytes(top, place.relative_to(top).as_posix(), 8 * _MOST_BYTES)
    except (WorkspaceError, OSError) as error:
        workspace.problems.append(Problem("notes", "read", str(error)))
        return []
    return list(_of_lines(workspace, data, place.name))


def _of_folder(workspace: Workspace, folder: Path) -> Iterator[_NoteRecord]:
    with os.scandir(folder) as entries:
        files = [
            (entry.stat().st_mtime, entry.name)
            for entry in entries
            if entry.name.endswith((".md", ".markdown", ".txt")) and entry.is_file(follow_symlinks=False)
        ]
    size = 0
    for modified, name in sorted(files, key=lambda one: (-one[0], one[1]))[:_MOST_NOTES]:
        try:
            data = read_bytes(folder, name, _LARGEST_NOTE)
        except WorkspaceError as error:
            workspace.problems.append(Problem("notes", "read", str(error)))
            continue
        size += len(data)
        if size > _MOST_BYTES:
            return
        if data.strip():
            yield _NoteRecord(name, name.rpartition(".")[0], decode(data).text, modified, modified)


def _of_lines(workspace: Workspace, data: bytes, name: str) -> Iterator[_NoteRecord]:
    """Yield the notes of the last lines; other lines are counted in one problem."""
    lines = decode(data).text.split("\n")
    bad = []
    for number, line in list(enumerate(lines, start=1))[-_MOST_NOTES:]:
        if not line.strip():
            continue
        entry = _entry(line)
        if entry is None:
            bad.append(number)
            continue
        time = entry.get("time", 0)
        modified = float(time) if isinstance(time, int | float) and 0 <= time < 1e11 else 0.0
        title = entry.get("title")
        title = title if isinstance(title, str) and title.strip() else f"{name}:{number}"
        text = str(entry["text"])
        text = text if len(text) <= _LARGEST_NOTE else text[:_LARGEST_NOTE].rpartition(_BREAK)[0]
        yield _NoteRecord(f"{name}:{number}", title, text, modified or float(number), modified)
    if bad:
        are = f"{format_count(len(bad), 'line')} {agree(len(bad), 'is not a note', 'are not notes')}"
        told = f"{safe_text(name)}: {are}, the first is line {bad[0]}"
        workspace.problems.append(Problem("notes", "read", told))


def _entry(line: str) -> dict[str, Any] | None:
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    fits = isinstance(entry, dict) and isinstance(entry.get("text"), str) and entry["text"].strip()
    return entry if fits else None
