"""A workspace: a folder of files, its git repository, and the index that makes both cheap to ask."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time a name is imported when it is first asked for: listing files needs few
    from satchel.workspace.files import FileEntry as FileEntry
    from satchel.workspace.git import Commit as Commit
    from satchel.workspace.index import Document as Document
    from satchel.workspace.opened import Workspace as Workspace
    from satchel.workspace.opened import count_text_terms as count_text_terms
    from satchel.workspace.ranking import Ranking as Ranking
    from satchel.workspace.snapshots import Change as Change
    from satchel.workspace.snapshots import Snapshot as Snapshot

_HOME_OF = {
    "Change": "snapshots",
    "Commit": "git",
    "Document": "index",
    "FileEntry": "files",
    "Ranking": "ranking",
    "Snapshot": "snapshots",
    "Workspace": "opened",
    "count_text_terms": "opened",
}

__all__ = ["Change", "Commit", "Document", "FileEntry", "Ranking", "Snapshot", "Workspace"]


def __getattr__(name: str) -> object:
    """Import a public name from its home when it is first asked for."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'satchel.workspace' has no attribute {name!r}")
    import importlib

    value: object = getattr(importlib.import_module(f"satchel.workspace.{home}"), name)
    globals()[name] = value
    return value
