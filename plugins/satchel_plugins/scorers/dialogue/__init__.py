"""Scorers of messages: what of a conversation matters for the task."""

from satchel_plugins.scorers.dialogue.errors import Errors
from satchel_plugins.scorers.dialogue.position import Position
from satchel_plugins.scorers.dialogue.references import References
from satchel_plugins.scorers.dialogue.relevance import Relevance
from satchel_plugins.scorers.dialogue.role import Role
from satchel_plugins.scorers.dialogue.size import Size

DIALOGUE_SCORERS: tuple[type, ...] = (Errors, Position, References, Relevance, Role, Size)

__all__ = ["DIALOGUE_SCORERS", "Errors", "Position", "References", "Relevance", "Role", "Size"]
