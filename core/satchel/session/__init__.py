"""Sessions: what was said and done, kept so that nothing is lost, and moved back and forth."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.session.entries import entries_of as entries_of
    from satchel.session.entries import record_entry as record_entry
    from satchel.session.history import Moved as Moved
    from satchel.session.nodes import Node as Node
    from satchel.session.nodes import SessionError as SessionError
    from satchel.session.nodes import place_of as place_of
    from satchel.session.pins import add_pin as add_pin
    from satchel.session.pins import add_read_only as add_read_only
    from satchel.session.pins import pins_of as pins_of
    from satchel.session.pins import read_only_of as read_only_of
    from satchel.session.places import find_store as find_store
    from satchel.session.places import name_place as name_place
    from satchel.session.places import open_place as open_place
    from satchel.session.pools import add_note as add_note
    from satchel.session.pools import notes_of as notes_of
    from satchel.session.spooling import Spool as Spool
    from satchel.session.spooling import add_spooled as add_spooled
    from satchel.session.spooling import make_spooled as make_spooled
    from satchel.session.tidying import RetentionLimits as RetentionLimits
    from satchel.session.tidying import check_limits as check_limits
    from satchel.session.tidying import choose_stale as choose_stale
    from satchel.session.tidying import delete_sessions as delete_sessions
    from satchel.session.tidying import measure_sessions as measure_sessions
    from satchel.session.transfer import Imported as Imported
    from satchel.session.transfer import bring as bring

_HOMES = {
    "satchel.session.entries": "entries_of record_entry",
    "satchel.session.history": "Moved",
    "satchel.session.nodes": "Node SessionError place_of",
    "satchel.session.pins": "add_pin add_read_only pins_of read_only_of",
    "satchel.session.places": "find_store name_place open_place",
    "satchel.session.pools": "add_note notes_of",
    "satchel.session.spooling": "Spool add_spooled make_spooled",
    "satchel.session.tidying": "RetentionLimits check_limits choose_stale delete_sessions measure_sessions",
    "satchel.session.transfer": "Imported bring",
}

__getattr__ = import_on_first_use(__name__, _HOMES)
