"""Size the window of a local model from its geometry and the free memory of the graphics cards."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.sizing.devices import probe as probe
    from satchel.sizing.engine import ask_engine as ask_engine
    from satchel.sizing.fitting import usage_of as usage_of
    from satchel.sizing.memory import count_layer_bytes as count_layer_bytes
    from satchel.sizing.models.gguf import Header as Header
    from satchel.sizing.models.gguf import HeaderError as HeaderError
    from satchel.sizing.models.gguf import TensorInfo as TensorInfo
    from satchel.sizing.models.gguf import kind_of as kind_of
    from satchel.sizing.models.gguf import read_gguf as read_gguf
    from satchel.sizing.models.opening import ServerError as ServerError
    from satchel.sizing.models.shapes import ModelShape as ModelShape
    from satchel.sizing.models.shapes import shape_of as shape_of
    from satchel.sizing.options import Run as Run
    from satchel.sizing.sizing import size_header as size_header

__getattr__ = import_on_first_use(__name__, __file__)
