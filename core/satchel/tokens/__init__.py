"""Token counts, and their conversion for a model."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.tokens.counting import Counter as Counter
    from satchel.tokens.guessing import guess as guess
    from satchel.tokens.models import Model as Model
    from satchel.tokens.models import UnknownModelWarning as UnknownModelWarning
    from satchel.tokens.models import find_model as find_model
    from satchel.tokens.models import find_or_estimate as find_or_estimate
    from satchel.tokens.models import model_names as model_names

__getattr__ = import_on_first_use(__name__, __file__)
