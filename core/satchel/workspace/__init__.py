"""A workspace: a folder of files, its git repository, and the index that makes both cheap to query."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.workspace.files.file_list import FileList as FileList
    from satchel.workspace.files.listing import FileEntry as FileEntry
    from satchel.workspace.files.listing import list_files as list_files
    from satchel.workspace.files.redactor import Redactor as Redactor
    from satchel.workspace.files.texts import Texts as Texts
    from satchel.workspace.git.log import GitHistory as GitHistory
    from satchel.workspace.git.repository import Commit as Commit
    from satchel.workspace.git.repository import open_git as open_git
    from satchel.workspace.index.documents import Document as Document
    from satchel.workspace.index.documents import Index as Index
    from satchel.workspace.index.documents import Progress as Progress
    from satchel.workspace.index.ranking import Ranking as Ranking
    from satchel.workspace.index.statistics import TermStatistics as TermStatistics
    from satchel.workspace.index.store import DamagedIndexError as DamagedIndexError
    from satchel.workspace.index.store import IndexStore as IndexStore
    from satchel.workspace.index.store import index_file as index_file
    from satchel.workspace.index.task_ranking import TaskRanking as TaskRanking
    from satchel.workspace.index.terms import count_words as count_words
    from satchel.workspace.index.terms import query_terms as query_terms
    from satchel.workspace.instructions import trust as trust
    from satchel.workspace.workspace import Change as Change
    from satchel.workspace.workspace import Snapshot as Snapshot
    from satchel.workspace.workspace import Workspace as Workspace
    from satchel.workspace.workspace import count_text_terms as count_text_terms

_HOMES = {
    "satchel.workspace.files.file_list": "FileList",
    "satchel.workspace.files.listing": "FileEntry list_files",
    "satchel.workspace.files.redactor": "Redactor",
    "satchel.workspace.files.texts": "Texts",
    "satchel.workspace.git.log": "GitHistory",
    "satchel.workspace.git.repository": "Commit open_git",
    "satchel.workspace.index.documents": "Document Index Progress",
    "satchel.workspace.index.ranking": "Ranking",
    "satchel.workspace.index.statistics": "TermStatistics",
    "satchel.workspace.index.store": "DamagedIndexError IndexStore index_file",
    "satchel.workspace.index.task_ranking": "TaskRanking",
    "satchel.workspace.index.terms": "count_words query_terms",
    "satchel.workspace.instructions": "trust",
    "satchel.workspace.workspace": "Change Snapshot Workspace count_text_terms",
}

__getattr__ = import_on_first_use(__name__, _HOMES)
