"""The built-in scorers."""

from __future__ import annotations

from satchel import Later

_ANY = frozenset({"*"})
_EXCHANGE = frozenset({"exchange"})
_FILE = frozenset({"file"})

SCORERS = (
    Later("calls", "satchel_plugins.scorers.calls:Calls", _ANY),
    Later("changes", "satchel_plugins.scorers.changes:Changes", frozenset({"diff", "status"})),
    Later("cochange", "satchel_plugins.scorers.cochange:Cochange", _ANY),
    Later("feedback", "satchel_plugins.scorers.feedback:Feedback", _ANY),
    Later("graph", "satchel_plugins.scorers.graph:Graph", _ANY),
    Later("history", "satchel_plugins.scorers.history:History", _ANY),
    Later("hunks", "satchel_plugins.scorers.hunks:Hunks", _FILE),
    Later("lexical", "satchel_plugins.scorers.lexical:Lexical", _ANY),
    Later("mentions", "satchel_plugins.scorers.mentions:Mentions", _ANY),
    Later("passages", "satchel_plugins.scorers.passages:Passages", _ANY),
    Later("paths", "satchel_plugins.scorers.paths:Paths", _ANY),
    Later("precedents", "satchel_plugins.scorers.precedents:Precedents", _FILE),
    Later("priority", "satchel_plugins.scorers.priority:Priority", _ANY),
    Later("recency", "satchel_plugins.scorers.recency:Recency", _ANY),
    Later("scopes", "satchel_plugins.scorers.scopes:Scopes", _FILE),
    Later("symbols", "satchel_plugins.scorers.symbols:Symbols", _ANY),
    Later("usage", "satchel_plugins.scorers.usage:Usage", frozenset({"*", "exchange"})),
    Later("errors", "satchel_plugins.scorers.dialogue.errors:Errors", _EXCHANGE),
    Later("position", "satchel_plugins.scorers.dialogue.position:Position", _EXCHANGE),
    Later("references", "satchel_plugins.scorers.dialogue.references:References", _EXCHANGE),
    Later("relevance", "satchel_plugins.scorers.dialogue.relevance:Relevance", _EXCHANGE),
    Later("role", "satchel_plugins.scorers.dialogue.role:Role", _EXCHANGE),
    Later("size", "satchel_plugins.scorers.dialogue.size:Size", _EXCHANGE),
)
"""Each is imported when something may need it."""
