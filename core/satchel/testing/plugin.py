"""The pytest plugin: an empty host and a small git workspace as fixtures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.workspace import Workspace

for _module in ("contracts", "packers", "plugins"):
    pytest.register_assert_rewrite(f"satchel.testing.{_module}")


@pytest.fixture
def satchel_host() -> Host:
    """Give a host without plugins."""
    from satchel.host import Host

    return Host.empty()


@pytest.fixture
def satchel_workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Give a workspace of four files: a git repository with two commits, the second on `shop/cart.py`."""
    from satchel.testing.repository import make_repository
    from satchel.workspace import Workspace

    root = make_repository(tmp_path / "workspace")
    workspace = Workspace.open(root, cache_dir=tmp_path / "cache")
    yield workspace
    workspace.close()
