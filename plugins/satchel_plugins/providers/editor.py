"""The files open in the person's editor, from `--open` or from a small file that the editor writes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from satchel.plugin_api import ContextItem, WorkspaceError, read_bytes, relative_path

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace


_MOST_BYTES = 64 * 1024
_MOST_FILES = 50


def open_in_editor(workspace: Workspace, state: str) -> list[tuple[str, int]]:
    """Return path and cursor line (0 unknown) of each open file of the workspace, the active one first.

    Without a state file, nothing is open.

    Raises:
        ValueError: the file does not have the form in `docs/how-to/editor.md`.
    """
    place = Path(workspace.root, Path(state).expanduser())
    if not state or not os.path.lexists(place):
        return []
    try:
        table: Any = json.loads(_bytes(workspace.root, place))
    except (WorkspaceError, ValueError, RecursionError) as error:
        raise ValueError(f"{state} is not a state of an editor: {error}") from error
    if not isinstance(table, dict) or not isinstance(table.get("open", []), list):
        raise ValueError(
            f'{state} is not a state of an editor: expected {{"open": [{{"path": ..., "line": ...}}]}}'
        )
    opened = dict(_iter_open_files(workspace, table))
    return list(opened.items())


def _bytes(root: Path, place: Path) -> bytes:
    inside = place.is_relative_to(root)
    top = root if inside else place.parent
    return read_bytes(top, place.relative_to(top).as_posix(), _MOST_BYTES)


def _iter_open_files(workspace: Workspace, table: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield listed files of the workspace; if a file comes twice, its last line counts."""
    active = _path(workspace, table.get("active"))
    if active:
        yield active, 0
    for entry in table.get("open", [])[:_MOST_FILES]:
        fields: dict[str, Any] = entry if isinstance(entry, dict) else {"path": entry}
        path, line = _path(workspace, fields.get("path")), fields.get("line", 0)
        if path:
            yield path, line if isinstance(line, int) and not isinstance(line, bool) and line > 0 else 0


def _path(workspace: Workspace, written: object) -> str:
    if not isinstance(written, str) or not written:
        return ""
    try:
        path = relative_path(workspace.root, written)
    except WorkspaceError:
        return ""
    return path if workspace.files.document(path) is not None else ""


@attrs.frozen(eq=False, repr=False)
class Editor:
    """Offer the open files, the one with the cursor first, so that they are weighed in any case."""

    name, wave = "editor", 1
    max_items: int = 20
    max_tokens: int = 1_000_000
    state: str = ".satchel-editor.json"
    """The file that an editor writes, below the root; a user's own configuration may name one outside."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return one item per open file.

        Raises:
            ValueError: the file is not a state file.
        """
        opened = {ref.path: ref.lines[0] for ref in task.open_files if ref.path}
        shown = open_in_editor(workspace, self.state)
        opened |= {path: line for path, line in shown if path not in opened}
        for path, line in opened.items():
            document = workspace.files.document(path)
            if document is not None and document.kind == "text":
                yield ContextItem(
                    f"file:{path}",
                    self.name,
                    "file",
                    path,
                    path=path,
                    content=document.content,
                    lines=(line, line),
                    worked_on=True,
                )
