"""Pack a workspace for a task: gather, score, represent, pack, render."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.packing.bundle import BundleItem as BundleItem
    from satchel.packing.indexing import Indexed as Indexed
    from satchel.packing.indexing import index_all as index_all
    from satchel.packing.representing import split_all as split_all
    from satchel.packing.scoring import Scored as Scored
    from satchel.packing.suggesting import suggest as suggest

_HOMES = {
    "satchel.packing.bundle": "BundleItem",
    "satchel.packing.indexing": "Indexed index_all",
    "satchel.packing.representing": "split_all",
    "satchel.packing.scoring": "Scored",
    "satchel.packing.suggesting": "suggest",
}

__getattr__ = import_on_first_use(__name__, _HOMES)
