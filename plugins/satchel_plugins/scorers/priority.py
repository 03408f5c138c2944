"""Score the person's choices: pins, open files, the lines around the cursor, instructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from satchel_plugins.providers.editor import open_in_editor

if TYPE_CHECKING:
    from satchel.plugin_api import Part, Reference, Task, Workspace


@attrs.frozen(eq=False, repr=False)
class Priority:
    """Give 1 to pinned parts and to the part under the cursor, less to other parts of open files."""

    name, kinds, grain = "priority", frozenset({"*"}), "part"
    weight: float = 0.4
    opened: float = 0.5
    """Score of a part of an open file without the cursor."""
    instructions: float = 0.3
    """Score of instructions."""
    state: str = ".satchel-editor.json"
    """The editor's state file, as the provider `editor` has it."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        pins = _by_path(task.pins)
        cursors: dict[str, list[int]] = {}
        for reference in task.open_files:
            cursors.setdefault(reference.path, []).append(reference.lines[0])
        for path, line in self._state(workspace):
            cursors.setdefault(path, []).append(line)
        if not pins and not cursors:
            return [self.instructions * part.item.startswith("instructions:") for part in parts]
        return [self._score(part, pins, cursors) for part in parts]

    def _state(self, workspace: Workspace) -> list[tuple[str, int]]:
        try:
            return open_in_editor(workspace, self.state)
        except ValueError:
            return []  # the provider `editor` reports the problem with the file

    def _score(self, part: Part, pins: dict[str, list[Reference]], cursors: dict[str, list[int]]) -> float:
        first, last = part.lines
        is_text_of_its_own = not part.item.startswith("file:")
        if part.item.startswith("instructions:"):
            return max(self.instructions, 1.0 * (part.path in pins))
        if is_text_of_its_own or not part.path:
            return 0.0
        if any(
            not pin.lines[0] or (pin.lines[0] <= last and first <= pin.lines[1])
            for pin in pins.get(part.path, ())
        ):
            return 1.0
        lines = cursors.get(part.path, ())
        if any(first <= line <= last for line in lines if line):
            return 1.0
        return self.opened if lines else 0.0

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Return that it is pinned, open, or an instruction."""
        if any(pin.path == part.path for pin in task.pins):
            return "is pinned"
        if part.item.startswith("instructions:"):
            return "is among the project's instructions"
        return "is open in the editor" if any(ref.path == part.path for ref in task.open_files) else ""


def _by_path(references: Sequence[Reference]) -> dict[str, list[Reference]]:
    found: dict[str, list[Reference]] = {}
    for reference in references:
        if reference.path:
            found.setdefault(reference.path, []).append(reference)
    return found
