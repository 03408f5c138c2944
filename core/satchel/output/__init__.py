"""Command output: clean it, fold it, judge it, keep what matters; and run commands."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.output.cleaning import Hider as Hider
    from satchel.output.reading import Plugins as Plugins
    from satchel.output.running import CommandError as CommandError
    from satchel.output.running import Running as Running
    from satchel.output.squeezing import squeeze_stream as squeeze_stream

_HOMES = {
    "satchel.output.cleaning": "Hider",
    "satchel.output.reading": "Plugins",
    "satchel.output.running": "CommandError Running",
    "satchel.output.squeezing": "squeeze_stream",
}

__getattr__ = import_on_first_use(__name__, _HOMES)
