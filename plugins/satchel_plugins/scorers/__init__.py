"""The built-in scorers."""

from __future__ import annotations

from satchel.plugin_api import Later, import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel_plugins.scorers.dialogue import Errors as Errors
    from satchel_plugins.scorers.dialogue import Position as Position
    from satchel_plugins.scorers.dialogue import References as References
    from satchel_plugins.scorers.dialogue import Relevance as Relevance
    from satchel_plugins.scorers.dialogue import Role as Role
    from satchel_plugins.scorers.dialogue import Size as Size
    from satchel_plugins.scorers.history import Changes as Changes
    from satchel_plugins.scorers.history import Cochange as Cochange
    from satchel_plugins.scorers.history import HistoryScorer as HistoryScorer
    from satchel_plugins.scorers.history import Hunks as Hunks
    from satchel_plugins.scorers.history import Precedents as Precedents
    from satchel_plugins.scorers.history import Recency as Recency
    from satchel_plugins.scorers.lexical import Feedback as Feedback
    from satchel_plugins.scorers.lexical import Lexical as Lexical
    from satchel_plugins.scorers.lexical import Passages as Passages
    from satchel_plugins.scorers.mentions import Mentions as Mentions
    from satchel_plugins.scorers.mentions import Paths as Paths
    from satchel_plugins.scorers.mentions import Scopes as Scopes
    from satchel_plugins.scorers.mentions import scope_of as scope_of
    from satchel_plugins.scorers.priority import Priority as Priority
    from satchel_plugins.scorers.symbols import Calls as Calls
    from satchel_plugins.scorers.symbols import Symbols as Symbols
    from satchel_plugins.scorers.usage import UsageScorer as UsageScorer

_ANY = frozenset({"*"})
_EXCHANGE = frozenset({"exchange"})
_FILE = frozenset({"file"})

SCORERS = (
    Later("calls", "satchel_plugins.scorers.symbols:Calls", _ANY),
    Later("changes", "satchel_plugins.scorers.history:Changes", frozenset({"diff", "status"})),
    Later("cochange", "satchel_plugins.scorers.history:Cochange", _ANY),
    Later("feedback", "satchel_plugins.scorers.lexical:Feedback", _ANY),
    Later("history", "satchel_plugins.scorers.history:HistoryScorer", _ANY),
    Later("hunks", "satchel_plugins.scorers.history:Hunks", _FILE),
    Later("lexical", "satchel_plugins.scorers.lexical:Lexical", _ANY),
    Later("mentions", "satchel_plugins.scorers.mentions:Mentions", _ANY),
    Later("passages", "satchel_plugins.scorers.lexical:Passages", _ANY),
    Later("paths", "satchel_plugins.scorers.mentions:Paths", _ANY),
    Later("precedents", "satchel_plugins.scorers.history:Precedents", _FILE),
    Later("priority", "satchel_plugins.scorers.priority:Priority", _ANY),
    Later("recency", "satchel_plugins.scorers.history:Recency", _ANY),
    Later("scopes", "satchel_plugins.scorers.mentions:Scopes", _FILE),
    Later("symbols", "satchel_plugins.scorers.symbols:Symbols", _ANY),
    Later("usage", "satchel_plugins.scorers.usage:UsageScorer", frozenset({"*", "exchange"})),
    Later("errors", "satchel_plugins.scorers.dialogue:Errors", _EXCHANGE),
    Later("position", "satchel_plugins.scorers.dialogue:Position", _EXCHANGE),
    Later("references", "satchel_plugins.scorers.dialogue:References", _EXCHANGE),
    Later("relevance", "satchel_plugins.scorers.dialogue:Relevance", _EXCHANGE),
    Later("role", "satchel_plugins.scorers.dialogue:Role", _EXCHANGE),
    Later("size", "satchel_plugins.scorers.dialogue:Size", _EXCHANGE),
)
"""Each is imported when something may need it."""

__getattr__ = import_on_first_use(__name__, __file__)
