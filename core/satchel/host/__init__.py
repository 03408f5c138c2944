"""The host: finds plugins, loads each kind on first use, and calls them in isolation."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.host.answers import BrokenContractError as BrokenContractError
    from satchel.host.answers import check_items as check_items
    from satchel.host.answers import check_parts as check_parts
    from satchel.host.answers import check_scores as check_scores
    from satchel.host.calling import Call as Call
    from satchel.host.calling import Named as Named
    from satchel.host.calling import PluginCalls as PluginCalls
    from satchel.host.calling import choose_arguments as choose_arguments
    from satchel.host.calling import describe_error as describe_error
    from satchel.host.calling import extend_deadline as extend_deadline
    from satchel.host.calling import load_average as load_average
    from satchel.host.kinds import Loaded as Loaded
    from satchel.host.kinds import PluginKind as PluginKind
    from satchel.host.loading import EntryPoint as EntryPoint
    from satchel.host.loading import find_entries as find_entries
    from satchel.host.observing import EventFile as EventFile
    from satchel.host.registry import FirstUses as FirstUses
    from satchel.host.registry import Host as Host
    from satchel.host.registry import HostOptions as HostOptions
    from satchel.host.registry import resolve_conflicts as resolve_conflicts
    from satchel.host.registry import switch_off as switch_off

__getattr__ = import_on_first_use(__name__, __file__)
