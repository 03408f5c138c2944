"""Find and resolve the references in a text: paths, lines, symbols, numbers and tracebacks."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.references.tasks import find_pin as find_pin
    from satchel.references.tasks import find_pins as find_pins
    from satchel.references.tasks import make_task as make_task
    from satchel.references.tasks import resolve_symbol as resolve_symbol
    from satchel.references.tasks import strip_boilerplate as strip_boilerplate

__getattr__ = import_on_first_use(__name__, __file__)
