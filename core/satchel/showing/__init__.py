"""The content of a window: its sections, its largest parts, its history, its cost, and advice."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.showing.advice import Advice as Advice
    from satchel.showing.advice import Trials as Trials
    from satchel.showing.advice import advise as advise
    from satchel.showing.advice import name_session as name_session
    from satchel.showing.anatomy import Anatomy as Anatomy
    from satchel.showing.anatomy import WindowTurn as WindowTurn
    from satchel.showing.anatomy import describe_call as describe_call
    from satchel.showing.anatomy import dissect as dissect
    from satchel.showing.anatomy import dissect_pack as dissect_pack
    from satchel.showing.anatomy import share_by_section as share_by_section
    from satchel.showing.anatomy import share_out as share_out
    from satchel.showing.costs import ModelMemory as ModelMemory
    from satchel.showing.costs import find_price as find_price
    from satchel.showing.drawing import draw as draw
    from satchel.showing.finding import dissect_session as dissect_session
    from satchel.showing.finding import find_latest as find_latest

__getattr__ = import_on_first_use(__name__, __file__)
