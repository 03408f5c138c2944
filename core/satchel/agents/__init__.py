"""Agent programs such as Claude Code: satchel's entries in their settings, and answers to their hooks."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.agents.clients import ClientPlace as ClientPlace
    from satchel.agents.clients import files_of as files_of
    from satchel.agents.clients import find_command as find_command
    from satchel.agents.hooks import EVENTS as EVENTS
    from satchel.agents.hooks import newest_prompt as newest_prompt
    from satchel.agents.hooks import read_transcript as read_transcript

__getattr__ = import_on_first_use(__name__, __file__)
