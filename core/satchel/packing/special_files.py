"""Say what a path is that is not a file of its own: a symbolic link, a submodule."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from satchel.paths import path_address
from satchel.workspace.files.contents import read_link

if TYPE_CHECKING:
    from satchel.workspace import Workspace


def describe_special(workspace: Workspace, path: str) -> str:
    """Return what a link leads to, or which kind of repository a folder is; "" for any other path."""
    document = workspace.files.document(path)
    if document is None or document.kind not in ("link", "folder"):
        return ""
    if document.kind == "folder":
        entry = workspace.files.entry(path)
        is_submodule = entry is not None and entry.tracked
        return "submodule, a repository of its own" if is_submodule else "another repository"
    target = read_link(workspace.root, path)
    meant = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if not target or target.startswith("/") or meant.startswith("../") or meant == "..":
        return "symbolic link out of the workspace"
    return f"symbolic link to {path_address(meant)}"
