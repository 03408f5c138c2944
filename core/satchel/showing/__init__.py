"""What stands in a window: its sections, its dearest parts, its history, what it costs, and what to do."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.showing.advice import Advice as Advice
    from satchel.showing.advice import Trials as Trials
    from satchel.showing.advice import advise as advise
    from satchel.showing.anatomy import Anatomy as Anatomy
    from satchel.showing.anatomy import dissect as dissect
    from satchel.showing.anatomy import dissect_pack as dissect_pack
    from satchel.showing.costs import ModelMemory as ModelMemory
    from satchel.showing.costs import find_price as find_price
    from satchel.showing.drawing import draw as draw
    from satchel.showing.finding import find_latest as find_latest
    from satchel.showing.sessions import dissect_session as dissect_session

_HOMES = {
    "satchel.showing.advice": "Advice Trials advise",
    "satchel.showing.anatomy": "Anatomy dissect dissect_pack",
    "satchel.showing.costs": "ModelMemory find_price",
    "satchel.showing.drawing": "draw",
    "satchel.showing.finding": "find_latest",
    "satchel.showing.sessions": "dissect_session",
}

__getattr__ = import_on_first_use(__name__, _HOMES)
