"""The pytest plugin: an empty host, workspaces of any files, and packs with a plugin, as fixtures."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from satchel.compaction.dialogue import Dialogue
    from satchel.host import Host
    from satchel.packing.bundle import Bundle
    from satchel.workspace import Workspace

for _module in ("contracts",):
    pytest.register_assert_rewrite(f"satchel.testing.{_module}")


@pytest.fixture
def satchel_host() -> Host:
    """Give a host without plugins."""
    from satchel.host import Host

    return Host.empty()


@pytest.fixture(scope="session")
def _satchel_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from satchel.testing.repository import make_repository

    return make_repository(tmp_path_factory.mktemp("repository"))


@pytest.fixture
def satchel_workspace(_satchel_repository: Path, tmp_path: Path) -> Iterator[Workspace]:
    """Give a workspace of four files: a git repository with two commits, the second on `shop/cart.py`."""
    yield from _open_copy(_satchel_repository, tmp_path)


@pytest.fixture(scope="class")
def satchel_contract_workspace(
    _satchel_repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workspace]:
    """Give the tests of one contract class the same workspace, which no plugin may change."""
    yield from _open_copy(_satchel_repository, tmp_path_factory.mktemp("contract"))


def _open_copy(repository: Path, folder: Path) -> Iterator[Workspace]:
    from satchel.workspace import Workspace

    root = folder / "workspace"
    shutil.copytree(repository, root)
    workspace = Workspace.open(root, cache_dir=folder / "cache")
    yield workspace
    workspace.close()


@pytest.fixture
def satchel_make_workspace(tmp_path: Path) -> Iterator[Callable[[Mapping[str, str]], Workspace]]:
    """Give a function that makes a workspace, a git repository with one commit, of `{path: text}`."""
    from satchel.testing.repository import make_repository_of
    from satchel.workspace import Workspace

    opened: list[Workspace] = []

    def make(files: Mapping[str, str]) -> Workspace:
        root = make_repository_of(files, tmp_path / f"workspace-{len(opened) + 1}")
        opened.append(Workspace.open(root, cache_dir=tmp_path / "cache"))
        return opened[-1]

    yield make
    for workspace in opened:
        workspace.close()


@pytest.fixture
def satchel_make_dialogue() -> Callable[[Sequence[Mapping[str, Any]]], Dialogue]:
    """Give a function that makes the `Dialogue` of messages, `[{"role": "user", "content": "hello"}]`.

    A scorer of messages judges its `parts`.
    """

    def make(messages: Sequence[Mapping[str, Any]]) -> Dialogue:
        from satchel.conversation import exchanges_of
        from satchel.installed import find_user_formats
        from satchel.testing.contracts import dialogue_of

        return dialogue_of(exchanges_of(find_user_formats().read(list(messages))))

    return make


@pytest.fixture
def satchel_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Bundle]:
    """Give a function that packs for a task with the built-in plugins and one more.

    `satchel_pack(task, plugin=None, files=None, budget=4_000, **settings)`: `files` is `{path: text}`, by
    default a small shop; `settings` are the plugin's. The bundle has `text`, `tokens`, `items`, `problems`.
    """
    for variable in ("SATCHEL_CACHE_DIR", "SATCHEL_STATE_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))

    def pack(
        task: str,
        plugin: Any = None,
        files: Mapping[str, str] | None = None,
        budget: int = 4_000,
        **settings: object,
    ) -> Bundle:
        from satchel.testing.repository import pack_with

        return pack_with(task, plugin, tmp_path, files=files, budget=budget, settings=settings)

    return pack
