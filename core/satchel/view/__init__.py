"""Output for people and programs: tables, bars, summaries, JSON."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.view.packs import explain as explain
    from satchel.view.packs import summary as summary
    from satchel.view.packs import window_json as window_json
    from satchel.view.progress import Progress as Progress
    from satchel.view.tables import json_text as json_text
    from satchel.view.tables import table as table

__getattr__ = import_on_first_use(__name__, __file__)
