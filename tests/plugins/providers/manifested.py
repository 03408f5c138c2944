"""Workspaces made of the fixtures in tests/data/manifests, as plain folders without git."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from satchel import ContextItem, Task, Workspace
from satchel_plugins.providers import Dependencies

FIXTURES = Path(__file__).parents[2] / "data" / "manifests"
QUIET = "the total is wrong"
"""A task that names no package and is not about packages."""

Find = Callable[..., str]


def open_copy(name: str, folder: Path, extra: Mapping[str, str] | None = None) -> Workspace:
    """Copy a fixture, "" for an empty folder, add files, and open it."""
    root = folder / (name or "empty")
    if name:
        shutil.copytree(FIXTURES / name, root)
    for path, text in (extra or {}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", errors="surrogateescape")
    root.mkdir(parents=True, exist_ok=True)
    return Workspace.open(root, cache_dir=folder / "cache")


def chosen(*paths: str) -> tuple[ContextItem, ...]:
    """Return files as the road hands them to the second wave."""
    return tuple(ContextItem(f"file:{path}", "files", "file", path, path=path) for path in paths)


def gathered(workspace: Workspace, *paths: str, task: str = QUIET, **settings: int) -> list[ContextItem]:
    """Return what the provider finds for files and a task."""
    return list(Dependencies(**settings).gather(Task(task), workspace, chosen(*paths)))


@pytest.fixture
def find(tmp_path: Path) -> Find:
    """Return a function that answers with the whole text found in a fixture."""

    def text_of(name: str, *paths: str, task: str = QUIET, extra: Mapping[str, str] | None = None) -> str:
        workspace = open_copy(name, tmp_path, extra)
        return "".join(item.text or "" for item in gathered(workspace, *paths, task=task))

    return text_of
