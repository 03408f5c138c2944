"""Whether a workspace declares packages anywhere: what reads manifests is loaded only where it does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from satchel.patterns import lazily

if TYPE_CHECKING:
    from satchel import Workspace

Found = tuple[dict[str, list[str]], dict[str, list[str]], list[str]]
"""Manifests by ecosystem, lock files by ecosystem, names of folders and stems of sources."""

_ASIDE = lazily(r"(^|/)(tests?|testdata|fixtures?|__tests__|specs?|examples?|samples?|templates?|docs?)/")


def found_in(workspace: Workspace) -> Found:
    """Return what the paths of a workspace tell of packages."""
    return workspace.of_paths(_told, kept="packages 1")


def declares(workspace: Workspace) -> bool:
    """Return whether a workspace has a manifest or a lock file."""
    manifests, locks, _ = found_in(workspace)
    return any(manifests.values()) or any(locks.values())


def is_aside(path: str) -> bool:
    """Return whether a manifest is one of a test, an example or the docs: it counts for files beside it."""
    return _ASIDE.search(path) is not None


def _told(paths: Iterable[str]) -> Found:
    from satchel_plugins.providers.packages.listing import told

    return told(paths)
