"""The built-in scorers."""

from satchel_plugins.scorers.calls import Calls
from satchel_plugins.scorers.changes import Changes
from satchel_plugins.scorers.cochange import Cochange
from satchel_plugins.scorers.dialogue import DIALOGUE_SCORERS
from satchel_plugins.scorers.feedback import Feedback
from satchel_plugins.scorers.graph import Graph
from satchel_plugins.scorers.history import History
from satchel_plugins.scorers.hunks import Hunks
from satchel_plugins.scorers.lexical import Lexical
from satchel_plugins.scorers.mentions import Mentions
from satchel_plugins.scorers.passages import Passages
from satchel_plugins.scorers.paths import Paths
from satchel_plugins.scorers.precedents import Precedents
from satchel_plugins.scorers.priority import Priority
from satchel_plugins.scorers.recency import Recency
from satchel_plugins.scorers.scopes import Scopes
from satchel_plugins.scorers.symbols import Symbols
from satchel_plugins.scorers.usage import Usage

SCORERS: tuple[type, ...] = (
    Calls,
    Changes,
    Cochange,
    Feedback,
    Graph,
    History,
    Hunks,
    Lexical,
    Mentions,
    Passages,
    Paths,
    Precedents,
    Priority,
    Recency,
    Scopes,
    Symbols,
    Usage,
    *DIALOGUE_SCORERS,
)
