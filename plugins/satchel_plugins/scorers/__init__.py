"""The built-in scorers."""

from __future__ import annotations

from satchel.plugin_api import Later

_ANY = frozenset({"*"})
_EXCHANGE = frozenset({"exchange"})
_FILE = frozenset({"file"})

SCORERS = (
    Later("calls", "satchel_plugins.scorers.calls:Calls", _ANY),
    Later("changes", "satchel_plugins.scorers.history:Changes", frozenset({"diff", "status"})),
    Later("cochange", "satchel_plugins.scorers.history:Cochange", _ANY),
    Later("feedback", "satchel_plugins.scorers.feedback:Feedback", _ANY),
    Later("history", "satchel_plugins.scorers.history:HistoryScorer", _ANY),
    Later("hunks", "satchel_plugins.scorers.history:Hunks", _FILE),
    Later("lexical", "satchel_plugins.scorers.lexical:Lexical", _ANY),
    Later("mentions", "satchel_plugins.scorers.mentions:Mentions", _ANY),
    Later("passages", "satchel_plugins.scorers.lexical:Passages", _ANY),
    Later("paths", "satchel_plugins.scorers.paths:Paths", _ANY),
    Later("precedents", "satchel_plugins.scorers.history:Precedents", _FILE),
    Later("priority", "satchel_plugins.scorers.priority:Priority", _ANY),
    Later("recency", "satchel_plugins.scorers.history:Recency", _ANY),
    Later("scopes", "satchel_plugins.scorers.scopes:Scopes", _FILE),
    Later("symbols", "satchel_plugins.scorers.symbols:Symbols", _ANY),
    Later("title", "satchel_plugins.scorers.title:Title", _ANY),
    Later("usage", "satchel_plugins.scorers.usage:UsageScorer", frozenset({"*", "exchange"})),
    Later("errors", "satchel_plugins.scorers.dialogue:Errors", _EXCHANGE),
    Later("position", "satchel_plugins.scorers.dialogue:Position", _EXCHANGE),
    Later("references", "satchel_plugins.scorers.dialogue:References", _EXCHANGE),
    Later("relevance", "satchel_plugins.scorers.dialogue:Relevance", _EXCHANGE),
    Later("role", "satchel_plugins.scorers.dialogue:Role", _EXCHANGE),
    Later("size", "satchel_plugins.scorers.dialogue:Size", _EXCHANGE),
)
"""Each is imported when something may need it."""
