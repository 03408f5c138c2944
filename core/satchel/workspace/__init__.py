"""A workspace: a folder of files, its git repository, and the index that makes both cheap to query."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time a name is imported on first use: listing files needs few
    from satchel.workspace.files.file_list import FileList as FileList
    from satchel.workspace.files.listing import FileEntry as FileEntry
    from satchel.workspace.files.redactor import Redactor as Redactor
    from satchel.workspace.files.texts import Texts as Texts
    from satchel.workspace.git.log import GitHistory as GitHistory
    from satchel.workspace.git.repository import Commit as Commit
    from satchel.workspace.index.documents import Document as Document
    from satchel.workspace.index.ranking import Ranking as Ranking
    from satchel.workspace.index.statistics import TermStatistics as TermStatistics
    from satchel.workspace.index.task_ranking import TaskRanking as TaskRanking
    from satchel.workspace.workspace import Change as Change
    from satchel.workspace.workspace import Snapshot as Snapshot
    from satchel.workspace.workspace import Workspace as Workspace
    from satchel.workspace.workspace import count_text_terms as count_text_terms

_HOME_OF = {
    "Change": "workspace",
    "Commit": "git.repository",
    "Document": "index.documents",
    "FileEntry": "files.listing",
    "FileList": "files.file_list",
    "GitHistory": "git.log",
    "Ranking": "index.ranking",
    "Redactor": "files.redactor",
    "Snapshot": "workspace",
    "TaskRanking": "index.task_ranking",
    "TermStatistics": "index.statistics",
    "Texts": "files.texts",
    "Workspace": "workspace",
    "count_text_terms": "workspace",
}

__all__ = [
    "Change",
    "Commit",
    "Document",
    "FileEntry",
    "FileList",
    "GitHistory",
    "Ranking",
    "Redactor",
    "Snapshot",
    "TaskRanking",
    "TermStatistics",
    "Texts",
    "Workspace",
]


def __getattr__(name: str) -> object:
    """Import a public name from its module on first use."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'satchel.workspace' has no attribute {name!r}")
    import importlib

    value: object = getattr(importlib.import_module(f"satchel.workspace.{home}"), name)
    globals()[name] = value
    return value
