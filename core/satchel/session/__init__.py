"""Sessions: their messages and events, kept so that nothing is lost, and moved back and forth."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.session.edits import Life as Life
    from satchel.session.edits import edits_of as edits_of
    from satchel.session.edits import record_edit as record_edit
    from satchel.session.edits.measuring import LineChange as LineChange
    from satchel.session.edits.measuring import changes_between as changes_between
    from satchel.session.edits.measuring import hunks_of as hunks_of
    from satchel.session.edits.measuring import read_code as read_code
    from satchel.session.edits.measuring import render_unified as render_unified
    from satchel.session.edits.recording import Strategy as Strategy
    from satchel.session.entries import entries_of as entries_of
    from satchel.session.entries import record_entry as record_entry
    from satchel.session.history import Moved as Moved
    from satchel.session.ledger import Ledger as Ledger
    from satchel.session.ledger import list_paths_used as list_paths_used
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
    from satchel.session.snapshots import before_emergency as before_emergency
    from satchel.session.snapshots import list_snapshots as list_snapshots
    from satchel.session.snapshots import rebuild as rebuild
    from satchel.session.snapshots import restore as restore
    from satchel.session.snapshots import take_at_threshold as take_at_threshold
    from satchel.session.spooling import Spool as Spool
    from satchel.session.spooling import add_spooled as add_spooled
    from satchel.session.spooling import make_spooled as make_spooled
    from satchel.session.sqlite import SqliteStore as SqliteStore
    from satchel.session.sqlite import store_file as store_file
    from satchel.session.tidying import RetentionLimits as RetentionLimits
    from satchel.session.tidying import check_limits as check_limits
    from satchel.session.tidying import choose_stale as choose_stale
    from satchel.session.tidying import delete_sessions as delete_sessions
    from satchel.session.tidying import measure_sessions as measure_sessions
    from satchel.session.transfer import BrokenExportError as BrokenExportError
    from satchel.session.transfer import Imported as Imported
    from satchel.session.transfer import bring as bring
    from satchel.session.window import SessionWindow as SessionWindow
    from satchel.session.window.context import MOST_READ as MOST_READ
    from satchel.session.window.context import source_of as source_of
    from satchel.session.window.events import living_edits as living_edits
    from satchel.session.window.levels import Shown as Shown
    from satchel.session.window.levels import settle_levels as settle_levels
    from satchel.session.window.memory import carry_over as carry_over

__getattr__ = import_on_first_use(__name__, __file__)
