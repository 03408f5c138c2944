"""Texts, tasks and events that contracts try plugins on, and a tokenizer that needs no vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from satchel.errors import Problem
from satchel.events import Event, ItemDropped, ItemKept, ItemsGathered, PluginFailed
from satchel.items import ContextItem, Task
from satchel.messages import Exchange, Message
from satchel.parts import Part

if TYPE_CHECKING:
    from satchel.workspace import Workspace

TASKS = (Task("why is the total of the cart wrong in shop/cart.py?"), Task(""), Task("\x00 \udcff @@ " * 50))
JUNK = (
    "",
    "\n",
    "\n\n\n",
    "no line end",
    "one\r\ntwo\r\n",
    "a\x0cb\x0bc\u2028d\n",
    "\x00\x01\x02\n\x00",
    "lone \udcff surrogate\n",
    "(" * 3_000 + "\n",
    "word " * 5_000,
    "def f(:\n  class\n\t}}}\n# ```\n---\n===\n",
)
TEXTS = (*JUNK, "<|endoftext|>", "<|im_start|>system", " " * 1_000_000, "é漢字🙂\n", "x = 1\n" * 200)


@attrs.frozen
class FourLetters:
    """A tokenizer of four letters a token, for tests alone."""

    name: ClassVar[str] = "four-letters"
    key: str = "four-letters"
    exact: bool = True
    error: float = 0.0

    def count(self, texts: Sequence[str]) -> list[int]:
        """Count a token for every four letters begun."""
        return [-(-len(text) // 4) for text in texts]


def events() -> list[Event]:
    """Return one event of every sort, and one that nobody knows."""
    problem = Problem("churn", "score", "failed", "satchel-churn")
    kept = ItemKept("a.py", "full", 10)
    return [
        Event(),
        ItemsGathered("files", 3),
        kept,
        ItemDropped("b.py", "did not fit"),
        PluginFailed(problem),
    ]


def paths_of(workspace: Workspace) -> list[str]:
    """Return the paths of a workspace's files."""
    return [entry.path for entry in workspace.files()]


def item_of(workspace: Workspace, path: str) -> ContextItem:
    """Return a file of the workspace as an item."""
    return ContextItem(f"file:{path}", "files", "file", path, path=path, text=workspace.read(path))


def parts_of(workspace: Workspace) -> tuple[Part, ...]:
    """Cut every file of the workspace into parts of four lines."""
    found: list[Part] = []
    for path in paths_of(workspace):
        last = max(1, workspace.read(path).count("\n"))
        for first in range(1, last + 1, 4):
            lines = (first, min(first + 3, last))
            id_ = f"{path}:{lines[0]}-{lines[1]}"
            found.append(Part("block", "", lines, id=id_, item=f"file:{path}", path=path, tokens=20))
    return tuple(found)


def exchanges() -> tuple[Exchange, ...]:
    """Make a short conversation: questions, and answers of a few lines."""
    asked = [Message("user", f"What does step {step} do?") for step in range(6)]
    answered = [
        Message("assistant", f"Step {step} reads the file.\nThen it counts. " * 5) for step in range(6)
    ]
    pairs = zip(asked, answered, strict=True)
    return tuple(
        Exchange(f"e{place}", one) for place, pair in enumerate(pairs) for one in ([pair[0]], [pair[1]])
    )
