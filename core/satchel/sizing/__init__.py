"""Size the window of a local model from its geometry and the free memory of the graphics cards."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.sizing.devices import probe as probe
    from satchel.sizing.engine import ask_engine as ask_engine
    from satchel.sizing.models.opening import ServerError as ServerError
    from satchel.sizing.options import Run as Run

_HOMES = {
    "satchel.sizing.devices": "probe",
    "satchel.sizing.engine": "ask_engine",
    "satchel.sizing.models.opening": "ServerError",
    "satchel.sizing.options": "Run",
}

__getattr__ = import_on_first_use(__name__, _HOMES)
