"""A workspace: a folder of files, its git repository, and the index that makes both cheap to query."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.workspace.files.contents import kind_of as kind_of
    from satchel.workspace.files.contents import notebook_text as notebook_text
    from satchel.workspace.files.contents import text_of as text_of
    from satchel.workspace.files.file_list import FileList as FileList
    from satchel.workspace.files.ignoring import Chain as Chain
    from satchel.workspace.files.ignoring import Scope as Scope
    from satchel.workspace.files.ignoring import drop_ignored as drop_ignored
    from satchel.workspace.files.ignoring import extend_chain as extend_chain
    from satchel.workspace.files.ignoring import is_excluded as is_excluded
    from satchel.workspace.files.ignoring import read_rules as read_rules
    from satchel.workspace.files.kinds import HUGE_BYTES as HUGE_BYTES
    from satchel.workspace.files.kinds import Kind as Kind
    from satchel.workspace.files.kinds import language_of as language_of
    from satchel.workspace.files.listing import FileEntry as FileEntry
    from satchel.workspace.files.listing import FileKind as FileKind
    from satchel.workspace.files.listing import Listing as Listing
    from satchel.workspace.files.listing import Vendored as Vendored
    from satchel.workspace.files.listing import list_files as list_files
    from satchel.workspace.files.texts import Redactor as Redactor
    from satchel.workspace.files.texts import Texts as Texts
    from satchel.workspace.files.texts import find_hidden_lines as find_hidden_lines
    from satchel.workspace.files.texts import remove_hidden_lines as remove_hidden_lines
    from satchel.workspace.git.log import GitHistory as GitHistory
    from satchel.workspace.git.log import similar_commits as similar_commits
    from satchel.workspace.git.patches import line_options as line_options
    from satchel.workspace.git.patches import read_blame as read_blame
    from satchel.workspace.git.patches import read_patch as read_patch
    from satchel.workspace.git.patches import read_status as read_status
    from satchel.workspace.git.repository import BULK_PATHS as BULK_PATHS
    from satchel.workspace.git.repository import Commit as Commit
    from satchel.workspace.git.repository import open_git as open_git
    from satchel.workspace.index.documents import NOT_SCANNED as NOT_SCANNED
    from satchel.workspace.index.documents import Document as Document
    from satchel.workspace.index.documents import Index as Index
    from satchel.workspace.index.documents import ReportProgress as ReportProgress
    from satchel.workspace.index.ranking import Ranking as Ranking
    from satchel.workspace.index.ranking import TaskRanking as TaskRanking
    from satchel.workspace.index.ranking import rank as rank
    from satchel.workspace.index.store import DamagedIndexError as DamagedIndexError
    from satchel.workspace.index.store import IndexStore as IndexStore
    from satchel.workspace.index.store import Memo as Memo
    from satchel.workspace.index.store import index_file as index_file
    from satchel.workspace.index.store import index_version as index_version
    from satchel.workspace.index.terms import TermStatistics as TermStatistics
    from satchel.workspace.index.terms import count_all_words as count_all_words
    from satchel.workspace.index.terms import count_words as count_words
    from satchel.workspace.index.terms import query_terms as query_terms
    from satchel.workspace.index.terms import runs_of as runs_of
    from satchel.workspace.instructions import distrust as distrust
    from satchel.workspace.instructions import is_read_only as is_read_only
    from satchel.workspace.instructions import store_file as store_file
    from satchel.workspace.instructions import trust as trust
    from satchel.workspace.workspace import Change as Change
    from satchel.workspace.workspace import Snapshot as Snapshot
    from satchel.workspace.workspace import Workspace as Workspace
    from satchel.workspace.workspace import count_text_terms as count_text_terms

__getattr__ = import_on_first_use(__name__, __file__)
