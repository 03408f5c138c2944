"""Workspaces made of texts, and what a provider finds in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from satchel import ContextItem, Workspace
from satchel.references import make_task

Files = Mapping[str, str | bytes]


@contextmanager
def workspace_of(folder: Path, files: Files) -> Iterator[Workspace]:
    """Write files into a folder without git and open it; a text `-> target` makes a link."""
    root = folder / "w"
    root.mkdir(exist_ok=True)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, str) and text.startswith("-> "):
            path.symlink_to(text[3:])
        else:
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
    workspace = Workspace.open(root, cache_dir=folder / "cache")
    yield workspace
    workspace.close()


def found(
    provider: Any, task: str, workspace: Workspace, *, opened: Sequence[str] = (), best: Sequence[str] = ()
) -> list[ContextItem]:
    """Return a provider's items for a task; `best` are paths of the best-scored files."""
    made = make_task(task, workspace.index.documents, open_files=opened)
    companions = tuple(ContextItem(f"file:{path}", "files", "file", path, path=path) for path in best)
    return list(provider.gather(made, workspace, companions))


def gathered(
    folder: Path, files: Files, provider: Any, task: str = "the total is wrong"
) -> list[ContextItem]:
    """Return a provider's items in a workspace of these files."""
    with workspace_of(folder, files) as workspace:
        return found(provider, task, workspace)


def texts(items: Sequence[ContextItem]) -> str:
    """Return the texts of items as one."""
    return "".join(item.text or "" for item in items)
