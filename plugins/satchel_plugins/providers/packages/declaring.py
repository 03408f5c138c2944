"""Whether a workspace declares packages at all: what reads manifests is loaded only where it does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from satchel_plugins.providers.packages import may_declare

if TYPE_CHECKING:
    from satchel.plugin_api import Workspace


def declares(workspace: Workspace) -> bool:
    """Return whether a workspace has a manifest or a lock file."""
    if not workspace.files.of_paths(_may_declare_any):
        return False
    from satchel_plugins.providers.packages.listing import find_manifests

    manifests, locks, _ = workspace.files.of_paths(find_manifests)
    return any(manifests.values()) or any(locks.values())


def _may_declare_any(paths: Iterable[str]) -> bool:
    return any(may_declare(path.rpartition("/")[2]) for path in paths)
