"""satchel decides what goes into a model's context window, proves why, and never exceeds the budget."""

from satchel.lazy_names import import_on_first_use, read_homes

TYPE_CHECKING = False
if TYPE_CHECKING:  # for type checkers only: at run time each name is imported on first use
    from satchel.compaction.adapting import Adapter as Adapter
    from satchel.compaction.compacting import CompactOptions as CompactOptions
    from satchel.compaction.compacting import compact as compact
    from satchel.compaction.conversations import Conversations as Conversations
    from satchel.compaction.conversations import conversation_key as conversation_key
    from satchel.compaction.measuring import count as count
    from satchel.compaction.offloading import acompact as acompact
    from satchel.compaction.state import State as State
    from satchel.compaction.state import Water as Water
    from satchel.compaction.windows import Cut as Cut
    from satchel.compaction.windows import Window as Window
    from satchel.conversation.transcripts import Transcript as Transcript
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
    from satchel.hookspecs import hookimpl as hookimpl
    from satchel.host import Host as Host
    from satchel.installed import read_transcript as read_transcript
    from satchel.interfaces import Compressor as Compressor
    from satchel.interfaces import GpuBackend as GpuBackend
    from satchel.interfaces import Later as Later
    from satchel.interfaces import Observer as Observer
    from satchel.interfaces import Packer as Packer
    from satchel.interfaces import Provider as Provider
    from satchel.interfaces import Representer as Representer
    from satchel.interfaces import Scanner as Scanner
    from satchel.interfaces import Scorer as Scorer
    from satchel.interfaces import Tokenizer as Tokenizer
    from satchel.items import Candidate as Candidate
    from satchel.items import ContextItem as ContextItem
    from satchel.items import Level as Level
    from satchel.items import Option as Option
    from satchel.items import Reference as Reference
    from satchel.items import Selection as Selection
    from satchel.items import Task as Task
    from satchel.output.squeezing import Squeezed as Squeezed
    from satchel.output.squeezing import SqueezeOptions as SqueezeOptions
    from satchel.output.squeezing import squeeze as squeeze
    from satchel.packing.bundle import Bundle as Bundle
    from satchel.packing.bundle import PackOptions as PackOptions
    from satchel.packing.bundle import pack as pack
    from satchel.packing.expanding import expand as expand
    from satchel.packing.explaining import Explanation as Explanation
    from satchel.packing.explaining import why as why
    from satchel.packing.indexing.watching import Watch as Watch
    from satchel.packing.indexing.watching import watch as watch
    from satchel.packing.searching import Hit as Hit
    from satchel.packing.searching import Place as Place
    from satchel.packing.searching import search as search
    from satchel.parts import Part as Part
    from satchel.parts import Symbol as Symbol
    from satchel.session.session import Session as Session
    from satchel.session.window.context import SessionWindow as SessionWindow
    from satchel.session.window.context import WindowOptions as WindowOptions
    from satchel.sizing.fitting import Card as Card
    from satchel.sizing.sizing import Sizing as Sizing
    from satchel.sizing.sizing import size as size
    from satchel.workspace import Change as Change
    from satchel.workspace import Workspace as Workspace

__version__ = "0.1.0"

__all__ = ["__version__", *sorted(read_homes(__file__))]

__getattr__ = import_on_first_use(__name__, __file__)


def __dir__() -> list[str]:
    return sorted(__all__)
