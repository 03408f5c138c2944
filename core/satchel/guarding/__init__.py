"""The guard of a local model's window: two gauges, the actions for their levels, and their execution."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.guarding.acting import Actions as Actions
    from satchel.guarding.acting import Guard as Guard
    from satchel.guarding.acting import poll as poll
    from satchel.guarding.gauges import CELLS as CELLS
    from satchel.guarding.gauges import MEMORY as MEMORY
    from satchel.guarding.gauges import Limits as Limits
    from satchel.guarding.gauges import OutOfMemory as OutOfMemory
    from satchel.guarding.gauges import Reading as Reading
    from satchel.guarding.gauges import Truncation as Truncation
    from satchel.guarding.gauges import out_of_memory as out_of_memory
    from satchel.guarding.gauges import truncation as truncation

__getattr__ = import_on_first_use(__name__, __file__)
