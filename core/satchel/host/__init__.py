"""The host: finds plugins, loads each kind on first use, and calls them in isolation."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.host.answers import check_parts as check_parts
    from satchel.host.calling import known_arguments as known_arguments
    from satchel.host.kinds import Loaded as Loaded
    from satchel.host.kinds import PluginKind as PluginKind
    from satchel.host.loading import find_entries as find_entries
    from satchel.host.observing import EventFile as EventFile
    from satchel.host.registry import Host as Host
    from satchel.host.registry import HostOptions as HostOptions
    from satchel.host.templates import write_package as write_package

_HOMES = {
    "satchel.host.answers": "check_parts",
    "satchel.host.calling": "known_arguments",
    "satchel.host.kinds": "Loaded PluginKind",
    "satchel.host.loading": "find_entries",
    "satchel.host.observing": "EventFile",
    "satchel.host.registry": "Host HostOptions",
    "satchel.host.templates": "write_package",
}

__getattr__ = import_on_first_use(__name__, _HOMES)
