"""All that a plugin may import of satchel. What stands here keeps its meaning; everything else may change.

The built-in plugins import this module and nothing else of satchel, which an import contract holds. Names
that `satchel` itself has (`Task`, `ContextItem`, `hookimpl`, ...) are the same objects.
"""

from satchel.lazy_names import import_on_first_use as import_on_first_use
from satchel.lazy_names import read_homes

TYPE_CHECKING = False
if TYPE_CHECKING:  # for type checkers alone: at run time a name is imported when it is first asked for
    from satchel.addresses import hide_password as hide_password
    from satchel.blobs import Blob as Blob
    from satchel.blobs import Blobs as Blobs
    from satchel.compaction.dialogue import Dialogue as Dialogue
    from satchel.conversation.json_values import as_json as as_json
    from satchel.conversation.json_values import describe_json as describe_json
    from satchel.conversation.json_values import item_at as item_at
    from satchel.conversation.json_values import list_at as list_at
    from satchel.conversation.json_values import text_at as text_at
    from satchel.conversation.json_values import wrong_shape as wrong_shape
    from satchel.conversation.transcript_drafts import TranscriptCompaction as TranscriptCompaction
    from satchel.conversation.transcript_drafts import TranscriptDraft as TranscriptDraft
    from satchel.conversation.transcript_drafts import TranscriptUsage as TranscriptUsage
    from satchel.conversation.transcript_drafts import blocks_of as blocks_of
    from satchel.conversation.transcripts import Transcript as Transcript
    from satchel.conversation.wrappers import spoken as spoken
    from satchel.devices import Device as Device
    from satchel.devices import Memory as Memory
    from satchel.errors import BudgetError as BudgetError
    from satchel.errors import ConfigError as ConfigError
    from satchel.errors import ConversationError as ConversationError
    from satchel.errors import NoDevicesError as NoDevicesError
    from satchel.errors import PluginError as PluginError
    from satchel.errors import PointerError as PointerError
    from satchel.errors import Problem as Problem
    from satchel.errors import SatchelError as SatchelError
    from satchel.errors import UnknownNameError as UnknownNameError
    from satchel.errors import UsageError as UsageError
    from satchel.errors import WorkspaceError as WorkspaceError
    from satchel.events import Event as Event
    from satchel.greedy import LazyGreedy as LazyGreedy
    from satchel.hookspecs import hookimpl as hookimpl
    from satchel.interfaces import BlobStore as BlobStore
    from satchel.interfaces import Compressor as Compressor
    from satchel.interfaces import ExplainingScorer as ExplainingScorer
    from satchel.interfaces import FormatRules as FormatRules
    from satchel.interfaces import FormatSign as FormatSign
    from satchel.interfaces import GpuBackend as GpuBackend
    from satchel.interfaces import Later as Later
    from satchel.interfaces import MessageFormat as MessageFormat
    from satchel.interfaces import Observer as Observer
    from satchel.interfaces import Packer as Packer
    from satchel.interfaces import Provider as Provider
    from satchel.interfaces import RedactionRules as RedactionRules
    from satchel.interfaces import Representer as Representer
    from satchel.interfaces import Scanner as Scanner
    from satchel.interfaces import Scorer as Scorer
    from satchel.interfaces import SessionFile as SessionFile
    from satchel.interfaces import SessionStore as SessionStore
    from satchel.interfaces import Tokenizer as Tokenizer
    from satchel.interfaces import WorthModel as WorthModel
    from satchel.items import Candidate as Candidate
    from satchel.items import ContextItem as ContextItem
    from satchel.items import Level as Level
    from satchel.items import Option as Option
    from satchel.items import Reference as Reference
    from satchel.items import Selection as Selection
    from satchel.items import Task as Task
    from satchel.messages import MADE_UP as MADE_UP
    from satchel.messages import Block as Block
    from satchel.messages import BlockKind as BlockKind
    from satchel.messages import Conversation as Conversation
    from satchel.messages import Exchange as Exchange
    from satchel.messages import Flaw as Flaw
    from satchel.messages import Message as Message
    from satchel.output.judging import Rank as Rank
    from satchel.output.squeezing import Told as Told
    from satchel.output.squeezing import telling as telling
    from satchel.output.templates import Tone as Tone
    from satchel.output.templates import tone_of as tone_of
    from satchel.packing.chances import Chances as Chances
    from satchel.packing.chances import CorrectedChances as CorrectedChances
    from satchel.packing.chances import WeighedItems as WeighedItems
    from satchel.packing.scoring import Scored as Scored
    from satchel.parts import NO_LINES as NO_LINES
    from satchel.parts import Part as Part
    from satchel.parts import SplitItem as SplitItem
    from satchel.parts import Symbol as Symbol
    from satchel.parts import end_of_span as end_of_span
    from satchel.parts import lines_of as lines_of
    from satchel.paths import relative_path as relative_path
    from satchel.paths import safe_text as safe_text
    from satchel.patterns import lazily as lazily
    from satchel.pointers import REVIEWED as REVIEWED
    from satchel.pointers import diff_id as diff_id
    from satchel.private_files import cache_folder as cache_folder
    from satchel.private_files import make_private_folder as make_private_folder
    from satchel.private_files import open_nonblocking as open_nonblocking
    from satchel.private_files import read_private as read_private
    from satchel.private_files import read_record as read_record
    from satchel.private_files import replacing as replacing
    from satchel.private_files import write_record as write_record
    from satchel.questions import Question as Question
    from satchel.questions import asks_about_changes as asks_about_changes
    from satchel.questions import asks_about_whole as asks_about_whole
    from satchel.questions import asks_for_message as asks_for_message
    from satchel.questions import asks_why_lines as asks_why_lines
    from satchel.questions import find_named_commits as find_named_commits
    from satchel.questions import given_score as given_score
    from satchel.questions import place_factor as place_factor
    from satchel.questions import read_question as read_question
    from satchel.ranked_files import RankedFiles as RankedFiles
    from satchel.ranked_files import Roster as Roster
    from satchel.redaction.rule_files import RuleError as RuleError
    from satchel.redaction.rule_files import parse_rules as parse_rules
    from satchel.redaction.rules import Allowance as Allowance
    from satchel.redaction.rules import RedactionRule as RedactionRule
    from satchel.references.tasks import KnownPaths as KnownPaths
    from satchel.references.tasks import find_commits as find_commits
    from satchel.references.tasks import find_paths as find_paths
    from satchel.references.tasks import find_references as find_references
    from satchel.references.tracebacks import TracebackFrame as TracebackFrame
    from satchel.references.tracebacks import find_frames as find_frames
    from satchel.selecting import allowed as allowed
    from satchel.selecting import kept_worth as kept_worth
    from satchel.session.nodes import DamageError as DamageError
    from satchel.session.nodes import NodePlace as NodePlace
    from satchel.session.nodes import Row as Row
    from satchel.session.nodes import digest as digest
    from satchel.session.nodes import seal as seal
    from satchel.session.sqlite import open_store as open_store
    from satchel.session.store import BRANCH as BRANCH
    from satchel.session.store import CHECKPOINT as CHECKPOINT
    from satchel.session.store import Head as Head
    from satchel.session.store import Known as Known
    from satchel.session.store import Move as Move
    from satchel.session.store import NoStoreError as NoStoreError
    from satchel.session.store import Segment as Segment
    from satchel.session.store import SessionSize as SessionSize
    from satchel.session.store import Store as Store
    from satchel.session.store import StoreError as StoreError
    from satchel.session.store import StoreReader as StoreReader
    from satchel.session.store import StoreWriter as StoreWriter
    from satchel.session.store import Tidying as Tidying
    from satchel.workspace import Commit as Commit
    from satchel.workspace import FileList as FileList
    from satchel.workspace import GitHistory as GitHistory
    from satchel.workspace import Redactor as Redactor
    from satchel.workspace import TaskRanking as TaskRanking
    from satchel.workspace import TermStatistics as TermStatistics
    from satchel.workspace import Texts as Texts
    from satchel.workspace import Workspace as Workspace
    from satchel.workspace import count_text_terms as count_text_terms
    from satchel.workspace.files.contents import classify as classify
    from satchel.workspace.files.contents import decode as decode
    from satchel.workspace.files.contents import is_credentials as is_credentials
    from satchel.workspace.files.contents import read_bytes as read_bytes
    from satchel.workspace.files.listing import find_vendored_folder as find_vendored_folder
    from satchel.workspace.git.patches import Blamed as Blamed
    from satchel.workspace.git.patches import FileDiff as FileDiff
    from satchel.workspace.git.patches import Hunk as Hunk
    from satchel.workspace.git.patches import Status as Status
    from satchel.workspace.git.repository import Git as Git
    from satchel.workspace.git.tracking import GitFiles as GitFiles
    from satchel.workspace.index.bm25 import Bm25 as Bm25
    from satchel.workspace.index.bm25 import rank_parts as rank_parts
    from satchel.workspace.index.bm25 import score_parts as score_parts
    from satchel.workspace.index.store import find_blob as find_blob
    from satchel.workspace.index.store import keep_blobs as keep_blobs
    from satchel.workspace.index.terms import STOP as STOP
    from satchel.workspace.index.terms import WORD as WORD
    from satchel.workspace.index.terms import count_terms as count_terms
    from satchel.workspace.index.terms import inverse_document_frequency as inverse_document_frequency
    from satchel.workspace.index.terms import split_words as split_words
    from satchel.workspace.instructions import TrustStore as TrustStore
    from satchel.workspace.instructions import match_paths as match_paths
    from satchel.workspace.instructions import quoted as quoted
    from satchel.workspace.instructions import visible as visible

__all__ = sorted(read_homes(__file__))

__getattr__ = import_on_first_use(__name__, __file__)


def __dir__() -> list[str]:
    return list(__all__)
