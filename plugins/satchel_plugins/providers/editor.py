"""What is open in the person's editor, from `--open` or from a small file that the editor writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel import ContextItem
from satchel_plugins.providers.editor_state import open_in_editor

if TYPE_CHECKING:
    from satchel import Task, Workspace


@attrs.frozen(eq=False, repr=False)
class Editor:
    """Offer the files that are open, the one with the cursor first, so that they are weighed in any case."""

    name: ClassVar[str] = "editor"
    wave: ClassVar[int] = 1
    max_items: int = 20
    max_tokens: int = 1_000_000
    state: str = ".satchel-editor.json"
    """The file that an editor writes, below the root; a user's own configuration may name one outside."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return one item per open file.

        Raises:
            ValueError: the state file is no such file.
        """
        opened = {ref.path: ref.lines[0] for ref in task.open_files if ref.path}
        shown = open_in_editor(workspace, self.state)
        opened |= {path: line for path, line in shown if path not in opened}
        for path, line in opened.items():
            document = workspace.document(path)
            if document is not None and document.kind == "text":
                yield ContextItem(
                    f"file:{path}",
                    self.name,
                    "file",
                    path,
                    path=path,
                    content=document.content,
                    lines=(line, line),
                )
